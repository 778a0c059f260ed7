// Session files of the four agents whose formats are written: what is in a sample, and what it becomes.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { importSession } from '../../src/formats/reading/import-session.ts'
import { textSource } from '../../src/formats/reading/sample.ts'
import { user } from '../say.ts'
import { freshThreads, type Opened, openText, outgoingOf, viewIn, writing } from './session.ts'

const sample = (name: string) =>
  readFileSync(new URL(`../../samples/sessions/${name}`, import.meta.url), 'utf8')

const SAMPLES = [
  { id: 'claude-code', file: 'claude-code.jsonl', compactions: 1, unknown: 'brand-new-record' },
  { id: 'codex', file: 'codex.jsonl', compactions: 1, unknown: 'new_kind_of_item' },
  { id: 'pi', file: 'pi.jsonl', compactions: 1, unknown: '"customType":"timer"' },
  { id: 'opencode', file: 'opencode.json', compactions: 2, unknown: 'new-kind-of-part' },
] as const

/** What a file says, whatever its spaces. */
function contentOf(text: string): unknown {
  const isLines = !text.includes('"messages"')
  return isLines
    ? text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : JSON.parse(text)
}

async function write(opened: Opened): Promise<{ text: string; problems: readonly string[] }> {
  const { write } = opened.format
  if (!write) throw new Error(`${opened.format.id} is not written`)
  return write(await outgoingOf(opened), writing())
}

describe.each(SAMPLES)('a session of $id', ({ id, file, compactions, unknown }) => {
  const text = sample(file)

  it('is known by its content, and each record is accounted for [NEED-20]', async () => {
    const opened = await openText(text)
    expect(opened.format.id).toBe(id)
    const { records, modelled, kept, ignored } = opened.notes.account
    const sum = [...kept.values(), ...ignored.values()].reduce((total, count) => total + count, 0)
    expect(modelled + sum).toBe(records)
    const content = contentOf(text)
    const count = Array.isArray(content)
      ? content.length
      : (content as { messages: [] }).messages.length
    expect(records).toBe(count)
    expect(opened.compactions).toBe(compactions)
  })

  it('is written again as it was, to the last field [NEED-20]', async () => {
    const { text: again, problems } = await write(await openText(text))
    expect(contentOf(again)).toEqual(contentOf(text))
    expect(problems).toEqual([])
  })

  it('keeps its old records before a new compaction, and reads as the new context [NEED-20]', async () => {
    const opened = await openText(text)
    const { threads, threadId } = opened
    await threads.append(threadId, [...filler(), user('What now?')])
    threads.register(fold)
    const outcome = await threads.compact(threadId, fold.id)
    expect(outcome.committed).toBe(true)
    const { text: compacted } = await write(opened)
    const again = await openText(compacted)
    expect(again.format.id).toBe(id)
    expect(again.view.messages).toEqual((await viewIn(threads, threadId)).messages)
    expect(again.compactions).toBe(compactions + 1)
    expect(compacted.replaceAll(/": /g, '":')).toContain(unknown)
    // What the tool had replaced comes back when its compaction is taken back.
    const before = JSON.stringify(again.view)
    await again.threads.undo(again.threadId)
    expect(JSON.stringify(await viewIn(again.threads, again.threadId)).length).toBeGreaterThan(
      before.length,
    )
  })

  it('undoes the compaction that the tool recorded, with what it had replaced [NEED-20]', async () => {
    const { threads, threadId, compactions: count } = await openText(text)
    const messages = async () => JSON.stringify(await viewIn(threads, threadId))
    const replaced = 'overshoot?'
    for (let index = 0; index < count; index += 1) await threads.undo(threadId)
    expect(await messages()).toContain(replaced)
    const events = await threads.getAllEvents(threadId)
    const recorded = events.find(({ type }) => type === 'COMPACTION')
    expect(recorded?.data).toMatchObject({ trigger: 'import', strategyId: 'recorded' })
  })

  it('brings in what was billed, cache reads included [NEED-20]', async () => {
    const { threads, threadId } = await openText(text)
    const { conversation } = await threads.usage(threadId)
    expect(conversation.eventCount).toBeGreaterThan(0)
    expect(conversation.cacheReadTokens).toBeGreaterThan(conversation.promptTokens / 2)
  })
})

it('without its records a session has the same context, and is written as a new one', async () => {
  const text = sample('claude-code.jsonl')
  const whole = await openText(text)
  const threads = freshThreads()
  const bare = await importSession(threads, whole.format, textSource(text), { records: 'drop' })
  const view = await viewIn(threads, bare.threadId)
  expect(view).toEqual(whole.view)
  const events = await threads.getAllEvents(bare.threadId)
  const written = whole.format.write?.({ view, events }, writing())
  expect((await openText(written?.text ?? '')).view).toEqual(view)
  expect(written?.text).not.toContain('compact_boundary')
})

describe.each(SAMPLES.filter(({ id }) => id !== 'opencode'))('half a line of $id', ({ file }) => {
  it('at the end is no failure, and survives [NEED-20]', async () => {
    const text = sample(file)
    const whole = await openText(text)
    const half = `${text}{"type":"half a rec`
    const opened = await openText(half)
    expect(opened.view).toEqual(whole.view)
    expect(opened.notes.problems.join()).toContain('ends in the middle of a record')
    expect((await write(opened)).text.trimEnd().split('\n')).toHaveLength(half.split('\n').length)
  })
})

it('a document that ends in the middle is read up to there', async () => {
  const text = sample('opencode.json')
  const opened = await openText(text.slice(0, text.indexOf('msg_9')))
  expect(opened.notes.problems.join()).toContain('ends in the middle')
  expect(opened.compactions).toBe(2)
})

/** Everything but the last two entries becomes one summary. */
const fold: Strategy = {
  id: 'fold',
  propose: async ({ context, eventAt }) => {
    const covers = runsOf(context.items.toArray().slice(0, -2), eventAt)
    const put = [
      { type: 'USER_MESSAGE', data: 'In short: all valves hold.', label: 'summary' },
    ] as const
    return { edits: [{ covers, put }] }
  },
}

/** Enough words that a compaction has something to do. */
function filler(): EventDraft[] {
  return Array.from({ length: 40 }, (_, index): EventDraft[] => [
    user(`Step ${index}: ${'look at the next valve and note its pressure. '.repeat(20)}`),
    {
      type: 'AGENT_MESSAGE',
      data: { content: `Valve ${index} holds. ${'All is well. '.repeat(30)}`, calls: [] },
    },
  ]).flat()
}
