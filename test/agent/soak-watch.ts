// Looks at everything a session leaves behind, turn by turn: its requests, its log, its compactions.
import { expect } from 'vitest'
import { readPinnedText } from '../../src/core/edit/pins.ts'
import { readNote } from '../../src/core/view/request-note.ts'
import type { Asked, RecordedRequest } from '../../src/dev-model/index.ts'
import { asksForSummary } from './coder.ts'
import type { AgentSetup } from './setup.ts'

/** How often things may happen that should be rare. */
export interface WatchLimits {
  readonly overflows: number // in all
  readonly runsOfTurn: number
}

/** A turn has at most four steps, a few compactions, and what they make it do twice. */
const MAX_REQUESTS_OF_TURN = 20
const LIMITS: WatchLimits = { overflows: 4, runsOfTurn: 6 }

export class Watch {
  readonly #setup: AgentSetup
  readonly #windowTokens: number
  readonly #limits: WatchLimits
  #threadId: string
  #current: string | undefined
  #isAnswered = false
  readonly #seen = new WeakSet<RecordedRequest>()
  readonly #constraints: string[] = []
  #ids: readonly string[] = []
  #frames = 0
  #requests = 0
  #overflows = 0
  #largestTokens = 0
  #mostOfTurn = 0

  constructor(setup: AgentSetup, windowTokens: number, limits: WatchLimits = LIMITS) {
    this.#setup = setup
    this.#windowTokens = windowTokens
    this.#limits = limits
    this.#threadId = setup.threadId
  }

  get constraints(): number {
    return this.#constraints.length
  }

  get requests(): number {
    return this.#requests
  }

  /** The most tokens that a request took of the window, the room for its answer included. */
  get largestTokens(): number {
    return this.#largestTokens
  }

  get overflows(): number {
    return this.#overflows
  }

  /** The most compactions that a turn has started, without calls of the agent that were refused. */
  get mostOfTurn(): number {
    return this.#mostOfTurn
  }

  /** The request that the user has made last: every request of the conversation must hold it, once. */
  setCurrent(text: string): void {
    this.#current = text
    this.#isAnswered = false
  }

  /** The turn of that request has come to its end: from now on a note may name it as answered. */
  setAnswered(): void {
    this.#isAnswered = true
  }

  /** The conversation goes on in a new thread. */
  moveTo(threadId: string): void {
    this.#threadId = threadId
    this.#ids = []
  }

  /** A text that every request of the conversation must hold from now on. */
  plant(text: string): void {
    this.#constraints.push(text)
  }

  async afterTurn(): Promise<void> {
    // One for a compaction in the background may not have come to its end.
    const requests = this.#setup.dev.requests.filter(
      (request) => !this.#seen.has(request) && request.outcome !== 'open',
    )
    for (const request of requests) {
      this.#seen.add(request)
      this.#checkRequest(request)
    }
    this.#requests += requests.length
    expect(requests.length, 'requests of a turn').toBeLessThanOrEqual(MAX_REQUESTS_OF_TURN)
    this.#checkFrames()
    await this.#checkLog()
  }

  #checkRequest({
    violations,
    status,
    outcome,
    failure,
    usage,
    body,
    asked,
  }: RecordedRequest): void {
    expect(violations).toEqual([])
    // Only that a request is too long may be said of it, and seldom: the turn goes on all the same.
    if (status === 400 && outcome === 'refused') {
      this.#overflows += 1
      expect(this.#overflows, 'requests that were too long').toBeLessThanOrEqual(
        this.#limits.overflows,
      )
      return
    }
    expect({ status, outcome, failure }).toEqual({ status: 200, outcome: 'answered' })
    const { max_tokens = 0 } = body as { max_tokens?: number }
    const tokens = (usage?.inputTokens ?? Number.NaN) + max_tokens
    expect(tokens).toBeLessThanOrEqual(this.#windowTokens)
    this.#largestTokens = Math.max(this.#largestTokens, tokens)
    if (!asked || asksForSummary(asked)) return // what a summary drops, the pins bring back
    const texts = asked.turns.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'call' ? [] : [part.text])),
    )
    for (const constraint of this.#constraints)
      expect(
        texts.some((text) => text.includes(constraint)),
        constraint,
      ).toBe(true)
    const current = this.#current
    if (current === undefined) return
    const said = userTexts(asked)
    const all = said.join('\n────\n')
    // A sentence of it that binds is pinned as well, for the time after it.
    const requests = said
      .filter((text) => !readPinnedText(text))
      .map((text) => (this.#isAnswered ? withoutAnswered(text) : text))
      .join('\n')
    expect(requests.split(current).length - 1, `times of «${current}» in\n${all}`).toBe(1)
    expect(repeatedLines(said), `lines that are said twice in\n${all}`).toEqual([])
  }

  #checkFrames(): void {
    const frames = this.#setup.frames.slice(this.#frames)
    this.#frames = this.#setup.frames.length
    // What the agent called for and was refused compacted nothing.
    const refused = frames.filter(
      (frame) => frame.type === 'COMPACTION_COMPLETE' && frame.trigger === 'tool' && !frame.success,
    )
    const runs = frames.filter(({ type }) => type === 'COMPACTION_START').length - refused.length
    this.#mostOfTurn = Math.max(this.#mostOfTurn, runs)
    expect(runs, 'compactions of a turn').toBeLessThanOrEqual(this.#limits.runsOfTurn)
  }

  /** What was in the log is there still, in the same order. */
  async #checkLog(): Promise<void> {
    const { threads } = this.#setup
    const events = await threads.getAllEvents(this.#threadId)
    const ids = events.map(({ id }) => id)
    expect(ids.slice(0, this.#ids.length)).toEqual(this.#ids)
    expect(events.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1))
    this.#ids = ids
    const { problems } = await threads.messages(this.#threadId)
    expect(problems).toEqual([])
  }
}

/** A note names the request up to which all are answered, by its words (ALWAYS-23). */
function withoutAnswered(text: string): string {
  const { answered } = readNote(text)
  return answered?.text === undefined ? text : text.replace(`“${answered.text}”`, '')
}

const LONG_LINE = 40

/** What stands on the user's side of a request, but for how full the window is, level by level. */
function userTexts({ turns }: Asked): string[] {
  return turns
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .filter((text) => !text.startsWith('<system-reminder>'))
}

/** Each note has its headings; all other lines are said once. */
function repeatedLines(texts: readonly string[]): string[] {
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.length >= LONG_LINE && !line.endsWith(':'))
  return lines.filter((line, at) => lines.indexOf(line) < at)
}
