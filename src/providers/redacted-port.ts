// A model for summaries that is told no secrets of a conversation with another provider.
import type { ModelRef } from '../core/content.ts'
import type { ModelPort } from '../core/ports.ts'
import type { Secret } from '../redact/known.ts'
import { type RedactionPolicy, redactFor } from '../redact/redact-for.ts'
import { type RedactedValue, redactValues } from '../redact/redact-values.ts'
import type { ModelWindow } from './catalogue.ts'
import type { ModelRegistry } from './registry.ts'

/** A model that was asked, and what it was not told. */
export interface AskedModel {
  readonly ref: ModelRef
  readonly window: ModelWindow
  readonly redacted: RedactedValue<unknown>['found']
}

export interface RedactedPortOptions {
  readonly registry: Pick<ModelRegistry, 'resolve'>
  /** Values that are known to be secret, beside what looks like one. */
  readonly secrets: readonly Secret[]
  readonly policy?: RedactionPolicy | undefined
  onAsk?(asked: AskedModel): void
}

/** Changes what is sent, never what is stored: the thread keeps its own words. */
export function redactedPort(port: ModelPort, options: RedactedPortOptions): ModelPort {
  const { registry, secrets, policy, onAsk } = options
  return {
    async ask(request) {
      const { conversation, system, messages } = request
      const { ref, window } = await registry.resolve(request.model, request.signal)
      if (!redactFor({ conversation, target: ref, policy })) {
        onAsk?.({ ref, window, redacted: [] })
        return port.ask(request)
      }
      const said = { messages, ...(system !== undefined && { system }) }
      const { value, found } = redactValues(said, secrets)
      onAsk?.({ ref, window, redacted: found })
      return port.ask({ ...request, ...value })
    },
  }
}
