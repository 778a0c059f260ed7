// `precis diff`: what a compaction removed and added, or the difference of two sessions
// Two contexts side by side: which entries one has and the other has not, in the order in which they stand.

import { nameOfEntry } from '../../core/edit/irreducible.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventAt, ThreadEvent } from '../../core/log/event.ts'
import { type Context, emptyContext, foldEvent, weightOf } from '../../core/view/context.ts'
import type { EntryKind } from '../../core/view/entry.ts'
import { contentOf, type EntryContent } from '../../core/view/entry-content.ts'
import type { Io } from '../process-io.ts'
import { buildBackup } from '../session/backups.ts'
import { readName, type Target, targetOf } from '../session/formats.ts'
import { loadThread, openSession } from '../session/session.ts'
import { loadSettings } from '../settings/settings.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { wholeNumber } from '../terminal/source.ts'
import { oneLine, print, quoted, type Style, thousands } from '../terminal/terminal.ts'

export interface DiffFlags {
  readonly from?: string
  readonly to?: string
  readonly full?: boolean
  readonly format?: string
  readonly json?: boolean
}

export async function diffSessions(
  one: string,
  other: string | undefined,
  flags: DiffFlags,
  io: Io,
): Promise<void> {
  const [from, to] = await openSides(one, other, flags, io)
  const difference = compare(from, to)
  const { full = false, json } = flags
  if (!json) {
    await print(io, difference, false, (shown, style, columns) =>
      render(shown, style, columns, full),
    )
    return
  }
  const { lines, ...facts } = difference
  const of = (sign: Line['sign']) =>
    lines.filter((line) => line.sign === sign).map((line) => readFacts(line, full))
  await print(io, { ...facts, removed: of('-'), added: of('+') }, true, () => '')
}

function readFacts({ ref, what, tokens, text }: Line, isFull: boolean) {
  return { ref, what, tokens, ...(isFull && { text }) }
}

async function openSides(one: string, other: string | undefined, flags: DiffFlags, io: Io) {
  const target = targetOf(one, 'diff', io)
  if (other !== undefined) {
    if (flags.from !== undefined || flags.to !== undefined)
      throw new PrecisError('usage', '--from and --to are for one session', {
        where: '--from',
        hint: 'Give one session, or two without them.',
      })
    const second = targetOf(other, 'diff', io)
    return [await present(target, flags, io), await present(second, flags, io)] as const
  }
  const isNow = flags.from === undefined && flags.to === undefined
  const backup =
    target.kind === 'file' && target.path !== '-' && isNow
      ? await buildBackup(target.path, io)
      : undefined
  if (backup !== undefined) {
    const before = await present({ kind: 'file', path: backup.path }, flags, io)
    return [{ ...before, name: `${one} as it was` }, await present(target, flags, io)] as const
  }
  return moments(target, flags, io)
}

async function present(target: Target, flags: DiffFlags, io: Io): Promise<Side> {
  return onEvents(io, target, flags, (events) => sideAt(events, events.length, readName(target)))
}

/** One session at two moments: around its last compaction, unless they are named. */
async function moments(target: Target, flags: DiffFlags, io: Io): Promise<readonly [Side, Side]> {
  return onEvents(io, target, flags, (events) => {
    const momentOf = (text: string | undefined, option: string) =>
      text === undefined ? undefined : wholeNumber(text, option, 0, events.length)
    const [givenFrom, givenTo] = [momentOf(flags.from, '--from'), momentOf(flags.to, '--to')]
    const last = givenFrom === undefined ? lastCompaction(events) : undefined
    if (givenFrom === undefined && !last?.isInForce)
      throw nothingInForce(readName(target), last?.seq)
    const from = givenFrom ?? (last?.seq ?? 1) - 1
    // What was said since was not put in by it.
    const to = givenTo ?? last?.seq ?? events.length
    const name = (seq: number) => `${readName(target)} after event ${seq}`
    return [sideAt(events, from, name(from)), sideAt(events, to, name(to))] as const
  })
}

function nothingInForce(name: string, undone: number | undefined): PrecisError {
  if (undone === undefined)
    return new PrecisError('not-found', `nothing was ever compacted in ${name}`, {
      hint: 'Give two sessions, or two moments of one: --from 10 --to 20.',
    })
  return new PrecisError('not-found', `the compaction of ${name} was undone`, {
    hint: `precis redo ${quoted(name)} brings it back; --from ${undone - 1} --to ${undone} shows what it did.`,
  })
}

