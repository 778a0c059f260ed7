// Session files into the user's store, each as a thread, with an account of every record.
import type { Composed } from '../../compose.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { weightOf } from '../../core/view/context.ts'
import type { Io } from '../process-io.ts'
import { programName } from '../program-name.ts'
import { digestOfSource } from '../session/backups.ts'
import { type EarlierImport, earlierImports, importedFrom } from '../session/earlier-imports.ts'
import { openInput } from '../session/input.ts'
import { type ReadSession, readSession } from '../session/read-session.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { oneLine, print, type Style, thousands } from '../terminal/terminal.ts'
import { withHome } from './home.ts'

export interface ImportFlags {
  readonly format?: string
  readonly title?: string
  readonly records: boolean
  readonly json?: boolean
}

interface Imported {
  readonly file: string
  readonly format: string
  readonly threadId: string
  readonly subThreads: readonly string[]
  readonly compactions: number
  readonly events: number
  readonly tokens: number
  readonly records: {
    readonly all: number
    readonly modelled: number
    readonly kept: Readonly<Record<string, number>>
    readonly ignored: Readonly<Record<string, number>>
  }
  readonly problems: readonly string[]
  /** The thread that came from the very same file before. */
  readonly earlier?: EarlierImport
  /** That one was interrupted, and is whole now. */
  readonly isContinued?: true
}

interface NotImported {
  readonly file: string
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string }
}

/** A file that cannot be read does not keep the others out. */
export async function importSessions(
  files: readonly string[],
  flags: ImportFlags,
  io: Io,
): Promise<void> {
  if (flags.title !== undefined && files.length > 1)
    throw new PrecisError('usage', 'a title is for one file', {
      where: '--title',
      hint: 'Import the files one by one, or leave it out.',
    })
  const told: (Imported | NotImported)[] = []
  await withHome(io, async (home) => {
    const known = await earlierImports(home.store)
    for (const file of files) {
      try {
        told.push(await importFile(home, file, flags, known, io))
      } catch (thrown) {
        if (files.length === 1) throw thrown
        told.push(failureOn(file, thrown))
      }
    }
  })
  const program = programName(io)
  await print(io, told, flags.json, (list, style, columns) =>
    list.map((each) => readLines(each, style, columns, program)).join(''),
  )
  const failed = told.filter((each) => 'error' in each).length
  if (failed > 0)
    throw new PrecisError('invalid-input', `${failed} of ${files.length} files were not imported`, {
      hint: 'The other files are in the store. The report lists the errors.',
    })
}

async function importFile(
  home: Composed,
  file: string,
  flags: ImportFlags,
  known: Map<string, EarlierImport>,
  io: Io,
): Promise<Imported> {
  const progress = new ProgressLine(io.stderr)
  try {
    const source = await openInput(file, io)
    const digest = await digestOfSource(source)
    const now = home.clock.now()
    const options = {
      named: flags.format,
      progress,
      records: flags.records ? ('keep' as const) : ('drop' as const),
      source: importedFrom(digest, now),
      ...(flags.title !== undefined && { title: flags.title }),
    }
    const earlier = known.get(digest)
    const continued = earlier?.isPartial
      ? await continueImport(home, source, file, { ...options, earlier: { ...home, ...earlier } })
      : undefined
    const read = continued ?? (await readSession(home, source, file, options))
    const { threadId } = read
    if (!earlier || continued)
      known.set(digest, { threadId, at: now.toISOString(), isPartial: false })
    const account = await accountOf(home, file, read)
    if (continued) return { ...account, isContinued: true }
    return { ...account, ...(earlier && { earlier }) }
  } finally {
    progress.end()
  }
}

/** Undefined where the thread goes on in another way, by other options or since somebody worked on it. */
async function continueImport(
  ...given: Parameters<typeof readSession>
): Promise<ReadSession | undefined> {
  try {
    return await readSession(...given)
  } catch (thrown) {
    if (PrecisError.is(thrown) && thrown.code === 'id-conflict') return undefined
    throw thrown
  }
}

async function accountOf(
  { threads }: Composed,
  file: string,
  { threadId, subThreadIds, compactions, format, notes }: ReadSession,
): Promise<Imported> {
  const context = await threads.context(threadId)
  const { records, modelled, kept, ignored } = notes.account
  return {
    file,
    format: format.id,
    threadId,
    subThreads: subThreadIds,
    compactions,
    events: context.version,
    tokens: weightOf(context),
    records: {
      all: records,
      modelled,
      kept: Object.fromEntries(kept),
      ignored: Object.fromEntries(ignored),
    },
    problems: notes.problems,
  }
}

function failureOn(file: string, thrown: unknown): NotImported {
  const { code, message, hint } = asPrecisError(thrown)
  return { file, error: { code, message, ...(hint !== undefined && { hint }) } }
}

const SHOWN_PROBLEMS = 5

function readLines(
  each: Imported | NotImported,
  style: Style,
  columns: number,
  program: string,
): string {
  const file = oneLine(each.file, columns - 10)
  if ('error' in each)
    return `${style.bold('not imported')} ${file}: ${oneLine(each.error.message, columns)}\n`
  const { records } = each
  const kept = computeSum(records.kept)
  const ignored = computeSum(records.ignored)
  const lines = [
    `${style.bold(each.threadId)}  ${file} ${style.dim(`(${each.format})`)}`,
    `  ${thousands(each.events)} events, ${thousands(each.tokens)} tokens in the context, ${counted(each.compactions, 'recorded compaction')}, ${counted(each.subThreads.length, 'sub-thread')}`,
    `  ${counted(records.all, 'record')}: ${thousands(records.modelled)} became events, ${thousands(kept)} kept unchanged, ${thousands(ignored)} left out`,
    ...(each.earlier ? [earlierLine(each.earlier, program)] : []),
    ...(each.isContinued
      ? ['  An earlier import of this file was interrupted; this one went on with it.']
      : []),
    ...each.problems
      .slice(0, SHOWN_PROBLEMS)
      .map((problem) => `  ${oneLine(problem, columns - 2)}`),
    ...(each.problems.length > SHOWN_PROBLEMS
      ? [
          style.dim(
            `  and ${each.problems.length - SHOWN_PROBLEMS} more remarks: --json lists them all`,
          ),
        ]
      : []),
  ]
  return `${lines.join('\n')}\n`
}

function earlierLine({ threadId, at, isPartial }: EarlierImport, program: string): string {
  const time = at.slice(0, 16).replace('T', ' ')
  if (isPartial)
    return `  An import of this file on ${time} was interrupted: ${threadId} is partial, and could not be continued with these options.`
  return `  The same file was imported on ${time} already, and is now there twice. To continue the first one: ${program} chat ${threadId}`
}

function computeSum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function counted(count: number, word: string): string {
  return `${thousands(count)} ${word}${count === 1 ? '' : 's'}`
}
