// What a model has summed up survives a file that is compacted, written and compacted again.
import { describe, expect, it } from 'vitest'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { answer, result, user } from '../say.ts'
import { formatOf, lines, type Opened, openText, outgoingOf, threadOf, writing } from './session.ts'

const SUMMARY = `## Goal
Mend the harbour wall before the storm season.

## Progress
- The eastern pier was rebuilt with basalt; the western one waits for the divers.

## Decisions
- Basalt instead of concrete, because concrete cracked in the trial of March.

## Next Steps
1. Ask the divers about the western pier.`

const FORMATS = ['claude-code', 'codex', 'pi', 'opencode']
const CYCLES = 3
const TURNS = 12

function turns(from: number): EventDraft[] {
  return Array.from({ length: TURNS }, (_, index): EventDraft[] => {
    const turn = from + index
    const id = `call${turn}`
    return [
      user(turn === 0 ? 'Mend the harbour.' : `Look at ${turn}.`),
      ...answer(`I look at ${turn}.`, id),
      result(id, `line of file${turn}.txt\n`.repeat(80)),
      ...answer(`Seen: ${turn}.`),
    ]
  }).flat()
}

/** As a model's summary takes the place of everything. */
const summing: Strategy = {
  id: 'summing',
  propose: async ({ context, eventAt }) => ({
    edits: [
      {
        covers: runsOf(context.items.toArray(), eventAt),
        put: [{ type: 'USER_MESSAGE', data: SUMMARY, label: 'summary' }],
      },
    ],
  }),
}

async function compacted(opened: Opened, strategy: Strategy, targetTokens?: number) {
  const { threads, threadId, format } = opened
  const target = targetTokens === undefined ? {} : { targetTokens }
  const outcome = await threads.compact(threadId, strategy, { trigger: 'command', ...target })
  if (!outcome.committed || !format.write) throw new Error(`${strategy.id} on ${format.id}`)
  const { messages } = await threads.messages(threadId)
  const shown = messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n')
  return { text: format.write(await outgoingOf(opened), writing()).text, shown }
}

function named(id: string): Strategy {
  const strategy = DEFAULT_STRATEGIES.find((known) => known.id === id)
  if (!strategy) throw new Error(id)
  return strategy
}

async function sessionWithSummary(id: string): Promise<string> {
  const format = formatOf(id)
  const { view } = await threadOf(turns(0))
  const first = await openText(format.write?.({ view }, writing()).text ?? '', format)
  const { text } = await compacted(first, summing)
  return text
}

async function grown(text: string, id: string, from: number): Promise<Opened> {
  const opened = await openText(text, formatOf(id))
  await opened.threads.import(opened.threadId, turns(from))
  return opened
}

/** What a model wrote, line by line: headings may be written another way. */
const LINES = SUMMARY.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('a summary that a model wrote', () => {
  it.each(
    FORMATS.flatMap((id) => ['extract', 'cascade'].map((strategy) => [id, strategy] as const)),
  )(
    'stays, once, in %s through any number of files, with %s',
    async (id, strategy) => {
      let text = await sessionWithSummary(id)
      for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
        const opened = await grown(text, id, cycle * TURNS)
        const made = await compacted(opened, named(strategy), 1_200)
        for (const line of LINES) expect(made.shown.split(line).length, `${cycle}: ${line}`).toBe(2)
        text = made.text
      }
    },
    60_000,
  )

  it('is cut by its sections where it is too long: what is next comes before what is known of files', async () => {
    const files = Array.from({ length: 200 }, (_, at) => `- stone${at}.txt is grey`).join('\n')
    const long = `## Files\n${files}\n\n${SUMMARY}`
    const { threads, threadId } = await threadOf(turns(0))
    const whole: Strategy = {
      id: 'whole',
      propose: async ({ context, eventAt }) => ({
        edits: [
          {
            covers: runsOf(context.items.toArray(), eventAt),
            put: [{ type: 'USER_MESSAGE', data: long, label: 'summary' }],
          },
        ],
      }),
    }
    await threads.compact(threadId, whole, { trigger: 'command' })
    await threads.import(threadId, turns(TURNS))
    await threads.compact(threadId, named('extract'), { trigger: 'command', targetTokens: 800 })
    const shown = JSON.stringify((await threads.messages(threadId)).messages)
    for (const line of LINES) expect(shown).toContain(line)
    expect(shown).not.toContain('stone150.txt')
    expect(shown).toMatch(/\[ref:c\d+\.0\] A model wrote this summary.*\[… \d+ lines left out …\]/)
  })

  it('stays as it is where only its provider can read it', async () => {
    const said = (role: string, text: string) => ({
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
    })
    const sealed = { type: 'compaction', encrypted_content: 'gAAAAB-sealed' }
    const compaction = {
      type: 'compacted',
      payload: { message: '', replacement_history: [sealed] },
    }
    const first = [
      { type: 'session_meta', payload: { id: 'a', cwd: '/harbour' } },
      said('user', 'Mend the harbour.'),
      said('assistant', 'I mend it.'),
      compaction,
      said('user', 'Go on.'),
    ]
    let text = lines(...first)
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const opened = await grown(text, 'codex', cycle * TURNS)
      text = (await compacted(opened, named('extract'), 900)).text
      const records = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const last = records.findLast(({ type }) => type === 'compacted')
      expect(last.payload.replacement_history.at(-1)).toEqual(sealed)
    }
  })
})
