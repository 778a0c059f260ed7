// One answer of a model with its cost, even if it broke off.
import {
  type CollectedAnswer,
  collectAnswer,
  type ModelFrame,
  type ModelRequest,
  type Provider,
} from './model.ts'
import type { ModelRef, TokenUsage } from './view/content.ts'
import { estimateTokens } from './window/tokens/estimate.ts'
import { sumUsage, withUsage } from './window/usage.ts'

/**
 * The cost of one request over all attempts. A broken attempt counts with the figures the API reported at its
 * start, plus the received output; without figures both are estimated.
 */
export class Spending {
  readonly #model: ModelRef
  readonly #request: ModelRequest
  #before: TokenUsage | undefined // attempts that broke off and were repeated
  #begun: TokenUsage | undefined
  #heard = ''

  constructor(model: ModelRef, request: ModelRequest) {
    this.#model = model
    this.#request = request
  }

  /** For the request: called when an attempt begins. */
  readonly onBegin = (usage: TokenUsage): void => {
    this.#before = this.brokenOff()
    this.#begun = { ...usage, model: this.#model }
    this.#heard = ''
  }

  hear(frame: ModelFrame): void {
    if (frame.type === 'text-delta' || frame.type === 'thinking-delta') this.#heard += frame.text
    if (frame.type === 'call') this.#heard += `${frame.name} ${JSON.stringify(frame.arguments)}`
    if (frame.type === 'broken-call') this.#heard += frame.text
  }

  /** Attempts before the completed one. */
  get before(): TokenUsage | undefined {
    return this.#before
  }

  /** All attempts, if none completed. */
  brokenOff(): TokenUsage | undefined {
    const last = this.#last()
    return last ? sumUsage(this.#before, last) : this.#before
  }

  #last(): TokenUsage | undefined {
    const heardTokens = this.#heard === '' ? 0 : estimateTokens(this.#heard)
    if (!this.#begun && heardTokens === 0) return undefined
    const { promptTokens = estimatePrompt(this.#request), ...begun } = this.#begun ?? {}
    const completionTokens = Math.max(this.#begun?.completionTokens ?? 0, heardTokens)
    const totalTokens = promptTokens + completionTokens
    return { ...begun, model: this.#model, promptTokens, completionTokens, totalTokens }
  }
}

/** Without images, whose data is not text. */
function estimatePrompt({ system, messages, tools }: ModelRequest): number {
  const withoutData = (key: string, value: unknown) => (key === 'data' ? undefined : value)
  return estimateTokens(JSON.stringify([system, messages, tools], withoutData))
}

/**
 * One answer of a provider with its cost: includes broken and repeated attempts, and errors carry what was
 * spent.
 */
export async function billedAnswer(
  model: ModelRef,
  provider: Pick<Provider, 'stream'>,
  request: ModelRequest,
): Promise<CollectedAnswer & { readonly usage?: TokenUsage }> {
  const spending = new Spending(model, request)
  try {
    const frames = provider.stream({ ...request, onBegin: spending.onBegin })
    const collected = await collectAnswer(model, heard(frames, spending))
    const { tokenUsage } = collected.answer
    const usage = tokenUsage
      ? sumUsage(spending.before, { ...tokenUsage, model })
      : spending.brokenOff()
    return { ...collected, ...(usage && { usage }) }
  } catch (thrown) {
    throw withUsage(thrown, spending.brokenOff())
  }
}

async function* heard(
  frames: AsyncIterable<ModelFrame>,
  spending: Spending,
): AsyncGenerator<ModelFrame> {
  for await (const frame of frames) {
    spending.hear(frame)
    yield frame
  }
}
