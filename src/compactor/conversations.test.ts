// A compactor among things that move: cache marks, several conversations, listeners that throw, pages of a text
import { describe, expect, it } from 'vitest'
import { countMarks } from '../messages/cache-marks.ts'
import type { AnyMessage } from '../messages/dialect.ts'
import { compact } from './compact.ts'
import { createCompactor } from './compactor.ts'

type Message = { role: string; content: unknown }
type Block = Record<string, unknown>

const MARK = { cache_control: { type: 'ephemeral' } }

function step(at: number): Message[] {
  const content = Array.from({ length: 40 }, (_, line) => `line ${line} of file ${at}`).join('\n')
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id: `t${at}`, name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${at}`, content }] },
  ]
}

function loop(steps: number): Message[] {
  const asked = { role: 'user', content: [{ type: 'text', text: 'Repair all files.' }] }
  return [asked, ...Array.from({ length: steps }, (_, at) => step(at)).flat()]
}

/** Marks on the last two messages of the user alone, as clients set them. */
function marked(messages: readonly Message[], isInPlace = false): Message[] {
  const users = messages.filter(({ role }) => role === 'user').slice(-2)
  return messages.map((message) => {
    if (!Array.isArray(message.content)) return message
    const blocks = message.content as Block[]
    if (isInPlace) {
      for (const block of blocks) delete block.cache_control
      if (users.includes(message)) Object.assign(blocks.at(-1) ?? {}, MARK)
      return message
    }
    const plain = blocks.map(({ cache_control: _, ...block }) => block)
    if (users.includes(message)) Object.assign(plain.at(-1) ?? {}, MARK)
    return { ...message, content: plain }
  })
}

function marksIn(messages: readonly object[]): number {
  return messages.reduce((sum, message) => sum + countMarks(message as AnyMessage), 0)
}

describe('cache marks', () => {
  it.each(['trim-tool-results', 'mask', 'cascade'])(
    'are never more than the caller set, with %s',
    async (strategy) => {
      for (const way of ['whole', 'in place', 'own output']) {
        const compactor = createCompactor<Message>({ windowTokens: 6_000, strategy })
        const history = loop(0)
        let own = loop(0)
        let compactions = 0
        for (let at = 0; at < 50; at += 1) {
          const added = step(at)
          history.push(...added)
          own = [...own, ...added]
          const given = marked(way === 'own output' ? own : history, way === 'in place')
          const fitted = await compactor.fit(given).catch(() => undefined)
          if (!fitted) break // nothing more can be trimmed
          if (fitted.report) compactions += 1
          expect(marksIn(fitted.messages), `${way}, step ${at}`).toBeLessThanOrEqual(2)
          own = fitted.messages
        }
        expect(compactions, way).toBeGreaterThan(0)
      }
    },
  )

  it('of an earlier request do not come back with what is undone', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 6_000 })
    const { messages } = await compactor.fit(marked(loop(30)))
    await compactor.fit(marked([...messages, ...step(30)]))
    expect(marksIn(compactor.undo())).toBeLessThanOrEqual(2)
  })

  it('are not looked for in the arguments of a call', () => {
    const call = { type: 'tool_use', id: 'a', name: 'set', input: MARK }
    expect(countMarks({ role: 'assistant', content: [call, { type: 'text', ...MARK }] })).toBe(1)
  })
})

describe('several conversations', () => {
  const told = (name: string, secret: string): Message[] => [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi!' },
    { role: 'assistant', content: `Hi ${name}!` },
    { role: 'user', content: `My password is ${secret}.` },
  ]

  it('are not read, undone or pinned for one another', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 9_000 })
    await compactor.fit(told('Bob', 'zebra'))
    expect(compactor.recall('password')).toContain('zebra')
    await compactor.fit(told('Alice', 'lemon'))
    const refusal = 'The compactor has seen 2 conversations'
    expect(() => compactor.recall('password')).toThrow(refusal)
    expect(() => compactor.undo()).toThrow(refusal)
    expect(() => compactor.redo()).toThrow(refusal)
    expect(() => compactor.pin('Never.')).toThrow(refusal)
  })

  it('are one where a history was edited after an answer', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 9_000 })
    await compactor.fit(told('Bob', 'zebra'))
    await compactor.fit(told('Bob', 'lemon'))
    expect(compactor.recall('password')).toContain('lemon')
    expect(compactor.recall('zebra')).toBe('Nothing was found.')
  })
})

describe('listeners', () => {
  it('that throw leave the compaction as it is, and the other listeners', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 6_000 })
    const heard: string[] = []
    compactor.on('compaction', () => {
      throw new Error('mine')
    })
    compactor.on('compaction', () => heard.push('compaction'))
    compactor.on('failed', () => heard.push('failed'))
    const { report, changed } = await compactor.fit(loop(60))
    expect(report).toBeDefined()
    expect(changed).toBe(true)
    expect(heard).toEqual(['compaction'])
  })
})

describe('the pages of a ref', () => {
  it('break no character, and are the whole text together', async () => {
    const text = '👍🏽a𝒳é'.repeat(20)
    const compactor = createCompactor<Message>({ windowTokens: 9_000 })
    await compactor.fit([{ role: 'user', content: text }])
    for (const limit of [1, 2, 3, 7]) {
      let offset: number | undefined = 0
      let read = ''
      while (offset !== undefined) {
        const page = compactor.recall('e1', { offset, limit })
        expect(page.isWellFormed(), `limit ${limit}, offset ${offset}`).toBe(true)
        const next: RegExpExecArray | null = /\n\[Continues at offset (\d+)\.\]$/.exec(page)
        read += next ? page.slice(0, next.index) : page
        offset = next ? Number(next[1]) : undefined
      }
      expect(read).toBe(text)
    }
    expect(compactor.recall('e1', { offset: 1 }).isWellFormed()).toBe(true)
  })
})

describe('a summary in the place of the first messages', () => {
  const model = async () => '<summary>The files were read.</summary>\n'.repeat(3)

  it.each(['ai-summarize', 'whole-summary', 'summarize', 'chunked-fold', 'fresh-session'])(
    'is the user’s, with %s',
    async (strategy) => {
      const { messages } = await compact(loop(40), { budget: 4_000, strategy, model }).catch(
        () => ({
          messages: [{ role: 'user' }],
        }),
      )
      expect(messages[0]?.role).toBe('user')
    },
  )
})
