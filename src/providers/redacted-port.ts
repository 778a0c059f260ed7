// A summary model that removes secrets from prompts to another provider.
import type { AskRequest, ModelPort } from '../core/ports.ts'
import type { ModelRef } from '../core/view/content.ts'
import type { Secret } from '../redact/known.ts'
import { type RedactionPolicy, redactFor } from '../redact/redact-for.ts'
import { type RedactedValue, redactValues } from '../redact/redact-values.ts'
import type { ModelWindow } from './catalogue.ts'
import type { ModelRegistry } from './registry.ts'

/** The model that was asked, and what was withheld from it. */
export interface AskedModel {
  readonly ref: ModelRef
  readonly window: ModelWindow
  readonly redacted: RedactedValue<unknown>['found']
}

export interface RedactedPortOptions {
  readonly registry: Pick<ModelRegistry, 'resolve'>
  /** Known secret values, besides texts that look secret. */
  readonly secrets: readonly Secret[]
  readonly policy?: RedactionPolicy | undefined
  onAsk?(asked: AskedModel): void
}

/** A model that supports all kinds of requests. */
export type WholeModelPort = ModelPort & Required<Pick<ModelPort, 'converse'>>

/** Changes only what is sent; the thread keeps the original text. */
export function redactedPort(port: WholeModelPort, options: RedactedPortOptions): WholeModelPort {
  return {
    ...port,
    ask: async (request) => port.ask({ ...request, ...(await told(request, options)) }),
    converse: async (request) => port.converse({ ...request, ...(await told(request, options)) }),
  }
}

type RequestPart = Pick<AskRequest, 'messages' | 'system' | 'within'>

/** The parts of a request that may go to the model. */
async function told(request: AskRequest, options: RedactedPortOptions): Promise<RequestPart> {
  const { conversation, system, messages, within } = request
  const { registry, secrets, policy, onAsk } = options
  const { ref, window } = await registry.resolve(request.model, request.signal)
  const said = {
    messages,
    ...(system !== undefined && { system }),
    ...(within && { within }),
  }
  if (!redactFor({ conversation, target: ref, policy })) {
    onAsk?.({ ref, window, redacted: [] })
    return said
  }
  const { value, found } = redactValues(said, secrets)
  onAsk?.({ ref, window, redacted: found })
  return value
}
