// The brief of a session file, read with its agent's format only, and numbered like an import.
import { createReadStream } from 'node:fs'
import type { Composed } from '../../compose.ts'
import { findConstraints } from '../../core/constraints/find-constraints.ts'
import { isEmptySummary } from '../../core/edit/gate-checks.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { type LedgerFile, ledgerFiles, ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import type { EventDraft, ThreadEvent } from '../../core/log/event.ts'
import { refInThread } from '../../core/search/archive.ts'
import { originalId } from '../../core/view/entry.ts'
import { bindingTexts, typedTexts } from '../../core/view/typed-text.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { ReadNotes } from '../../formats/reading/notes.ts'
import { MAIN, type SessionFormat, type Source } from '../../formats/session-format.ts'
import { readEvents } from '../session/session.ts'
import type { Brief, Said } from './brief.ts'

type SessionReader = SessionFormat['read']

/** Loading every format would take longer than reading the file. */
const READERS: Readonly<Record<string, () => Promise<SessionReader>>> = {
  'claude-code': async () => (await import('../../formats/claude-code/read.ts')).readClaudeCode,
  codex: async () => (await import('../../formats/codex/read.ts')).readCodex,
}

const PIECE_BYTES = 1_000_000

/** Reads the first `bytes` of a session. Opening a store would take longer than a host should wait. */
export async function readBrief(
  host: string,
  path: string,
  { bytes, pins }: { readonly bytes: number; readonly pins: readonly string[] },
): Promise<Brief> {
  const source: Source = {
    bytes,
    open: () => createReadStream(path, { highWaterMark: PIECE_BYTES, end: Math.max(0, bytes - 1) }),
  }
  const own = Object.hasOwn(READERS, host) ? await READERS[host]?.() : undefined
  const events = own ? await collectEvents(own, source) : []
  const named = sessionName(path)
  const refOf = (seq: number) => (named === undefined ? '' : `${named}:e${seq}`)
  if (events.length > 0) return composeBrief(events, pins, refOf)
  return composeBrief(await collectEvents(await detectedReader(source), source), pins, refOf)
}

async function detectedReader(source: Source): Promise<SessionReader> {
  const { SESSION_FORMATS } = await import('../../formats/index.ts')
  const { detectFormat, readSample } = await import('../../formats/reading/sample.ts')
  return detectFormat(await readSample(source), SESSION_FORMATS).read
}

/**
 * An import numbers from 2, after the event that starts the thread. A recorded compaction takes a number,
 * unless the gate rejects it for an empty summary.
 */
async function collectEvents(read: SessionReader, source: Source): Promise<ThreadEvent[]> {
  const events: ThreadEvent[] = []
  let last = 1
  let answer = 0
  for await (const step of read(source, new ReadNotes())) {
    if (step.type === 'thread' || step.thread !== MAIN) continue
    if (step.type === 'compaction') {
      const { put } = step.compaction
      const isRefused = put.some((entry) => !('keep' in entry) && isEmptySummary(entry))
      if (events.length > 0 && !isRefused) last += 1
      continue
    }
    for (const { draft } of step.drafts) {
      last += 1
      const event = numbered(draft, last, answer)
      if (event.type === 'AGENT_MESSAGE') answer = event.seq
      events.push(event)
    }
  }
  return events
}

function numbered(draft: EventDraft, seq: number, answer: number): ThreadEvent {
  const data = draft.type === 'TOOL_CALL' ? { ...draft.data, answer } : draft.data
  const timestamp = draft.timestamp ?? new Date(0)
  return { ...draft, data, v: 1, id: `e${seq}`, threadId: '', seq, timestamp } as ThreadEvent
}

const UUID = /([0-9a-f]{8}-[0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl$/
const STEM = /(?:^|[/\\])([\w-]{1,40})\.jsonl$/

/** The start of the session id, as `precis show` accepts it. */
function sessionName(path: string): string | undefined {
  return (UUID.exec(path) ?? STEM.exec(path))?.[1]
}

export async function buildBrief(
  { store, threads }: Pick<Composed, 'store' | 'threads'>,
  threadId: string,
): Promise<Brief> {
  const events = await readEvents(store, threadId)
  const pins = (await threads.pins(threadId)).flatMap(({ text }) => text ?? [])
  return composeBrief(events, pins, (seq) => refInThread(threadId, originalId(seq)))
}

export async function listNamedFiles(
  { store }: Pick<Composed, 'store'>,
  threadId: string,
): Promise<LedgerFile[]> {
  return ledgerFiles(buildLedger(await readEvents(store, threadId)))
}

const STATE_LINES = 40
const EARLIER = 60
const EARLIER_CHARS = 120

/** `refOf` returns the ref of an event; undefined means no refs. */
export function composeBrief(
  events: readonly ThreadEvent[],
  pins: readonly string[],
  refOf: (seq: number) => string,
): Brief {
  const saidIn = (textsOf: typeof typedTexts) =>
    events.flatMap((event) => {
      const text = event.type === 'USER_MESSAGE' ? textsOf(event).join('\n').trim() : ''
      return text === '' ? [] : [{ text, ref: refOf(event.seq) }]
    })
  const typed = saidIn(typedTexts)
  const earlier = typed.slice(-EARLIER - 1, -1).map(({ text, ref }) => {
    const [line = ''] = text.split('\n', 1)
    return { text: cutHead(line, EARLIER_CHARS), ref }
  })
  return {
    ...requestIn(typed),
    constraints: constraintsIn(saidIn(bindingTexts)),
    pins,
    state: ledgerLines(buildLedger(events), STATE_LINES),
    earlier,
  }
}

function buildLedger(events: readonly ThreadEvent[]): Ledger {
  return events.reduce(ledgerReducer.step, ledgerReducer.init())
}

const REQUEST_CHARS = 1_000

/** Each once, at its last place, after those known before. Repeated text is not analysed again. */
function constraintsIn(typed: readonly Said[], before: readonly Said[] = []): Said[] {
  const found = new Map(before.map((said) => [said.text, said]))
  const known = new Map<string, readonly string[]>()
  for (const { text, ref } of typed) {
    const constraints = known.get(text) ?? findConstraints(text)
    known.set(text, constraints)
    for (const constraint of constraints) {
      found.delete(constraint)
      found.set(constraint, { text: constraint, ref })
    }
  }
  return [...found.values()]
}

function requestIn(typed: readonly Said[]): Pick<Brief, 'request'> {
  const last = typed.at(-1)
  return last ? { request: { ...last, text: cutHead(last.text, REQUEST_CHARS) } } : {}
}
