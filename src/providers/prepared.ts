// Common preparation for every provider: request names out, original names back
import { PrecisError } from '../core/errors.ts'
import type { ModelFrame, ModelRequest, Provider } from '../core/model.ts'
import type { Profile } from '../validate/rule.ts'
import { type Prepared, prepareRequest } from '../wire/prepare.ts'

/** The same provider for requests of any history, with the repairs reported and tools by their real names. */
export function preparing(provider: Provider, profileOf: (model: string) => Profile): Provider {
  const { countTokens } = provider
  const prepared = (request: ModelRequest): Prepared =>
    prepareRequest(request, profileOf(request.model), provider.id)
  return {
    ...provider,
    async *stream(request) {
      requireOutputTokens(request)
      const { request: ready, problems, toolName } = prepared(request)
      let isFirst = true
      for await (const frame of provider.stream(ready)) {
        if (isFirst) yield* reported(frame, problems)
        isFirst = false
        if (frame.type !== 'repairs') yield renamed(frame, toolName)
      }
    },
    ...(countTokens && {
      countTokens: (request: ModelRequest) => countTokens(prepared(request).request),
    }),
  }
}

/** Every API refuses it, each in its own words. */
function requireOutputTokens({ maxOutputTokens }: ModelRequest): void {
  if (Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0) return
  throw new PrecisError('usage', `maxOutputTokens is ${maxOutputTokens}. Nothing was sent.`, {
    where: 'maxOutputTokens',
    hint: 'Give a whole number of tokens, 1 or more.',
  })
}

/** Repairs are told once and first, those of the writer behind ours. */
function* reported(first: ModelFrame, problems: readonly string[]): Generator<ModelFrame> {
  const all = first.type === 'repairs' ? [...problems, ...first.problems] : problems
  if (all.length > 0) yield { type: 'repairs', problems: all }
}

function renamed(frame: ModelFrame, toolName: (name: string) => string): ModelFrame {
  if (frame.type !== 'call' && frame.type !== 'broken-call') return frame
  return { ...frame, name: toolName(frame.name) }
}
