// Counts a strategy's spending on models, request by request, whether or not it succeeds.
import { STRATEGIES_WITH_MODEL } from '../core/edit/strategy.ts'
import type { ModelPort } from '../core/ports.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { sumUsage, usageIn, withBill } from '../core/window/usage.ts'
import type { Tab } from './run-tab.ts'

/** Rungs of a cascade may ask a model; only their requests show the cost. */
export const METERED: ReadonlySet<string> = new Set([...STRATEGIES_WITH_MODEL, 'cascade'])

/** Without a tab it only counts, and records nothing. */
export class Meter {
  readonly #tab: Tab | undefined
  #spent: TokenUsage | undefined

  constructor(tab?: Tab) {
    this.#tab = tab
  }

  /** Runs the strategy on a metered model; the cost is in the result or the error. */
  async run<Made extends { readonly usage?: TokenUsage }>(
    port: ModelPort | undefined,
    strategy: (port: ModelPort | undefined) => Promise<Made>,
  ): Promise<Made> {
    const left = this.#tab?.take()
    try {
      const made = await strategy(port && this.#counted(port))
      const usage = await this.#billed(left, made.usage)
      return usage ? { ...made, usage } : made
    } catch (thrown) {
      const usage = await this.#billed(left, usageIn(thrown))
      throw usage ? withBill(thrown, usage) : thrown
    }
  }

  #counted(port: ModelPort): ModelPort {
    const { converse, limitsOf } = port
    return {
      ask: (request) => this.#count(port.ask(request)),
      ...(limitsOf && { limitsOf: limitsOf.bind(port) }),
      ...(converse && { converse: (request) => this.#count(converse.call(port, request)) }),
    }
  }

  /** Use `told` if the strategy did not use the given model. */
  async #billed(
    left: TokenUsage | undefined,
    told: TokenUsage | undefined,
  ): Promise<TokenUsage | undefined> {
    if (!this.#spent) await this.#add(told)
    return this.#spent ? sumUsage(left, this.#spent) : left
  }

  async #count<Answer extends { readonly usage?: TokenUsage }>(
    asked: Promise<Answer>,
  ): Promise<Answer> {
    const answer = await asked.catch(async (thrown: unknown) => {
      await this.#add(usageIn(thrown))
      throw thrown
    })
    await this.#add(answer.usage)
    return answer
  }

  async #add(usage: TokenUsage | undefined): Promise<void> {
    if (!usage) return
    this.#spent = sumUsage(this.#spent, usage)
    await this.#tab?.add(usage)
  }
}
