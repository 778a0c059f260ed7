// `precis fork`, `undo`, `redo` and `pins`
import { PrecisError } from '../../core/errors.ts'
import { weightOf } from '../../core/view/context.ts'
import type { Io } from '../process-io.ts'
import { redoReplacement, undoReplacement } from '../session/backups.ts'
import { targetOf, threadTarget } from '../session/formats.ts'
import { wholeNumber } from '../terminal/source.ts'
import { oneLine, padColumns, print, thousands } from '../terminal/terminal.ts'
import { withHome } from './home.ts'

export async function forkThread(
  given: string,
  flags: { readonly at?: string; readonly json?: boolean },
  io: Io,
): Promise<void> {
  const threadId = threadTarget(given, 'precis import takes a file into the store.')
  const at =
    flags.at === undefined ? undefined : wholeNumber(flags.at, '--at', 1, Number.MAX_SAFE_INTEGER)
  const forkId = await withHome(io, async ({ threads }) => {
    const { version } = await threads.context(threadId)
    if (at !== undefined && at > version)
      throw new PrecisError('usage', `${threadId} has ${version} events`, {
        where: '--at',
        hint: `Give a number up to ${version}.`,
      })
    return threads.fork(threadId, at)
  })
  await print(
    io,
    { threadId: forkId, from: threadId, ...(at !== undefined && { at }) },
    flags.json,
    (told) => {
      return `${told.threadId}\n`
    },
  )
}

type Way = 'undo' | 'redo'

/** Of a thread its last compaction; of a file the last replacement by `precis compact --in-place`. */
export async function reverseChange(
  way: Way,
  given: string,
  flags: { readonly json?: boolean },
  io: Io,
): Promise<void> {
  const target = targetOf(given, way, io)
  if (target.kind === 'file') {
    const reverse = way === 'undo' ? undoReplacement : redoReplacement
    const { path, what, at } = await reverse(target.path, io)
    await print(io, { file: path, what, at }, flags.json, (told) =>
      way === 'undo'
        ? `${target.path} is restored: it was ${told.what}.\n`
        : `${target.path} is again ${told.what}.\n`,
    )
    return
  }
  const { threadId } = target
  const told = await withHome(io, async ({ threads }) => {
    const before = await threads.context(threadId)
    const event = await threads[way](threadId)
    const after = await threads.context(threadId)
    const of = 'of' in (event.data as object) ? (event.data as { of: number }).of : null
    const left = way === 'undo' ? after.stack.length : after.undone.length
    return { threadId, seq: event.seq, of, before: weightOf(before), after: weightOf(after), left }
  })
  await print(io, told, flags.json, ({ of, before, after, left }) => {
    const done = way === 'undo' ? 'was undone' : 'is applied again'
    const more = left === 0 ? `Nothing is left to ${way}.` : `${left} more to ${way}.`
    return `The compaction of event ${of} ${done}: ${thousands(before)} → ${thousands(after)} tokens. ${more}\n`
  })
}

export interface PinsFlags {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  readonly json?: boolean
}

export async function changePins(given: string, flags: PinsFlags, io: Io): Promise<void> {
  const threadId = threadTarget(
    given,
    'For a file: precis compact FILE --pin TEXT, or precis import it first.',
  )
  const pins = await withHome(io, async ({ threads }) => {
    for (const text of flags.add ?? []) await threads.pin(threadId, { text, by: 'user' })
    for (const pinId of flags.remove ?? []) await threads.unpin(threadId, pinId)
    return threads.pins(threadId)
  })
  await print(io, pins, flags.json, (list, style, columns) => {
    if (list.length === 0)
      return 'Nothing is pinned. --add TEXT keeps a text through every compaction.\n'
    return list
      .map(({ pinId, text, entries = [], by = 'user' }) => {
        const what = text ?? `entries ${entries.join(', ')}`
        return `${padColumns(style.bold(pinId), 36)} ${oneLine(what, columns - 50)} ${style.dim(by)}\n`
      })
      .join('')
  })
}
