// What a thinking block is bound to: the system prompt, the tools, and everything said before it.
import type { Json } from '../../core/json.ts'
import { fieldsOf, textOf } from '../walk.ts'
import {
  type Block,
  isThinking,
  leadingCompaction,
  type Message,
  messagesOf,
} from './conversation.ts'
import { type Answered, type History, thinkingKey } from './history.ts'
import { type Step, sameStep, sameSteps, sameSystem, sameTools, stepsOf } from './same.ts'

/** A conversation block by block, without thinking and without the signed compaction in front. */
interface Told {
  readonly lead: Block | undefined
  readonly steps: readonly Step[]
  /** How many steps stand before each message, and one more number for the end. */
  readonly offsets: readonly number[]
}

/** Tells what has changed in front of a message since its answer was given. */
export class Prefixes {
  readonly #request: Json
  readonly #history: History
  readonly #told: Told
  /** What the leading compaction stands for, told from each older compaction or from the start. */
  readonly #openings: ReadonlyMap<string | undefined, readonly Step[]>
  readonly #former = new Map<Answered, Told>()

  constructor(request: Json, messages: readonly Message[], history: History) {
    this.#request = request
    this.#history = history
    this.#told = tell(messages)
    this.#openings = openingsOf(this.#told.lead, history)
  }

  /** The thinking blocks of a message before which something has changed, and what, in words. */
  changedThinking(message: Message): ReadonlyMap<Block, string> {
    const changed = new Map<Block, string>()
    const comparisons = new Map<Answered, { change: string; own: OwnAnswer }>()
    let stepsBefore = 0
    for (const block of message.blocks) {
      if (!isThinking(block)) stepsBefore += 1
      const answered = this.#history.ofThinking(block)
      if (answered === undefined) continue
      const comparison = comparisons.get(answered) ?? {
        change: this.changeBefore(message, answered),
        own: ownAnswer(message, answered),
      }
      comparisons.set(answered, comparison)
      const change = comparison.change || comparison.own.changeBefore(block, stepsBefore)
      if (change !== '') changed.set(block, change)
    }
    return changed
  }

  /** The empty string where nothing has changed, or where nobody can tell. */
  changeBefore({ index }: Message, answered: Answered): string {
    const [now, then] = [fieldsOf(this.#request), fieldsOf(answered.request)]
    if (!sameSystem(now.system, then.system)) return 'the system prompt'
    if (!sameTools(now.tools, then.tools)) return 'the tools'
    const former = this.#former.get(answered) ?? tell(messagesOf(answered.request))
    this.#former.set(answered, former)
    const opening = this.#openings.get(signatureOf(former.lead))
    if (opening === undefined) return ''
    return isSameUpTo(this.#told, index, former, opening) ? '' : 'an earlier message'
  }
}

function tell(messages: readonly Message[]): Told {
  const lead = leadingCompaction(messages)
  const steps: Step[] = []
  const offsets = messages.map(({ role, blocks }, index) => {
    const offset = steps.length
    const own = index === 0 && lead !== undefined ? blocks.slice(1) : blocks
    for (const step of stepsOf(role, own)) steps.push(step)
    return offset
  })
  return { lead, steps, offsets: [...offsets, steps.length] }
}

/**
 * A signed compaction stands for the messages of the request that asked for it, and those may begin
 * with an older one: the same conversation can be told from any of these on.
 */
function openingsOf(
  lead: Block | undefined,
  history: History,
): ReadonlyMap<string | undefined, readonly Step[]> {
  const openings = new Map<string | undefined, readonly Step[]>()
  let opening: readonly Step[] = []
  let current = lead
  for (;;) {
    const signature = signatureOf(current)
    if (openings.has(signature)) return openings
    openings.set(signature, opening)
    const source = history.ofCompaction(signature)
    if (source === undefined) return openings
    const told = tell(messagesOf(source.request))
    opening = [...told.steps, ...opening]
    current = told.lead
  }
}

/** Lengths are compared first: so each former request is walked through once at most. */
function isSameUpTo(told: Told, message: number, former: Told, opening: readonly Step[]): boolean {
  const end = told.offsets[message] ?? 0
  const cut = lastRestart(told.steps, end)
  const formerCut = lastRestart(former.steps, former.steps.length)
  if (cut !== -1 || formerCut !== -1) {
    if (cut === -1 || formerCut === -1 || end - cut !== former.steps.length - formerCut)
      return false
    return sameSteps(told.steps.slice(cut, end), former.steps.slice(formerCut))
  }
  if (opening.length + end !== former.steps.length) return false
  return sameSteps([...opening, ...told.steps.slice(0, end)], former.steps)
}

/** A compaction that the API made by itself restarts what is compared. */
function lastRestart(steps: readonly Step[], end: number): number {
  for (let index = end - 1; index >= 0; index -= 1) {
    const { fields } = steps[index] ?? { fields: {} }
    if (fields.type === 'compaction' && textOf(fields.signature) === undefined) return index
  }
  return -1
}

interface OwnAnswer {
  changeBefore(thinking: Block, stepsBefore: number): string
}

/** The part of the same answer that stands before a thinking block. */
function ownAnswer(message: Message, answered: Answered): OwnAnswer {
  const kept = stepsOf('assistant', message.blocks)
  const given = stepsOf('assistant', answered.blocks)
  const firstChange = given.findIndex((step, index) => !sameStep(step, kept[index]))
  const same = firstChange === -1 ? given.length : firstChange
  const places = new Map<string | undefined, number>()
  let steps = 0
  for (const block of answered.blocks) {
    if (isThinking(block)) places.set(thinkingKey(block), steps)
    else steps += 1
  }
  return {
    changeBefore(thinking, stepsBefore) {
      const isSame = places.get(thinkingKey(thinking)) === stepsBefore && stepsBefore <= same
      return isSame ? '' : 'the answer it belongs to'
    },
  }
}

function signatureOf(compaction: Block | undefined): string | undefined {
  return compaction === undefined ? undefined : (textOf(compaction.fields.signature) ?? '')
}
