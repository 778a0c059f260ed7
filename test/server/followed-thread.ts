// A thread with several followers: what each of them got, how late, and how far the conversation is.
import type { ThreadEvent } from '../../src/core/log/event.ts'
import type { Client } from '../../src/protocol/client.ts'

export class FollowedThread {
  readonly threadId: string
  readonly received: readonly string[][]
  /** Of events that were stored while their follower was connected. */
  readonly deliveries: { readonly storedMs: number; readonly delayMs: number }[] = []
  readonly heard = new Set<string>()
  readonly #answered = new Set<string>()
  #asked: string | undefined
  lastSeq = 0

  constructor(client: Client, threadId: string, followers: number, signal: AbortSignal) {
    this.threadId = threadId
    this.received = Array.from({ length: followers }, () => [])
    for (const ids of this.received) void this.#follow(client, ids, signal)
  }

  counts(): readonly number[] {
    return this.received.map((ids) => ids.length)
  }

  isAnswered(text: string): boolean {
    return this.#answered.has(text)
  }

  async #follow(client: Client, ids: string[], signal: AbortSignal): Promise<void> {
    let connectedMs = Number.POSITIVE_INFINITY
    const onConnected = () => {
      connectedMs = Date.now()
    }
    for await (const item of client.follow(this.threadId, 0, signal, onConnected)) {
      if (item.kind === 'waiting') connectedMs = Number.POSITIVE_INFINITY
      if (item.kind !== 'event') continue
      ids.push(item.event.id)
      const storedMs = item.event.timestamp.getTime()
      if (storedMs >= connectedMs)
        this.deliveries.push({ storedMs, delayMs: Date.now() - storedMs })
      if (item.event.seq > this.lastSeq) this.#take(item.event)
    }
  }

  /** Each event once, whichever follower has it first. */
  #take(event: ThreadEvent): void {
    this.lastSeq = event.seq
    if (event.type === 'USER_MESSAGE') {
      this.#asked = String(event.data)
      this.heard.add(this.#asked)
    }
    if (event.type === 'MESSAGE_QUEUED') this.heard.add(String(event.data.content))
    const isEnd = event.type === 'AGENT_MESSAGE' && event.data.stopReason === 'end'
    if (isEnd && this.#asked !== undefined) this.#answered.add(this.#asked)
  }
}
