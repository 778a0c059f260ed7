// Folds that scale: eighty chunks in a small file, with a model that makes room, and with one that does not.
import { describe, expect, it } from 'vitest'
import type { ConverseRequest } from '../../core/ports.ts'
import { foldChunks } from './chunks.ts'

const CHUNKS = 80
const MAX_CHARS = 4_000
const chunks = Array.from(
  { length: CHUNKS },
  (_, at) => `# user:\n\nDecision ${at + 1}: the service is called kestrel-${4_000 + at}.\n\n`,
)

function textIn({ messages }: Pick<ConverseRequest, 'messages'>): string[] {
  return messages.flatMap(({ parts }) =>
    parts.map((part) => {
      if (part.type === 'text') return part.text
      return part.type === 'tool_result' ? (part.content[0]?.text ?? '') : ''
    }),
  )
}

/** One line of about 130 characters for each decision; `makeRoom` is what it does when asked for that. */
async function fold(
  makeRoom: (summary: string) => string | undefined,
  writesUpTo = Number.POSITIVE_INFINITY,
) {
  const warnings: string[] = []
  const prompts: string[] = []
  const answerTo = (request: ConverseRequest) => {
    const [prompt = '', , read] = textIn(request)
    const [decision] = /Decision \d+: the service is called kestrel-\d+/.exec(prompt) ?? []
    const isRoom = prompt.startsWith('There is no chunk')
    if (isRoom && read === undefined) return ['get_file', { path: '/summary.md' }] as const
    const text = isRoom
      ? makeRoom(read ?? '')
      : `- ${decision}, ${'as they said at length '.repeat(3)}`
    if (prompts.length > writesUpTo) return undefined
    const isDone = request.messages.length > (isRoom ? 3 : 1)
    if (isDone || text === undefined) return undefined
    const how = isRoom ? 'select bof-eof\nreplace' : 'insert_after'
    return [
      'edl',
      { script: `file /summary.md\n${how} <<END_OF_TEXT\n${text}\nEND_OF_TEXT` },
    ] as const
  }
  const folded = await foldChunks({
    plan: { chunks, maxSummaryChars: MAX_CHARS, maxOutputTokens: 1_000 },
    run: { threadId: 'thr', onWarning: (message) => warnings.push(message) },
    request: {},
    onUsage: () => undefined,
    converse: async (request) => {
      if (request.messages.length === 1) prompts.push(textIn(request)[0] ?? '')
      const call = answerTo(request)
      const calls = call ? [{ id: '1', name: call[0], arguments: call[1] }] : []
      const parts = calls.map((each) => ({ type: 'tool_call' as const, ...each }))
      return { message: { role: 'assistant', parts }, calls, stopReason: 'end' }
    },
  })
  return { ...folded, warnings, prompts }
}

const has = (summary: string, at: number) => summary.includes(`kestrel-${4_000 + at}`)

describe('eighty chunks', () => {
  it('of which the model says nothing any more: the third and the fourth are asked for twice, none behind them', async () => {
    const folded = await fold(() => undefined, 2)
    expect(folded).toMatchObject({ chunks: CHUNKS, unchangedChunks: [3, 4], leftChunks: 76 })
    expect(folded.prompts).toHaveLength(2 + 2 * 2)
    expect(has(folded.summary, 1)).toBe(true)
  })

  it('leave all facts where the model makes room when it is asked to', async () => {
    const short = (summary: string) => summary.replaceAll(/, (?:as they said at length ?)+/g, '')
    const { summary, unchangedChunks, prompts } = await fold((text) =>
      short(text).replaceAll('the service is called ', ''),
    )
    expect(unchangedChunks).toEqual([])
    expect(chunks.filter((_, at) => !has(summary, at))).toEqual([])
    expect(summary.length).toBeLessThanOrEqual(MAX_CHARS)
    // Making room is a pass of its own, by a fresh agent (C28).
    expect(
      prompts.filter((prompt) => prompt.startsWith('There is no chunk')).length,
    ).toBeGreaterThan(0)
    expect(prompts[0]).toMatch(/Add about \d+ characters at most for this chunk/)
  })

  it.each([
    ['does nothing', () => undefined],
    ['throws it all away', () => 'All is well.'],
  ])('keep the oldest and the newest where it %s', async (_, makeRoom) => {
    const { summary, unchangedChunks } = await fold(makeRoom)
    expect(unchangedChunks).toEqual([])
    const at = (first: number) => [0, 1, 2].map((more) => has(summary, first + more))
    expect([at(0), at(CHUNKS - 3)]).toEqual([
      [true, true, true],
      [true, true, true],
    ])
  })
})
