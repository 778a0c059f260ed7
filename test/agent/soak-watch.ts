// Looks at everything a session leaves behind, turn by turn: its requests, its log, its compactions.
import { expect } from 'vitest'
import type { RecordedRequest } from '../../src/dev-model/index.ts'
import { asksForSummary } from './coder.ts'
import type { AgentSetup } from './setup.ts'

/** A turn has at most four steps, a few compactions, and what they make it do twice. */
const MAX_OVERFLOWS = 4
const MAX_REQUESTS_OF_TURN = 20
const MAX_RUNS_OF_TURN = 6

export class Watch {
  readonly #setup: AgentSetup
  readonly #windowTokens: number
  readonly #seen = new WeakSet<RecordedRequest>()
  readonly #constraints: string[] = []
  #ids: readonly string[] = []
  #frames = 0
  #requests = 0
  #overflows = 0
  #largestTokens = 0

  constructor(setup: AgentSetup, windowTokens: number) {
    this.#setup = setup
    this.#windowTokens = windowTokens
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
      expect(this.#overflows, 'requests that were too long').toBeLessThanOrEqual(MAX_OVERFLOWS)
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
  }

  #checkFrames(): void {
    const frames = this.#setup.frames.slice(this.#frames)
    this.#frames = this.#setup.frames.length
    const runs = frames.filter(({ type }) => type === 'COMPACTION_START').length
    expect(runs, 'compactions of a turn').toBeLessThanOrEqual(MAX_RUNS_OF_TURN)
  }

  /** What was in the log is there still, in the same order. */
  async #checkLog(): Promise<void> {
    const events = await this.#setup.events()
    const ids = events.map(({ id }) => id)
    expect(ids.slice(0, this.#ids.length)).toEqual(this.#ids)
    expect(events.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1))
    this.#ids = ids
    const { threads, threadId } = this.#setup
    const { problems } = await threads.messages(threadId)
    expect(problems).toEqual([])
  }
}
