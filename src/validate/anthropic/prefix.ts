// What a thinking block is bound to: the system prompt, the tools, and everything said before it.
import type { Json } from '../../core/json.ts'
import { fieldsOf, textOf } from '../walk.ts'
import { type Block, leadingCompaction, type Message, messagesOf } from './conversation.ts'
import type { Answered, History } from './history.ts'
import { sameSteps, sameSystem, sameTools, type Step, stepsOf, stepsOfMessage } from './same.ts'

/** Tells what has changed before a message since an answer was given. */
export class Prefixes {
  readonly #request: Json
  readonly #messages: readonly Message[]
  readonly #history: History
  readonly #known = new Map<Answered, Map<number, string>>()
  /** The steps that stand in front of the request's own, by the compaction that they begin with. */
  readonly #expansions: Map<string | undefined, readonly Step[]>

  constructor(request: Json, messages: readonly Message[], history: History) {
    this.#request = request
    this.#messages = messages
    this.#history = history
    this.#expansions = this.#expand()
  }

  /**
   * What has changed before this message since its answer was given, in words; the empty string where
   * nothing has, or where nobody can tell.
   */
  changeBefore(message: Message, answered: Answered): string {
    const known = this.#known.get(answered) ?? new Map<number, string>()
    this.#known.set(answered, known)
    const change = known.get(message.index) ?? this.#compare(message, answered)
    known.set(message.index, change)
    return change
  }

  #compare(message: Message, answered: Answered): string {
    const [now, then] = [fieldsOf(this.#request), fieldsOf(answered.request)]
    if (!sameSystem(now.system, then.system)) return 'the system prompt'
    if (!sameTools(now.tools, then.tools)) return 'the tools'
    const messages = messagesOf(answered.request)
    const opening = this.#expansions.get(signatureOf(leadingCompaction(messages)))
    if (opening === undefined) return ''
    const before = this.#messages.slice(0, message.index)
    const current = [...opening, ...ownSteps(before)]
    const former = messages.flatMap(stepsOfMessage)
    if (!sameSteps(fromCompaction(current), fromCompaction(former))) return 'an earlier message'
    const answer = stepsOf('assistant', answered.blocks)
    const kept = stepsOfMessage(message)
    const isAnswerStart = sameSteps(answer.slice(0, kept.length), kept.slice(0, answer.length))
    return isAnswerStart ? '' : 'the answer itself'
  }

  /**
   * A signed compaction stands for the messages of the request that asked for it, and those may begin
   * with an older one. So the same conversation can be told from any of these compactions on.
   */
  #expand(): Map<string | undefined, readonly Step[]> {
    const expansions = new Map<string | undefined, readonly Step[]>()
    let lead = leadingCompaction(this.#messages)
    let opening: readonly Step[] = []
    for (;;) {
      const signature = signatureOf(lead)
      if (expansions.has(signature)) return expansions
      const block = lead === undefined ? [] : stepsOf('assistant', [lead])
      expansions.set(signature, [...block, ...opening])
      const source = this.#history.ofCompaction(signature)
      if (source === undefined) return expansions
      const messages = messagesOf(source.request)
      lead = leadingCompaction(messages)
      opening = [...ownSteps(messages), ...opening]
    }
  }
}

/** The steps without a compaction in front. */
function ownSteps(messages: readonly Message[]): readonly Step[] {
  const steps = messages.flatMap(stepsOfMessage)
  return leadingCompaction(messages) === undefined ? steps : steps.slice(1)
}

function signatureOf(compaction: Block | undefined): string | undefined {
  return compaction === undefined ? undefined : (textOf(compaction.fields.signature) ?? '')
}

/** A compaction that the API made by itself restarts what is compared. */
function fromCompaction(steps: readonly Step[]): readonly Step[] {
  const last = steps.findLastIndex(
    ({ fields }) => fields.type === 'compaction' && textOf(fields.signature) === undefined,
  )
  return last === -1 ? steps : steps.slice(last)
}
