// A record of any length is told in parts: all of them, in order, each with the summary so far.
import { describe, expect, it } from 'vitest'
import type { AskRequest, ModelPort } from '../../core/ports.ts'
import { askApart } from './ask-apart.ts'

const PARTS = 300
const PIECES = Array.from(
  { length: PARTS },
  (_, at) => `[User]: MARK-${at}. ${'word '.repeat(250)}`,
)

function transcript() {
  const boundaries: number[] = []
  let text = ''
  for (const piece of PIECES) {
    boundaries.push(text.length)
    text += `${piece}\n\n`
  }
  return { text, boundaries }
}

/** Keeps every mark that it was told of. */
function dutiful(windowTokens: number): ModelPort & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    limitsOf: async () => ({ windowTokens }),
    async ask({ messages }: AskRequest) {
      const [part] = messages[0]?.parts ?? []
      const text = part?.type === 'text' ? part.text : ''
      asked.push(text)
      return { text: `So far: ${text.match(/MARK-\d+/g)?.length ?? 0}`, stopReason: 'end' }
    },
  }
}

async function tell(windowTokens: number) {
  const provider = dutiful(windowTokens)
  const warnings: string[] = []
  const progress: number[] = []
  await askApart({
    provider,
    run: {
      threadId: 'thr_1',
      onWarning: (message) => warnings.push(message),
      onProgress: ({ done }) => progress.push(done),
    },
    conversation: undefined,
    transcript: transcript(),
    prompt: 'Summarise it.',
  })
  return { asked: provider.asked, warnings, progress }
}

describe('askApart', () => {
  it('leaves nothing out, however many parts there are, and says how many [ALWAYS-12]', async () => {
    const { asked, warnings, progress } = await tell(3_000)
    expect(asked.length).toBeGreaterThan(64)
    const told = asked.flatMap((text) => text.match(/MARK-\d+/g) ?? [])
    expect(told).toEqual(PIECES.map((_, at) => `MARK-${at}`))
    expect(asked.slice(1).every((text) => text.startsWith('<previous-summary>\nSo far:'))).toBe(
      true,
    )
    expect(warnings).toEqual([
      `The conversation is summarised in ${asked.length} parts, one request each.`,
    ])
    expect(progress).toEqual(asked.map((_, at) => at))
  })

  it('stops where a part is answered by an excuse: what came before it would be lost [ALWAYS-02, NEED-14]', async () => {
    let asked = 0
    const usage = { promptTokens: 10, completionTokens: 2, totalTokens: 12 }
    const provider: ModelPort = {
      limitsOf: async () => ({ windowTokens: 30_000 }),
      async ask() {
        asked += 1
        const text = asked === 2 ? "I'm sorry, but I can't help with that." : 'So far so good.'
        return { text, stopReason: 'end', usage }
      },
    }
    const run = { threadId: 'thr_1' }
    const request = { provider, run, conversation: undefined, prompt: 'Summarise it.' }
    await expect(askApart({ ...request, transcript: transcript() })).rejects.toMatchObject({
      code: 'model-failed',
      details: { ending: 'refused', usage: { totalTokens: 24 } },
    })
    expect(asked).toBe(2)
  })

  it('says nothing of a few', async () => {
    const { asked, warnings } = await tell(60_000)
    expect(asked.length).toBeLessThan(10)
    expect(warnings).toEqual([])
  })
})
