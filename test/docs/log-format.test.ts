// The page on the stored format: its rows are what a store holds, its contexts what the fold gives.
import { beforeAll, describe, expect, it } from 'vitest'
import { pinsReducer } from '../../src/core/edit/pins.ts'
import { readEvent, readRow, writeEvent } from '../../src/core/log/codec.ts'
import { bearsEntry, EVENT_VERSION, type EventAt } from '../../src/core/log/event.ts'
import { DATA_SCHEMAS } from '../../src/core/log/schema.ts'
import type { Reducer, Row, Snapshot } from '../../src/core/ports.ts'
import { buildMessages } from '../../src/core/view/build.ts'
import { type Context, emptyContext, FOLD_VERSION, foldEvent } from '../../src/core/view/context.ts'
import { itemOfEvent } from '../../src/core/view/entry.ts'
import { covered } from '../../src/core/view/refs.ts'
import { threadFold } from '../../src/core/view/thread-state.ts'
import { usageReducer } from '../../src/core/window/usage.ts'
import { wordsOf } from './declarations.ts'
import { codeIn, fencesWith, fenceWith, readPage, tablesWith } from './page.ts'
import { replayRows } from './replay.ts'

const page = readPage('docs/log-format.md')
const lines = fencesWith(page, 'jsonl').flatMap(({ text }) => text.split('\n'))
const rows: readonly Row[] = lines.map((line) => JSON.parse(line))

/** What a store holds of each thread after the rows of the page were made again. */
let stored: ReadonlyMap<string, readonly Row[]>
beforeAll(async () => {
  stored = await replayRows(rows)
})

/** How many tokens the estimate gives is no part of the format. */
function withoutWeights(line: string): string {
  return line.replace(/"tokens":\d+/g, '"tokens":0')
}

function logOf(threadId: string): { eventAt: EventAt; contextAfter(seq: number): Context } {
  const events = (stored.get(threadId) ?? []).map(readRow)
  const eventAt: EventAt = (seq) => events[seq - 1]
  return {
    eventAt,
    contextAfter: (seq) =>
      events
        .slice(0, seq)
        .reduce((context, event) => foldEvent(context, event, eventAt), emptyContext()),
  }
}

/** A context in the words of the page's tables. */
function describeContext({ head, items, open, stack }: Context): string[] {
  const code = (words: readonly (string | number)[]) => words.map((word) => `\`${word}\``).join(' ')
  return [
    head.system === undefined ? '' : code([`e${head.system}`]),
    items
      .toArray()
      .map(({ id, kind, hide }) => `\`${id}\` ${kind}${hide ? ' without its thinking' : ''}`)
      .join(', '),
    code([...open]),
    code(stack),
  ]
}

describe('the rows of the page', () => {
  it('are, byte for byte, what a store holds after the same was done', () => {
    const made = lines.map((_, index) => {
      const { threadId, seq } = rows[index] as Row
      return JSON.stringify(stored.get(threadId)?.find((row) => row.seq === seq))
    })
    expect(made.map(withoutWeights)).toEqual(lines.map(withoutWeights))
  })

  it('are read and written back unchanged', () => {
    for (const [index, row] of rows.entries()) {
      expect(JSON.stringify(writeEvent(readRow(row)))).toBe(lines[index])
    }
  })

  it('show two calls in one answer, a compaction, its undo and its redo', () => {
    const types = new Set(rows.map(({ type }) => type))
    for (const type of ['COMPACTION', 'COMPACTION_UNDONE', 'COMPACTION_REDONE'])
      expect(types).toContain(type)
    expect(
      rows.filter(({ type, data }) => type === 'TOOL_CALL' && hasAnswer(data, 4)),
    ).toHaveLength(2)
  })
})

function hasAnswer(data: unknown, seq: number): boolean {
  return (data as { answer?: number }).answer === seq
}

