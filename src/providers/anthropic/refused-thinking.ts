// Thinking whose signature the server does not take: the same request once more without it.
import { PrecisError } from '../../core/errors.ts'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import { toldWithoutThinking } from '../../core/repair/stale-thinking.ts'

interface Unthought {
  readonly request: ModelRequest
  /** What was left out and told otherwise, for people to read. */
  readonly problems: readonly string[]
}

/**
 * The same provider, which asks once more without the thinking of earlier answers where the server says
 * ``Invalid `signature` in `thinking` block``: it would say so to every later request with that block.
 */
export function afterRefusedThinking(provider: Provider): Provider {
  const { countTokens } = provider
  return {
    ...provider,
    async *stream(request) {
      try {
        yield* provider.stream(request)
      } catch (thrown) {
        // A status comes before any frame: nothing is said twice.
        const { request: instead, problems } = withoutThinking(request, thrown)
        yield* reported(problems, provider.stream(instead))
      }
    },
    ...(countTokens && {
      countTokens: (request: ModelRequest) =>
        countTokens(request).catch((thrown: unknown) =>
          countTokens(withoutThinking(request, thrown).request),
        ),
    }),
  }
}

const REFUSED = /invalid\W{1,3}signature\W{1,3}in\W{1,3}(?:redacted_)?thinking/i

/**
 * An open round is told as text: its calls may not go back without their thinking (VALID-A12, -A22).
 * Throws again what is another failure, if there is no thinking to leave out, and where the caller
 * wants none left out.
 */
function withoutThinking(request: ModelRequest, thrown: unknown): Unthought {
  if (!isRefusedSignature(thrown) || request.dropStaleThinking === false) throw thrown
  const { messages, changes } = toldWithoutThinking(request.messages)
  const left = changes.filter(({ what }) => what === 'thinking').length
  if (left === 0) throw thrown
  const told = changes.filter(({ what }) => what !== 'thinking')
  return {
    request: { ...request, messages },
    problems: [
      `the server refused the signature of earlier thinking: sent again without it (${left})`,
      ...told.map(({ where, why }) => `${where}: ${why}`),
    ],
  }
}

function isRefusedSignature(thrown: unknown): boolean {
  return PrecisError.is(thrown) && thrown.details.status === 400 && REFUSED.test(thrown.message)
}

/** Before those that the writer reports. */
async function* reported(
  problems: readonly string[],
  frames: AsyncIterable<ModelFrame>,
): AsyncGenerator<ModelFrame> {
  let isFirst = true
  for await (const frame of frames) {
    const own = frame.type === 'repairs' ? frame.problems : []
    if (isFirst) yield { type: 'repairs', problems: [...problems, ...own] }
    isFirst = false
    if (frame.type !== 'repairs') yield frame
  }
}
