// One answer of a model with what it cost, also where it came to no end.
import { type CollectedAnswer, collectAnswer, type ModelRequest, type Provider } from './model.ts'
import type { ModelRef, TokenUsage } from './view/content.ts'
import { sumUsage, withUsage } from './window/usage.ts'

/**
 * One answer of a provider, with what it cost: answers that broke off and were asked for again are on the bill, and an error
 * says what was spent until then.
 */
export async function billedAnswer(
  model: ModelRef,
  provider: Pick<Provider, 'stream'>,
  request: ModelRequest,
): Promise<CollectedAnswer & { readonly usage?: TokenUsage }> {
  let before: TokenUsage | undefined
  let begun: TokenUsage | undefined
  const spent = (last: TokenUsage | undefined) => (last ? sumUsage(before, last) : before)
  const onBegin = (usage: TokenUsage) => {
    before = spent(begun)
    begun = { ...usage, model }
  }
  try {
    const collected = await collectAnswer(model, provider.stream({ ...request, onBegin }))
    const { tokenUsage } = collected.answer
    const usage = spent(tokenUsage ? { ...tokenUsage, model } : begun)
    return { ...collected, ...(usage && { usage }) }
  } catch (thrown) {
    throw withUsage(thrown, spent(begun))
  }
}
