// The prefix of a thinking block: system prompt, tools, and all earlier messages.
import type { Json } from '../../core/text/json.ts'
import { readFields, readText } from '../walk.ts'
import {
  type Block,
  isThinking,
  leadingCompaction,
  type Message,
  readMessages,
} from './conversation.ts'
import { type Answered, type History, thinkingKey } from './history.ts'
import { findSteps, type Step, sameStep, sameSteps, sameSystem, sameTools } from './same.ts'

/** A conversation by blocks, without thinking and a leading signed compaction. */
interface Conversation {
  readonly lead: Block | undefined
  readonly steps: readonly Step[]
  /** The start of each message among the steps; one more for the end. */
  readonly starts: readonly Start[]
}

interface Start {
  readonly step: number
  /** The last compaction the API made by itself: the comparison starts there. */
  readonly restart: number | undefined
}

/** An earlier request and its answer; findings are cached for other messages. */
interface Former {
  readonly told: Conversation
  readonly change: string // in system or tools
  readonly isSameTo: Map<number, boolean>
  readonly answer: readonly Step[]
  /** How many steps of the answer precede each of its thinking blocks. */
  readonly thinking: ReadonlyMap<string | undefined, number>
}

/** Detects changes in front of a message since its answer was given. */
export class Prefixes {
  readonly #request: Json
  readonly #history: History
  readonly #told: Conversation
  /** What the leading compaction replaces, starting from each older compaction or from the start. */
  readonly #openings: ReadonlyMap<string | undefined, readonly Step[]>
  readonly #formers = new Map<Answered, Former>()

  constructor(request: Json, messages: readonly Message[], history: History) {
    this.#request = request
    this.#history = history
    this.#told = tell(messages)
    this.#openings = findOpenings(this.#told.lead, history)
  }

  /** The thinking blocks of a message whose prefix has changed, with the change in words. */
  changedThinking(message: Message): ReadonlyMap<Block, string> {
    const changed = new Map<Block, string>()
    const kept = findSteps('assistant', message.blocks)
    const sameCounts = new Map<Former, number>()
    let stepsBefore = 0
    let isRestarted = false
    for (const block of message.blocks) {
      if (!isThinking(block)) stepsBefore += 1
      if (isRestart(block)) isRestarted = true
      const answered = this.#history.ofThinking(block)
      if (answered === undefined) continue
      const former = this.#former(answered)
      const change = isRestarted ? former.change : this.changeBefore(message, answered)
      if (change !== '') {
        changed.set(block, change)
        continue
      }
      const same = sameCounts.get(former) ?? sameStart(former.answer, kept)
      sameCounts.set(former, same)
      const isMoved = former.thinking.get(thinkingKey(block)) !== stepsBefore
      if (isMoved || stepsBefore > same) changed.set(block, 'the answer it belongs to')
    }
    return changed
  }

  /** Empty if nothing has changed, or if it is unknown. */
  changeBefore({ index }: Message, answered: Answered): string {
    const former = this.#former(answered)
    const opening = this.#openings.get(computeSignature(former.told.lead))
    if (former.change !== '' || opening === undefined) return former.change
    const end = this.#told.starts[index] ?? { step: 0, restart: undefined }
    const isSame =
      former.isSameTo.get(end.step) ?? isSameUpTo(end, this.#told, former.told, opening)
    former.isSameTo.set(end.step, isSame)
    return isSame ? '' : 'an earlier message'
  }

  #former(answered: Answered): Former {
    const known = this.#formers.get(answered)
    if (known !== undefined) return known
    const [now, then] = [readFields(this.#request), readFields(answered.request)]
    const former: Former = {
      told: tell(readMessages(answered.request)),
      change: !sameSystem(now.system, then.system)
        ? 'the system prompt'
        : sameTools(now.tools, then.tools)
          ? ''
          : 'the tools',
      isSameTo: new Map(),
      answer: findSteps('assistant', answered.blocks),
      thinking: thinkingPlaces(answered.blocks),
    }
    this.#formers.set(answered, former)
    return former
  }
}

function tell(messages: readonly Message[]): Conversation {
  const lead = leadingCompaction(messages)
  const steps: Step[] = []
  const starts: Start[] = []
  let restart: number | undefined
  for (const [index, { role, blocks }] of messages.entries()) {
    starts.push({ step: steps.length, restart })
    const own = index === 0 && lead !== undefined ? blocks.slice(1) : blocks
    for (const step of findSteps(role, own)) {
      if (isRestart(step)) restart = steps.length
      steps.push(step)
    }
  }
  starts.push({ step: steps.length, restart })
  return { lead, steps, starts }
}

/** The API's own compactions are unsigned; what precedes one no longer counts. */
export function isRestart({ fields }: Pick<Block, 'fields'>): boolean {
  return fields.type === 'compaction' && !readText(fields.signature)
}

/**
 * A signed compaction replaces the messages of its request, which may start with an older one: the
 * conversation can be compared from any of these.
 */
function findOpenings(
  lead: Block | undefined,
  history: History,
): ReadonlyMap<string | undefined, readonly Step[]> {
  const openings = new Map<string | undefined, readonly Step[]>()
  let opening: readonly Step[] = []
  let current = lead
  for (;;) {
    const signature = computeSignature(current)
    if (openings.has(signature)) return openings
    openings.set(signature, opening)
    const source = history.ofCompaction(signature)
    if (source === undefined) return openings
    const told = tell(readMessages(source.request))
    opening = [...told.steps, ...opening]
    current = told.lead
  }
}

/** Compares lengths first, so that an earlier request is walked for one message at most. */
function isSameUpTo(
  end: Start,
  told: Conversation,
  former: Conversation,
  opening: readonly Step[],
): boolean {
  const { restart } = former.starts.at(-1) ?? {}
  const formerSteps = former.steps.slice(restart ?? 0)
  const before = end.restart === undefined ? opening : []
  const count = before.length + end.step - (end.restart ?? 0)
  if ((restart === undefined) !== (end.restart === undefined)) return false
  if (count !== formerSteps.length) return false
  return sameSteps([...before, ...told.steps.slice(end.restart ?? 0, end.step)], formerSteps)
}

/** The length of the common start. */
function sameStart(some: readonly Step[], others: readonly Step[]): number {
  const index = some.findIndex((step, at) => !sameStep(step, others[at]))
  return index === -1 ? some.length : index
}

function thinkingPlaces(blocks: readonly Block[]): ReadonlyMap<string | undefined, number> {
  const places = new Map<string | undefined, number>()
  let steps = 0
  for (const block of blocks) {
    if (isThinking(block)) places.set(thinkingKey(block), steps)
    else steps += 1
  }
  return places
}

function computeSignature(compaction: Block | undefined): string | undefined {
  return compaction === undefined ? undefined : (readText(compaction.fields.signature) ?? '')
}
