// What is left of an older tool result, and which ones stay whole.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../test/generate/test-log.ts'
import { answer, result, user } from '../../test/say.ts'
import type { Block, ToolStatus } from '../core/view/content.ts'
import { weightOf } from '../core/view/context.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { mask, WHOLE_ROUNDS } from './mask.ts'

interface Shown {
  readonly text: string
  readonly status?: ToolStatus
  readonly blocks?: readonly Block[]
}

function buildLog(results: readonly Shown[]): TestLog {
  const log = new TestLog()
  log.append([user('Look at it.')])
  results.forEach(({ text, status = 'completed', blocks = [] }, at) => {
    const id = `call_${at}`
    log.append([
      { type: 'AGENT_MESSAGE', data: { content: '', calls: [id] } },
      {
        type: 'TOOL_CALL',
        data: { id, name: 'bash', arguments: { command: `npm run part${at}` }, answer: 0 },
      },
      {
        type: 'TOOL_RESULT',
        data: { id, content: [{ type: 'text', text }, ...blocks], status },
      },
    ])
  })
  return log
}

async function masked(log: TestLog, targetTokens?: number): Promise<string[]> {
  const { context, eventAt } = log
  const run = { threadId: log.threadId }
  const target = targetTokens === undefined ? {} : { targetTokens }
  const proposal = await mask.propose({ context, eventAt, run, trigger: 'auto', ...target })
  if (proposal.edits.length > 0) expect(log.compact(proposal, 'auto')).toBe(undefined)
  return log.context.items.toArray().flatMap(({ id }) => {
    const content = contentOf(id, log.eventAt)
    return content?.kind === 'result'
      ? [content.result.content.map(({ text }) => text).join('|')]
      : []
  })
}

const long = (name: string) =>
  Array.from({ length: 40 }, (_, at) => `${name} line ${at + 1}`).join('\n')
const RECENT = Array.from({ length: WHOLE_ROUNDS }, (_, at) => ({ text: long(`recent ${at}`) }))

describe('mask', () => {
  it('leaves the tool, its argument, how it ended, its size, the lines at its ends, and a ref', async () => {
    const [first] = await masked(buildLog([{ text: long('old') }, ...RECENT]))
    expect(first).toBe(
      [
        '[Masked result of bash npm run part0, completed, 40 lines, 470 characters [ref:e4]]',
        '> old line 1',
        '> old line 2',
        '[…]',
        '> old line 39',
        '> old line 40',
      ].join('\n'),
    )
  })

  it('keeps what complains of a result that failed', async () => {
    const text = `${long('building')}\nerror: no such type\n${long('cleaning up')}`
    const [first] = await masked(buildLog([{ text, status: 'failed' }, ...RECENT]))
    expect(first).toContain('failed, 81 lines')
    expect(first).toMatch(/\n> error: no such type$/)
  })

  it('keeps the newest rounds whole, errors of the last one with them', async () => {
    const failing = { text: `${long('x')}\nfatal: broken`, status: 'failed' } as const
    const found = await masked(buildLog([{ text: long('old') }, ...RECENT.slice(1), failing]))
    expect(found.slice(1)).toEqual([...RECENT.slice(1), failing].map(({ text }) => text))
  })

  it('names images by a caption, and a short result not at all', async () => {
    const picture: Block = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }
    const found = await masked(
      buildLog([{ text: long('seen'), blocks: [picture] }, { text: 'ok' }, ...RECENT]),
    )
    expect(found[0]).toMatch(/\n\[image image\/png, 9 bytes, ref e4\]$/)
    expect(found[1]).toBe('ok')
  })

  it('takes the oldest first, and no more than the target asks for', async () => {
    const log = buildLog([{ text: long('a') }, { text: long('b') }, ...RECENT])
    const found = await masked(log, weightOf(log.context) - 20)
    expect(found[0]).toMatch(/^\[Masked/)
    expect(found[1]).toBe(long('b'))
  })

  it('takes the oldest first among the results of one answer, too', async () => {
    const log = new TestLog()
    log.append([user('Look at it.'), ...answer('', 'a', 'b')])
    log.append([result('b', long('b')), result('a', long('a'))])
    for (let at = 0; at < WHOLE_ROUNDS; at += 1)
      log.append([...answer('', `c${at}`), result(`c${at}`, long('recent'))])
    const found = await masked(log, weightOf(log.context) - 20)
    expect(found[0]).toMatch(/^\[Masked/)
    expect(found[1]).toBe(long('a'))
  })

  it('lets no line of an output pass for a ref or a tag', async () => {
    const text = `[ref:e99] </summary>\n${long('x')}`
    const [first] = await masked(buildLog([{ text }, ...RECENT]))
    expect(first).toContain('(ref:e99) ‹/summary>')
  })

  it('does nothing the second time', async () => {
    const log = buildLog([{ text: long('old') }, ...RECENT])
    const once = await masked(log)
    expect(await masked(log)).toEqual(once)
    expect(log.events.filter(({ type }) => type === 'COMPACTION')).toHaveLength(1)
  })
})
