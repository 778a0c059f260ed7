// `precis import`: imports session files into the user's store, one thread each, and accounts for every
// record.
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Composed } from '../../compose.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import type { Source } from '../../formats/session-format.ts'
import type { Io } from '../process-io.ts'
import { programName } from '../program-name.ts'
import { openInput } from '../session/input.ts'
import {
  type EarlierImport,
  type EarlierImports,
  earlierImports,
} from '../session/replace-unchanged.ts'
import { chooseSessions } from '../sessions/choose-sessions.ts'
import type { ChosenBy } from '../sessions/choosing.ts'
import { underSyncLease } from '../sessions/import-grown.ts'
import { ProgressLine, stoppable } from '../terminal/progress.ts'
import { counted, oneLine, print, type Style, thousands, wrapLines } from '../terminal/terminal.ts'
import { withHome } from './home.ts'
import { type ImportAccount, type Imported, importFile } from './import-file.ts'

export interface ImportFlags extends ChosenBy {
  readonly format?: string
  readonly title?: string
  readonly records: boolean
  readonly json?: boolean
}

interface NotImported {
  readonly file: string
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string }
}

/** An unreadable file does not stop the others. */
export async function importSessions(
  given: readonly string[],
  flags: ImportFlags,
  io: Io,
): Promise<void> {
  const files = await chooseSessions(given, flags, io)
  if (files.length === 0)
    throw new PrecisError('usage', 'no input', {
      hint: 'Name files or directories, as in precis import session.jsonl; --all takes every session on this machine.',
    })
  if (flags.title !== undefined && files.length > 1)
    throw new PrecisError('usage', '--title works with one file only', {
      where: '--title',
      hint: 'Import the files one by one, or leave it out.',
    })
  const told: (Imported | NotImported)[] = []
  let current: string | undefined
  await stoppable(
    io,
    () => printLeft(told, current),
    async () => {
      const streams = await readStreams(files, io)
      await withImports(io, async (home, known) => {
        const { format, title } = flags
        for (const file of files) {
          current = file
          const progress = new ProgressLine(io.stderr)
          const records = flags.records ? 'keep' : 'drop'
          try {
            const source = await streams.get(file)
            const wish = { format, title, records, progress, ...(source && { source }) } as const
            told.push(await importFile(home, file, wish, known, io))
          } catch (thrown) {
            if (files.length === 1) throw thrown
            told.push(failureOn(file, thrown))
          } finally {
            progress.end()
            current = undefined
          }
        }
      })
    },
  )
  const program = programName(io)
  await print(io, told.map(flat), flags.json, (list, style, columns) =>
    list.map((each) => readLines(each, style, columns, program)).join(''),
  )
  const failed = told.filter((each) => 'error' in each).length
  if (failed > 0)
    throw new PrecisError('invalid-input', `${failed} of ${files.length} files were not imported`, {
      hint: 'The other files are in the store. The report lists the errors.',
    })
}

/** Printed when an import is stopped. */
function printLeft(told: readonly (Imported | NotImported)[], current: string | undefined): string {
  const done = told.filter((each) => !('error' in each)).length
  const imported = done === 0 ? 'Nothing was imported' : `${counted(done, 'file')} imported`
  return current === undefined
    ? `${imported}.`
    : `${imported} as a whole; of ${current} a part may be in the store. The same command again completes it.`
}

/** Output of another program may take any time: read it before making others wait. */
async function readStreams(files: readonly string[], io: Io) {
  const read = new Map<string, Promise<Source>>()
  for (const file of files) {
    const found = await stat(resolve(io.cwd, file)).catch(() => undefined)
    if (file !== '-' && (!found || found.isFile() || found.isDirectory())) continue
    const source = openInput(file, io)
    read.set(file, source)
    await source.catch(() => undefined) // reported in its turn
  }
  return read
}

/** Waits for other imports and syncs of this store: two at once would import the same file twice. */
async function withImports(
  io: Io,
  work: (home: Composed, known: EarlierImports) => Promise<void>,
): Promise<void> {
  const waiting = new ProgressLine(io.stderr)
  const onWait = () => waiting.say('waiting for another import into this store …', 'step')
  const options = { mostWaitMs: Number.POSITIVE_INFINITY, isStopped: () => false, onWait }
  await withHome(io, (home) =>
    underSyncLease(home, options, async (leased) => {
      waiting.end()
      await work(leased, await earlierImports(home.store))
    }),
  )
}

type ImportLine = NotImported | (Omit<Imported, 'read'> & Partial<ImportAccount>)

/** One level, for programs. */
function flat(each: Imported | NotImported): ImportLine {
  if ('error' in each) return each
  const { read, ...facts } = each
  return { ...facts, ...read }
}

function failureOn(file: string, thrown: unknown): NotImported {
  const { code, message, hint } = asPrecisError(thrown)
  return { file, error: { code, message, ...(hint !== undefined && { hint }) } }
}

const SHOWN_PROBLEMS = 5

function readLines(each: ImportLine, style: Style, columns: number, program: string): string {
  const file = oneLine(each.file, columns - 10)
  if ('error' in each)
    return `${style.bold('not imported')} ${file}\n${wrapLines(each.error.message, columns).join('\n')}\n`
  const { records, problems = [], format, compactions = 0, subThreads = [] } = each
  const facts = [
    counted(each.events, 'event'),
    `${thousands(each.tokens)} tokens in the context`,
    ...(records
      ? [counted(compactions, 'recorded compaction'), counted(subThreads.length, 'sub-thread')]
      : []),
  ]
  const lines = [
    `${style.bold(each.threadId)}  ${file}${format === undefined ? '' : style.dim(` (${format})`)}`,
    `  ${facts.join(', ')}`,
    ...(records ? [recordsLine(records)] : []),
    ...outcomeLines(each, program),
    ...problems.slice(0, SHOWN_PROBLEMS).flatMap((problem) => wrapLines(problem, columns)),
    ...(problems.length > SHOWN_PROBLEMS
      ? [style.dim(`  and ${problems.length - SHOWN_PROBLEMS} more remarks: --json lists them all`)]
      : []),
  ]
  return `${lines.join('\n')}\n`
}

function recordsLine({ all, modelled, kept, ignored }: ImportAccount['records']): string {
  const [same, out] = [computeSum(kept), computeSum(ignored)]
  return `  ${counted(all, 'record')}: ${thousands(modelled)} became events, ${thousands(same)} kept unchanged, ${thousands(out)} left out`
}

function outcomeLines(
  { outcome, added, earlier }: Exclude<ImportLine, NotImported>,
  program: string,
) {
  if (!earlier) return []
  const time = earlier.at.slice(0, 16).replace('T', ' ')
  return [`  ${sentenceOn(outcome, added, earlier, time, program)}`]
}

function sentenceOn(
  outcome: Imported['outcome'],
  added: number,
  { threadId, isPartial }: EarlierImport,
  time: string,
  program: string,
): string {
  switch (outcome) {
    case 'known':
      return `Already imported on ${time}; nothing was added. To continue it: ${program} chat ${threadId}`
    case 'continued':
      return 'An earlier import of this file was interrupted; this one continued it.'
    case 'grown':
      return `The file has grown since ${time}: ${counted(added, 'event')} added.`
    case 'shortened':
      return `The file is shorter than on ${time}: the thread has all of it, and nothing was added.`
    case 'rewritten':
      return `The file was rewritten since ${time}. What it said before is ${threadId}.`
    default:
      return isPartial
        ? `An import of this file on ${time} was interrupted: ${threadId} is partial, and could not be continued with these options.`
        : ''
  }
}

function computeSum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
