// What is different between two contexts: what a compaction took out and put in, or two sessions.
import { type Context, emptyContext, foldEvent, weightOf } from '../core/context.ts'
import { contentOf, type EntryContent } from '../core/entry-content.ts'
import { PrecisError } from '../core/errors.ts'
import { type EventAt, isChange, type ThreadEvent } from '../core/event.ts'
import { nameOfEntry } from '../core/report-name.ts'
import { wholeNumber } from './numbers.ts'
import { ProgressLine } from './progress.ts'
import { backupOf } from './session/backups.ts'
import { loadThread, openSession } from './session/session.ts'
import { nameOf, type Target, targetOf } from './session/target.ts'
import { loadSettings } from './settings.ts'
import { tell } from './tell.ts'
import { oneLine, type Style, thousands } from './terminal.ts'

export interface DiffFlags {
  readonly from?: string
  readonly to?: string
  readonly full?: boolean
  readonly format?: string
  readonly json?: boolean
}

interface Entry {
  readonly ref: string
  readonly what: string
  readonly tokens: number
  readonly text: string
}

interface Side {
  readonly name: string
  readonly tokens: number
  readonly entries: readonly Entry[]
}

type Line = { readonly sign: ' ' | '-' | '+' } & Entry

interface Difference {
  readonly from: string
  readonly to: string
  readonly before: number // tokens
  readonly after: number
  readonly same: number // entries
  readonly lines: readonly Line[]
}

export async function diffSessions(
  one: string,
  other: string | undefined,
  flags: DiffFlags,
): Promise<void> {
  const [from, to] = await sidesOf(one, other, flags)
  const difference = compare(from, to)
  const { full = false, json } = flags
  if (!json) {
    await tell(difference, false, (shown, style, columns) => render(shown, style, columns, full))
    return
  }
  const { lines, ...facts } = difference
  const of = (sign: Line['sign']) =>
    lines.filter((line) => line.sign === sign).map((line) => factsOf(line, full))
  await tell({ ...facts, removed: of('-'), added: of('+') }, true, () => '')
}

function factsOf({ ref, what, tokens, text }: Line, isFull: boolean) {
  return { ref, what, tokens, ...(isFull && { text }) }
}

async function sidesOf(one: string, other: string | undefined, flags: DiffFlags) {
  const target = targetOf(one, 'diff')
  if (other !== undefined) {
    if (flags.from !== undefined || flags.to !== undefined)
      throw new PrecisError('usage', '--from and --to are for one session', {
        where: '--from',
        hint: 'Give one session, or two without them.',
      })
    const second = targetOf(other, 'diff')
    return [await present(target, flags), await present(second, flags)] as const
  }
  const isNow = flags.from === undefined && flags.to === undefined
  const backup =
    target.kind === 'file' && target.path !== '-' && isNow
      ? await backupOf(target.path, process.env)
      : undefined
  if (backup !== undefined) {
    const before = await present({ kind: 'file', path: backup }, flags)
    return [{ ...before, name: `${one} as it was` }, await present(target, flags)] as const
  }
  return moments(target, flags)
}

async function present(target: Target, flags: DiffFlags): Promise<Side> {
  return onEvents(target, flags, (events) => sideAt(events, events.length, nameOf(target)))
}

/** One session at two moments: around its last change, unless they are named. */
async function moments(target: Target, flags: DiffFlags): Promise<readonly [Side, Side]> {
  return onEvents(target, flags, (events) => {
    const momentOf = (text: string | undefined, option: string) =>
      text === undefined ? undefined : wholeNumber(text, option, 0, events.length)
    const last = events.findLast(isChange)
    const to = momentOf(flags.to, '--to') ?? events.length
    const from = momentOf(flags.from, '--from') ?? (last === undefined ? undefined : last.seq - 1)
    if (from === undefined)
      throw new PrecisError('not-found', `nothing was ever compacted in ${nameOf(target)}`, {
        hint: 'Give two sessions, or two moments of one: --from 10 --to 20.',
      })
    const name = (seq: number) => `${nameOf(target)} after event ${seq}`
    return [sideAt(events, from, name(from)), sideAt(events, to, name(to))] as const
  })
}

