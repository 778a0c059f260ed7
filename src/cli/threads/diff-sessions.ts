// `precis diff`: what a compaction removed and added, or the difference of two sessions.

import { PrecisError } from '../../core/errors.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Io } from '../process-io.ts'
import { buildBackup } from '../session/backups.ts'
import { parseTarget, readName, type Target } from '../session/formats.ts'
import { loadThread, openSession } from '../session/session.ts'
import { loadSettings } from '../settings/settings.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { oneLine, print, quoted, type Style, thousands } from '../terminal/terminal.ts'
import {
  compare,
  type Difference,
  type Line,
  lastCompaction,
  type Side,
  sideAt,
} from './difference.ts'

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
  const target = parseTarget(one, 'diff', io)
  if (other !== undefined) {
    if (flags.from !== undefined || flags.to !== undefined)
      throw new PrecisError('usage', '--from and --to are for one session', {
        where: '--from',
        hint: 'Give one session, or two without them.',
      })
    const second = parseTarget(other, 'diff', io)
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

/** One session at two moments: the given ones, or around its last compaction. */
async function moments(target: Target, flags: DiffFlags, io: Io): Promise<readonly [Side, Side]> {
  return onEvents(io, target, flags, (events) => {
    const momentOf = (text: string | undefined, option: string) =>
      text === undefined ? undefined : wholeNumber(text, option, 0, events.length)
    const [givenFrom, givenTo] = [momentOf(flags.from, '--from'), momentOf(flags.to, '--to')]
    const last = givenFrom === undefined ? lastCompaction(events) : undefined
    if (givenFrom === undefined && !last?.isInForce)
      throw nothingInForce(readName(target), last?.seq)
    const from = givenFrom ?? (last?.seq ?? 1) - 1
    // Later messages are not part of its change.
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
