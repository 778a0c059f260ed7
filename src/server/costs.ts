// What a thread has cost: every request by the price of its own model, counted on from where it was left.
import { readRow } from '../core/codec.ts'
import type { TokenUsage } from '../core/content.ts'
import type { ThreadEvent } from '../core/event.ts'
import type { Store } from '../core/ports.ts'
import type { AppModels, PricedModel } from './ports.ts'

interface Counted {
  readonly seq: number
  readonly lastId: string // of the event at `seq`: another thread may have its name by now
  readonly model?: string // the latest that was spoken of
  readonly usd?: number // unknown until something had a price
}

const PAGE_ROWS = 2_000
const MOST_THREADS = 500

export class Costs {
  readonly #store: Pick<Store, 'read'>
  readonly #models: AppModels
  readonly #counted = new Map<string, Counted>()

  constructor(store: Pick<Store, 'read'>, models: AppModels) {
    this.#store = store
    this.#models = models
  }

  /** In dollars; undefined where no price is known. */
  async of(threadId: string): Promise<number | undefined> {
    let counted: Counted = this.#counted.get(threadId) ?? { seq: 0, lastId: '' }
    const prices = new Map<string, Promise<PricedModel | undefined>>()
    for (;;) {
      // The last one that was counted comes along, to see that it is still the same thread.
      const from = Math.max(1, counted.seq)
      const events = (await this.#store.read(threadId, { from, limit: PAGE_ROWS })).map(readRow)
      if (counted.seq > 0 && events[0]?.id !== counted.lastId) {
        counted = { seq: 0, lastId: '' }
        if (events.length === 0) break
        continue
      }
      const news = counted.seq > 0 ? events.slice(1) : events
      for (const event of news) counted = await this.#add(counted, event, prices)
      if (events.length < PAGE_ROWS) break
    }
    this.#keep(threadId, counted)
    return counted.usd
  }

  async #add(
    counted: Counted,
    event: ThreadEvent,
    prices: Map<string, Promise<PricedModel | undefined>>,
  ): Promise<Counted> {
    const { seq, id: lastId } = event
    const model = modelOf(event) ?? counted.model
    const next = { ...counted, seq, lastId, ...(model !== undefined && { model }) }
    const usage = usageOf(event)
    if (!usage) return next
    const name = model ?? ''
    const price = prices.get(name) ?? this.#models.resolve(model).catch(() => undefined)
    prices.set(name, price)
    const usd = (await price)?.costOf(usage)
    return usd === undefined ? next : { ...next, usd: (counted.usd ?? 0) + usd }
  }

  #keep(threadId: string, counted: Counted): void {
    this.#counted.delete(threadId)
    this.#counted.set(threadId, counted)
    const [oldest] = this.#counted.keys()
    if (this.#counted.size > MOST_THREADS && oldest !== undefined) this.#counted.delete(oldest)
  }
}

function modelOf(event: ThreadEvent): string | undefined {
  return event.type === 'MODEL_CHANGED' || event.type === 'AGENT_MESSAGE'
    ? event.data.model
    : undefined
}

function usageOf(event: ThreadEvent): TokenUsage | undefined {
  switch (event.type) {
    case 'AGENT_MESSAGE':
    case 'TOOL_RESULT':
      return event.data.tokenUsage
    case 'COMPACTION':
    case 'COMPACTION_FAILED':
      return event.data.usage
    default:
      return undefined
  }
}