async function onEvents<T>(
  target: Target,
  flags: DiffFlags,
  work: (events: readonly ThreadEvent[]) => T,
): Promise<T> {
  const { settings } = loadSettings({ cwd: process.cwd(), environment: process.env })
  const progress = new ProgressLine(process.stderr)
  const session = await openSession(target, { settings, named: flags.format, progress })
  try {
    return work((await loadThread(session.composed, session.threadId)).events)
  } finally {
    progress.end()
    await session.close()
  }
}

function sideAt(events: readonly ThreadEvent[], seq: number, name: string): Side {
  const eventAt: EventAt = (at) => events[at - 1]
  let context: Context = emptyContext()
  for (const event of events.slice(0, seq)) context = foldEvent(context, event, eventAt)
  const entries = context.items
    .toArray()
    .filter(({ kind }) => kind !== 'gap')
    .map(({ id, tokens }) => ({
      ref: id,
      what: nameOfEntry(id, eventAt),
      tokens,
      text: textOf(contentOf(id, eventAt)),
    }))
  return { name, tokens: weightOf(context), entries }
}

function textOf(content: EntryContent | undefined): string {
  switch (content?.kind) {
    case 'user':
      return typeof content.content === 'string'
        ? content.content
        : content.content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('\n')
    case 'answer':
      return [
        content.answer.content,
        ...content.calls.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`),
      ].join('\n')
    case 'result':
      return content.result.content.map((block) => block.text ?? `[${block.type}]`).join('\n')
    case 'reminder':
      return content.text
    default:
      return ''
  }
}

/** Entries are the same where they say the same; their order decides where the others stand. */
function compare(from: Side, to: Side): Difference {
  const left = new Map<string, number>()
  for (const { text, what } of to.entries)
    left.set(keyOf(what, text), (left.get(keyOf(what, text)) ?? 0) + 1)
  const lines: Line[] = []
  const removed = from.entries.map((entry) => {
    const key = keyOf(entry.what, entry.text)
    const count = left.get(key) ?? 0
    if (count > 0) left.set(key, count - 1)
    return count === 0
  })
  const staying = new Map<string, number>()
  from.entries.forEach(({ what, text }, at) => {
    if (!removed[at]) staying.set(keyOf(what, text), (staying.get(keyOf(what, text)) ?? 0) + 1)
  })
  let next = 0
  const flushTo = (key: string | undefined) => {
    for (; next < from.entries.length; next += 1) {
      const entry = from.entries[next] as Entry
      if (removed[next]) lines.push({ sign: '-', ...entry })
      else if (key !== undefined && keyOf(entry.what, entry.text) === key) {
        next += 1
        break
      }
    }
  }
  let same = 0
  for (const entry of to.entries) {
    const key = keyOf(entry.what, entry.text)
    const count = staying.get(key) ?? 0
    if (count > 0) {
      staying.set(key, count - 1)
      flushTo(key)
      same += 1
      lines.push({ sign: ' ', ...entry })
    } else lines.push({ sign: '+', ...entry })
  }
  flushTo(undefined)
  return { from: from.name, to: to.name, before: from.tokens, after: to.tokens, same, lines }
}

function keyOf(what: string, text: string): string {
  return `${what}\0${text}`
}

function render(difference: Difference, style: Style, columns: number, isFull: boolean): string {
  const { from, to, before, after, lines } = difference
  const shown: string[] = [`--- ${from}`, `+++ ${to}`]
  let same = 0
  const flush = () => {
    if (same > 0)
      shown.push(style.dim(`  ${thousands(same)} ${same === 1 ? 'entry' : 'entries'} as before`))
    same = 0
  }
  for (const { sign, ref, what, tokens, text } of lines) {
    if (sign === ' ') {
      same += 1
      continue
    }
    flush()
    shown.push(
      `${sign} ${ref.padEnd(8)}${thousands(tokens).padStart(9)}  ${oneLine(what, columns - 24)}`,
    )
    if (isFull) shown.push(...text.split('\n').map((line) => `${sign}   ${oneLine(line, 400)}`))
  }
  flush()
  const count = (sign: string) => lines.filter((line) => line.sign === sign).length
  shown.push(
    `${thousands(count('-'))} out, ${thousands(count('+'))} in: ${thousands(before)} → ${thousands(after)} tokens.`,
  )
  return `${shown.join('\n')}\n`
}