describe('the contexts of the page', () => {
  const stated = tablesWith(page).flatMap(({ header, rows: contexts }) => {
    const threadId = /^`(thr_\w+)` after$/.exec(header[0] ?? '')?.[1]
    return threadId === undefined ? [] : contexts.map((cells) => [threadId, ...cells] as const)
  })

  it.each(stated)('%s after %s', (threadId, seq, ...cells) => {
    expect(cells).toEqual(describeContext(logOf(threadId).contextAfter(Number(seq))))
  })

  it('are stated after every row of the first thread', () => {
    const build = stated.filter(([threadId]) => threadId === 'thr_build')
    expect(build.map(([, seq]) => Number(seq))).toEqual(
      rows.filter(({ threadId }) => threadId === 'thr_build').map(({ seq }) => seq),
    )
  })

  it('ignore no row', () => {
    for (const [threadId, all] of stored)
      expect(logOf(threadId).contextAfter(all.length).ignored).toEqual([])
  })

  it('give the messages of the page', () => {
    const { contextAfter, eventAt } = logOf('thr_build')
    const { messages, problems } = buildMessages(contextAfter(12), eventAt)
    expect(messages).toEqual(
      JSON.parse(fenceWith(page, 'json messages of thr_build after 12').text),
    )
    expect(problems).toEqual([])
  })

  it('give the snapshot of the page', () => {
    const fold = threadFold([pinsReducer, usageReducer] as readonly Reducer<unknown>[])
    const shown: Snapshot = JSON.parse(fenceWith(page, 'json snapshot of thr_build after 14').text)
    const { contextAfter, eventAt } = logOf('thr_build')
    const events = (stored.get('thr_build') ?? []).map(readRow)
    const made = fold.encode(
      events.reduce((state, event) => fold.step(state, event, eventAt), fold.init()),
    )
    const plain = (snapshot: Snapshot) => {
      const context = fold.decode(snapshot)?.context
      return context && [...describeContext(context), context.undone, context.active]
    }
    expect(plain(shown)).toEqual(plain(made))
    expect(plain(shown)?.slice(0, 4)).toEqual(describeContext(contextAfter(14)))
    const stateOf = ({ state }: Snapshot) => state as { context: object; reducers: unknown }
    expect(Object.keys(stateOf(shown).context)).toEqual(Object.keys(stateOf(made).context))
    expect(stateOf(shown).reducers).toEqual(stateOf(made).reducers)
  })

  it('give the refs of the page', () => {
    const [table] = tablesWith(page, 'ref in `thr_build`', 'stands for')
    const { eventAt } = logOf('thr_build')
    for (const [ref = '', originals = ''] of table?.rows ?? [])
      expect(covered(codeIn(ref)[0] as 'e1', eventAt)).toEqual(codeIn(originals))
    expect(table?.rows).toHaveLength(3)
  })
})

describe('the labels of the page', () => {
  it('are those of new entries', () => {
    const sentence = /a `label` \(([^)]+)\)/.exec(page)?.[1] ?? ''
    expect(codeIn(sentence).toSorted()).toEqual(
      wordsOf('src/core/edit/change.ts', 'EntryLabel').toSorted(),
    )
  })
})

describe('the types of the page', () => {
  const [table] = tablesWith(page, 'type', 'data', 'entry')
  const types = (table?.rows ?? []).map((cells) => codeIn(cells[0] ?? '')[0])

  it('are all types of events, each once', () => {
    expect(types.toSorted()).toEqual(Object.keys(DATA_SCHEMAS).toSorted())
  })

  it('bring the entries that the page says', () => {
    const samples = readPage('src/core/log/golden/v2.jsonl').trim().split('\n')
    for (const event of samples.map((line) => readRow(JSON.parse(line)))) {
      const row = table?.rows.find((cells) => cells[0] === `\`${event.type}\``)
      expect(row?.[2], event.type).toBe(bearsEntry(event) ? `\`${itemOfEvent(event).kind}\`` : '')
    }
  })
})

describe('the versions of the page', () => {
  it('are those of the code', () => {
    expect(page).toContain(`\`EVENT_VERSION\` is ${EVENT_VERSION}:`)
    expect(page).toContain(`\`FOLD_VERSION\` is ${FOLD_VERSION}:`)
    const [table] = tablesWith(page, 'event version', 'what changed')
    expect(table?.rows.map((cells) => Number(cells[0]))).toEqual(
      Array.from({ length: EVENT_VERSION }, (_, index) => index + 1),
    )
  })

  it('are read as the page says', () => {
    const old = fenceWith(page, 'jsonl version 1').text.split('\n')
    const read = old.map((line) => readEvent(JSON.parse(line)))
    expect(read.map((each) => each.ok && JSON.stringify(writeEvent(each.event)))).toEqual(
      fenceWith(page, 'jsonl version 2').text.split('\n'),
    )
  })
})
