// Recorded sessions of other agents: each is read without a failure, and nothing of it is unaccounted for.
import { describe, expect, it } from 'vitest'
import { SESSION_FORMATS } from '../src/formats/index.ts'
import type { View } from '../src/formats/session-format.ts'
import { corpusFiles, FORMAT_OF } from './corpus/files.ts'
import { READ_APART, recordCount } from './formats/apart.ts'
import { formatOf, type Opened, openText, outgoingOf, viewIn, writing } from './formats/session.ts'
import { requirement } from './require.ts'

const { available, notice } = requirement('corpus')

/** As the README of the corpus has them. */
const COMPACTIONS: readonly (readonly [file: string, count: number])[] = [
  ['GNB3HG3CFDS2', 4],
  ['3c7aecb0ec0e', 1],
  ['before-compaction', 2],
  ['context-evaluator--8ecab05f', 1],
  ['ses_277daa81', 1],
]

describe.skipIf(!available)(`recorded sessions ${notice}`, () => {
  for (const { folder, name, read } of corpusFiles(Object.keys(FORMAT_OF))) {
    const format = FORMAT_OF[folder]

    it(`${folder}/${name}: every record is modelled, kept or named as left out [NEED-20]`, async () => {
      const text = read()
      const opened = await openText(text)
      expect(opened.format.id).toBe(format)
      const { records, modelled, kept, ignored } = opened.notes.account
      const others = [...kept.values(), ...ignored.values()]
      expect(modelled + others.reduce((sum, count) => sum + count, 0)).toBe(records)
      if (format !== 'aider') expect(records).toBe(recordCount(text))
      const known = COMPACTIONS.find(([file]) => name.includes(file))
      expect(opened.compactions).toBe(known?.[1] ?? 0)
      expect(opened.notes.problems.filter((problem) => problem.includes('cannot'))).toEqual([])
      await checkCalls(opened, text)
      await checkWritten(opened, text)
    })
  }
})

/** What the provider ran by itself: Codex writes it as items without a call id. */
const HOSTED = /^(?:ws_|ig_|ts_|call_hosted_)/

/** As many calls as the file has, wherever they went. */
async function checkCalls(opened: Opened, text: string) {
  const { format, threads, threadId, subThreadIds, notes } = opened
  const readApart = READ_APART[format.id]
  if (!readApart || text.startsWith('{\n  "loglines"')) return
  const logs = await Promise.all([threadId, ...subThreadIds].map((id) => threads.getAllEvents(id)))
  const calls = logs
    .flat()
    .flatMap((event) => (event.type === 'TOOL_CALL' ? [event.data.id] : []))
    .filter((id) => !HOSTED.test(id))
  const told = readApart(text).calls.filter((id) => id !== 'undefined')
  // Those of a branch that the user left are kept, and are not in the log.
  const hasLeft = notes.problems.some((problem) => problem.includes('branches that were left'))
  if (hasLeft) expect(calls.filter((id) => !told.includes(id))).toEqual([])
  else expect(new Set(calls)).toEqual(new Set(told))
}

/** The file itself comes out as it went in; the context comes out in every format that is written. */
async function checkWritten(opened: Opened, text: string) {
  const own = opened.format.write?.(await outgoingOf(opened), writing())
  const isLines = text.startsWith('{"')
  if (own && isLines) {
    const parsed = (file: string) =>
      file
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line))
    expect(parsed(own.text)).toEqual(parsed(text))
  }
  const view = await viewIn(opened.threads, opened.threadId)
  if (view.messages.length === 0) return
  for (const format of SESSION_FORMATS) {
    const written = format.write?.({ view }, writing())
    if (!written) continue
    const told = READ_APART[format.id]?.(written.text)
    if (told) {
      const own = (ids: readonly string[]) => ids.filter((id) => !HOSTED.test(id))
      expect(own(told.calls)).toEqual(own(partsOf(view, 'tool_call')))
      expect(told.texts.join('\n')).toContain(lastWords(view))
    }
    const again = await openText(written.text, formatOf(format.id))
    expect(lastWords(again.view)).toBe(lastWords(view))
  }
}

function partsOf({ messages }: View, type: 'tool_call' | 'tool_result'): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === type && 'id' in part ? [part.id] : [])),
  )
}

/** The last text that the model said. */
function lastWords({ messages }: View): string {
  const said = messages.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts)
  const last = said.findLast((part) => part.type === 'text' && part.text.trim() !== '')
  return last?.type === 'text' ? last.text.trim() : ''
}
