// A request for a summary leaves room for the answer: input and output together fit the window.
import { expect, it } from 'vitest'
import { setUpAgent } from '../agent/setup.ts'
import { plantedDrafts } from './doors.ts'

it.each([
  'summarize',
  'whole-summary',
  'ai-summarize',
  'keep-recent',
  'fresh-session',
  'chunked-fold',
])('%s asks for no more output than the window has left', async (strategy) => {
  for (const windowTokens of [12_000, 30_000]) {
    const { agent, dev, threads, threadId } = await setUpAgent({
      windowTokens,
      outputTokens: 16_384,
    })
    await threads.import(threadId, plantedDrafts(0.9 * windowTokens).drafts)
    const result = await agent.compact(threadId, { strategy })
    expect(result, strategy).toMatchObject({ success: true, strategy })
    expect(dev.requests, strategy).not.toHaveLength(0)
    for (const { body, usage, outcome: ended } of dev.requests) {
      expect(ended, strategy).toBe('answered')
      const { max_tokens: most } = body as { max_tokens: number }
      const input = usage?.inputTokens ?? 0
      expect(input, strategy).toBeGreaterThan(0)
      expect(input + most, strategy).toBeLessThanOrEqual(windowTokens)
    }
    await agent.close()
  }
})