async function onEvents<T>(
  io: Io,
  target: Target,
  flags: DiffFlags,
  work: (events: readonly ThreadEvent[]) => T,
): Promise<T> {
  const { settings } = loadSettings(io)
  const progress = new ProgressLine(io.stderr)
  const session = await openSession(target, { settings, named: flags.format, progress }, io)
  try {
    return work((await loadThread(session.composed, session.threadId)).events)
  } finally {
    progress.end()
    await session.close()
  }
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

interface Entry {
  readonly ref: string
  readonly kind: EntryKind
  readonly what: string
  readonly tokens: number
  readonly text: string
}

export interface Side {
  readonly name: string
  readonly tokens: number
  readonly entries: readonly Entry[]
}

export type Line = { readonly sign: ' ' | '-' | '+' } & Entry

export interface Difference {
  readonly from: string
  readonly to: string
  readonly before: number // tokens
  readonly after: number
  readonly same: number // entries
  readonly lines: readonly Line[]
}

/** The last one in effect, or, if none is, the last one that was undone. */
export function lastCompaction(
  events: readonly ThreadEvent[],
): { readonly seq: number; readonly isInForce: boolean } | undefined {
  const { active } = contextAt(events, events.length)
  const seq = active.at(-1) ?? events.findLast(({ type }) => type === 'COMPACTION')?.seq
  return seq === undefined ? undefined : { seq, isInForce: active.length > 0 }
}

/** The context as it was after this event. */
export function sideAt(events: readonly ThreadEvent[], seq: number, name: string): Side {
  const eventAt: EventAt = (at) => events[at - 1]
  const context = contextAt(events, seq)
  const entries = context.items
    .toArray()
    .filter(({ kind }) => kind !== 'gap')
    .map(({ id, kind, tokens }) => ({
      ref: id,
      kind,
      what: nameOfEntry(id, eventAt),
      tokens,
      text: readText(contentOf(id, eventAt)),
    }))
  return { name, tokens: weightOf(context), entries }
}

function contextAt(events: readonly ThreadEvent[], seq: number): Context {
  const eventAt: EventAt = (at) => events[at - 1]
  return events
    .slice(0, seq)
    .reduce((context, event) => foldEvent(context, event, eventAt), emptyContext())
}

function readText(content: EntryContent | undefined): string {
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
export function compare(from: Side, to: Side): Difference {
  const left = new Map<string, number>()
  for (const { text, what } of to.entries)
    left.set(readKey(what, text), (left.get(readKey(what, text)) ?? 0) + 1)
  const lines: Line[] = []
  const removed = from.entries.map((entry) => {
    const key = readKey(entry.what, entry.text)
    const count = left.get(key) ?? 0
    if (count > 0) left.set(key, count - 1)
    return count === 0
  })
  const staying = new Map<string, number>()
  from.entries.forEach(({ what, text }, at) => {
    if (!removed[at]) staying.set(readKey(what, text), (staying.get(readKey(what, text)) ?? 0) + 1)
  })
  let next = 0
  const flushTo = (key: string | undefined) => {
    for (; next < from.entries.length; next += 1) {
      const entry = from.entries[next] as Entry
      if (removed[next]) lines.push({ sign: '-', ...entry })
      else if (key !== undefined && readKey(entry.what, entry.text) === key) {
        next += 1
        break
      }
    }
  }
  let same = 0
  for (const entry of to.entries) {
    const key = readKey(entry.what, entry.text)
    const count = staying.get(key) ?? 0
    if (count > 0) {
      staying.set(key, count - 1)
      flushTo(key)
      same += 1
      lines.push({ sign: ' ', ...entry })
      continue
    }
    // What went here comes first: this is what took its place.
    for (; removed[next]; next += 1) lines.push({ sign: '-', ...(from.entries[next] as Entry) })
    lines.push({ sign: '+', ...entry })
  }
  flushTo(undefined)
  return { from: from.name, to: to.name, before: from.tokens, after: to.tokens, same, lines }
}

function readKey(what: string, text: string): string {
  return `${what}\0${text}`
}
