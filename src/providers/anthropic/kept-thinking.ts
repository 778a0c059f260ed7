// Thinking blocks across requests: which ones are still valid, and a retry without those the server rejects.
import { createHash, type Hash } from 'node:crypto'
import { PrecisError } from '../../core/errors.ts'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import { toldWithoutThinking } from '../../core/repair/stale-thinking.ts'
import { type Fields, isFields } from '../../core/text/json.ts'
import type { MessagePart } from '../../core/view/message.ts'
import { isThinking, openRound, readMessages } from '../../validate/anthropic/conversation.ts'
import { thinkingKey } from '../../validate/anthropic/history.ts'
import type { Violation } from '../../validate/rule.ts'
import { wireBlock } from '../../wire/anthropic/write-blocks.ts'

interface Unthought {
  readonly request: ModelRequest
  /** What was omitted or rewritten, for people to read. */
  readonly problems: readonly string[]
}

/**
 * Wraps a provider: retries once without the thinking of earlier answers if the server reports ``Invalid
 * `signature` in `thinking` block``. It would report that for every later request with that block.
 */
export function afterRefusedThinking(provider: Provider): Provider {
  const { countTokens } = provider
  return {
    ...provider,
    async *stream(request) {
      try {
        yield* provider.stream(request)
      } catch (thrown) {
        // The status precedes all frames, so nothing is shown twice.
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
 * Writes an open round as text, since its calls may not be sent without their thinking (VALID-A12, -A22).
 * Rethrows any other failure, also if there is no thinking to omit or the caller forbids omitting it.
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

/** Before the problems the writer reports. */
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

/** Follows its original prefix, another one, or unknown. */
type Fit = 'fits' | 'stale' | 'unknown'

/** A thinking block whose creation this process saw, and whether its prefix is still the same. */
export interface SentThinking {
  readonly fit: Fit
  /** The violation a provider would report if it does not fit. */
  readonly violation: Violation
}

/** A few hundred bytes each; enough for days. */
const MAX_BLOCKS = 20_000

/**
 * Newer models accept thinking only after the exact prefix it was made behind (VALID-A13, -A22). Keeps a
 * digest of that prefix for each block in all conversations of a provider; drops the oldest.
 */
export class BoundThinking {
  readonly #prefixes = new Map<string, string>()

  /** Checks each thinking block of a conversation's `system`, `tools` and `messages`. */
  look(conversation: Fields): readonly SentThinking[] {
    const messages = readMessages(conversation)
    if (!messages.some(({ blocks }) => blocks.some(isThinking))) return []
    const open = openRound(messages)
    const prefix = findPrefix(conversation)
    const found: SentThinking[] = []
    for (const message of messages)
      for (const block of message.blocks) {
        if (!isThinking(block)) tell(prefix, message.role, block.fields)
        else {
          const fit = this.#fit(thinkingKey(block), prefix)
          found.push({ fit, violation: violationAt(block.place, message === open) })
        }
      }
    return found
  }

  /** Follows an answer frame by frame to remember its thinking. */
  follow(conversation: Fields): (frame: ModelFrame) => void {
    const prefix = findPrefix(conversation)
    for (const { role, blocks } of readMessages(conversation))
      for (const block of blocks) if (!isThinking(block)) tell(prefix, role, block.fields)
    return (frame) => {
      const block = readBlock(frame)
      if (block === undefined) return
      const type = String(block.type)
      const key = thinkingKey({ type, fields: block, place: '' })
      if (!isThinking({ type })) tell(prefix, 'assistant', block)
      else if (key !== undefined) this.#remember(key, prefix)
    }
  }

  #fit(key: string | undefined, prefix: Hash): Fit {
    const known = key === undefined ? undefined : this.#prefixes.get(computeDigest(key))
    if (known === undefined) return 'unknown'
    return known === digestSoFar(prefix) ? 'fits' : 'stale'
  }

  #remember(key: string, prefix: Hash): void {
    const name = computeDigest(key)
    this.#prefixes.delete(name) // re-inserted at the end: the first is the oldest
    this.#prefixes.set(name, digestSoFar(prefix))
    const [oldest] = this.#prefixes.keys()
    if (this.#prefixes.size > MAX_BLOCKS && oldest !== undefined) this.#prefixes.delete(oldest)
  }
}

function violationAt(where: string, isOpen: boolean): Violation {
  return isOpen
    ? { id: 'VALID-A22', where, message: 'an open tool round keeps thinking behind changed words' }
    : { id: 'VALID-A13', where, message: 'what stood before this thinking was changed' }
}

function findPrefix({ system, tools }: Fields): Hash {
  return createHash('sha256').update(JSON.stringify([system ?? null, tools ?? null]))
}

/** Neither earlier thinking nor message boundaries are part of what thinking is bound to. */
function tell(prefix: Hash, role: string, block: Fields): void {
  prefix.update(`\n${role} ${JSON.stringify(block)}`)
}

function digestSoFar(prefix: Hash): string {
  return prefix.copy().digest('base64')
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** The block of a frame as it will be sent back. */
function readBlock(frame: ModelFrame): Fields | undefined {
  if (frame.type !== 'part' && frame.type !== 'call') return undefined
  const part: MessagePart = frame.type === 'part' ? frame.part : { ...frame, type: 'tool_call' }
  const isBlank = part.type === 'text' && part.text.trim() === ''
  if (isBlank) return undefined
  const block = wireBlock(
    part,
    (id) => id,
    () => undefined,
  )
  return isFields(block) ? block : undefined
}
