// What must be true of a thread whose agents were killed: every event stays, every message comes once.
import { expect } from 'vitest'
import { inboxReducer } from '../../src/core/agent/inbox.ts'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import { textOfUserContent } from '../../src/core/view/content.ts'
import { reducedBy } from '../../src/core/view/thread-state.ts'
import type { DevModel, RecordedRequest } from '../../src/dev-model/index.ts'
import type { Host } from './host.ts'

export class FaultLog {
  readonly #host: Host
  readonly #threadId: string
  readonly #stop = new AbortController()
  readonly #followed: ThreadEvent[] = []
  readonly #following: Promise<void>
  readonly #lines: string[] = []
  readonly #looked = new WeakSet<RecordedRequest>()
  #ids: readonly string[] = []

  constructor(host: Host, threadId: string) {
    this.#host = host
    this.#threadId = threadId
    this.#following = this.#follow()
  }

  takeLines(lines: readonly string[]): void {
    this.#lines.push(...lines)
  }

  /** The number of a task that no process has used. */
  get nextTask(): number {
    return Math.max(0, ...this.#numbers('used')) + 1
  }

  async check(dev: DevModel): Promise<void> {
    for (const request of dev.requests.filter((each) => !this.#looked.has(each))) {
      this.#looked.add(request)
      expect(request.violations).toEqual([])
      expect(request.failure).toBeUndefined()
    }
    const events = await this.#events()
    const ids = events.map(({ id }) => id)
    expect(ids.slice(0, this.#ids.length), 'what was there is there').toEqual(this.#ids)
    this.#ids = ids
    expect(events.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1))
    for (const seq of this.#numbers('seq')) expect(seq).toBeLessThanOrEqual(events.length)
    await this.#checkMessages(events)
    const { problems } = await this.#host.threads.messages(this.#threadId)
    const isLoss = ({ code }: { code: string }) => /missing|orphan|duplicate/.test(code)
    expect(problems.filter(isLoss)).toEqual([])
  }

  /** Each message that a process spoke of is in the log once; one that waited may have been given back. */
  async #checkMessages(events: readonly ThreadEvent[]): Promise<void> {
    const said = numbersOf(events, 'USER_MESSAGE')
    expect(said.length, 'nothing is said twice').toBe(new Set(said).size)
    for (const number of this.#numbers('done')) expect(said, `task ${number}`).toContain(number)
    const inbox = reducedBy(await this.#host.threads.state(this.#threadId), inboxReducer)
    const waiting = new Set(inbox.map(({ messageId }) => messageId))
    const withdrawn = new Set(
      events.flatMap((event) => (event.type === 'MESSAGE_WITHDRAWN' ? [event.data.messageId] : [])),
    )
    for (const event of events) {
      if (event.type !== 'MESSAGE_QUEUED') continue
      const { messageId } = event.data
      const isSaid = events.some(({ id, type }) => id === messageId && type === 'USER_MESSAGE')
      const places = [isSaid, waiting.has(messageId), withdrawn.has(messageId)].filter(Boolean)
      expect(places, `message ${messageId} is in one place`).toHaveLength(1)
    }
    const queued = new Set(numbersOf(events, 'MESSAGE_QUEUED'))
    for (const number of this.#numbers('queued')) expect([...queued, ...said]).toContain(number)
  }

  /** After the last word nothing waits, and whoever followed saw each event once. */
  async checkEnd(): Promise<void> {
    const { version } = await this.#host.threads.context(this.#threadId)
    await expect.poll(() => this.#followed.length, { timeout: 30_000 }).toBe(version)
    expect(this.#followed.map(({ id }) => id)).toEqual((await this.#events()).map(({ id }) => id))
    const state = await this.#host.threads.state(this.#threadId)
    expect(reducedBy(state, inboxReducer)).toEqual([])
  }

  async report() {
    const events = await this.#events()
    const count = (type: ThreadEvent['type']) =>
      events.filter((event) => event.type === type).length
    return {
      events: events.length,
      compactions: count('COMPACTION'),
      queued: count('MESSAGE_QUEUED'),
      resumed: this.#lines.filter((line) => line === 'resumed').length,
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#following
  }

  #events(): Promise<ThreadEvent[]> {
    return this.#host.threads.getAllEvents(this.#threadId) as Promise<ThreadEvent[]>
  }

  #numbers(word: string): number[] {
    return this.#lines.flatMap((line) =>
      line.startsWith(`${word} `) ? [Number(line.slice(word.length + 1))] : [],
    )
  }

  async #follow(): Promise<void> {
    for await (const event of this.#host.threads.follow(this.#threadId, 0, this.#stop.signal))
      this.#followed.push(event)
  }
}

/** The tasks that events of a type speak of. */
function numbersOf(
  events: readonly ThreadEvent[],
  type: 'USER_MESSAGE' | 'MESSAGE_QUEUED',
): number[] {
  return events.flatMap((event) => {
    if (event.type !== type) return []
    const content = event.type === 'USER_MESSAGE' ? event.data : event.data.content
    const number = /^Task (\d+):/.exec(textOfUserContent(content ?? ''))?.[1]
    return number === undefined ? [] : [Number(number)]
  })
}
