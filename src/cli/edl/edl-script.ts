// `precis edl`: runs a script on the files of a directory, all or nothing, with a report.
import { resolve } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { PrecisError } from '../../core/errors.ts'
import type { EdlDone, EdlRefused } from '../../edl/result.ts'
import { runScript } from '../../edl/run.ts'
import { openWorkspace } from '../../tools/workspace.ts'
import type { Io } from '../process-io.ts'
import { readText } from '../terminal/io.ts'
import { deliver, sourceName } from '../terminal/source.ts'
import { oneLine, padColumns, type Style, wrapLines } from '../terminal/terminal.ts'
import { FolderFiles, type PlannedFile } from './edl-files.ts'

const DEFAULT_COLUMNS = 100

export interface EdlFlags {
  readonly root: string
  readonly dryRun?: boolean
  readonly diff?: boolean
  readonly partial?: boolean
  readonly json?: boolean
}

/** Rejects for an invalid script, and, after the report, if a file failed. */
export async function applyScript(source: string, flags: EdlFlags, io: Io): Promise<void> {
  const { root, dryRun = false, partial = false } = flags
  if (source === '' || root === '')
    throw new PrecisError('usage', source === '' ? 'no script is given' : '--root is empty', {
      hint: 'Name both, as in precis edl change.edl --root docs; - reads the script from standard input.',
    })
  const workspace = openWorkspace({ root: resolve(io.cwd, root) })
  const files = new FolderFiles(workspace)
  const result = await runScript(await readText(source, io), files)
  if (result.status === 'error') throw refused(source, result)
  const { errors, warnings } = result
  const isWritten = !dryRun && (partial || errors.length === 0) && files.planned.length > 0
  if (isWritten) await files.commit()
  const report: EdlReport = {
    script: source,
    root,
    dryRun,
    written: isWritten,
    files: fileReports(result, files.planned, dryRun || flags.diff === true),
    errors: errors.map(({ path, message, mutationsNotApplied }) => ({
      path,
      message,
      mutationsNotApplied,
    })),
    warnings,
  }
  await deliver(io, {
    report,
    result: '',
    output: undefined,
    json: flags.json,
    columns: DEFAULT_COLUMNS,
    render: renderEdl,
  })
  if (errors.length > 0) throw failed(report)
}

function refused(source: string, { error, line, column }: EdlRefused): PrecisError {
  const [message = '', hint] = error.split('\nHint: ')
  const place = line === undefined ? '' : `, line ${line}, column ${column}`
  return new PrecisError('invalid-input', message, {
    where: `${sourceName(source)}${place}`,
    hint: hint ?? 'Nothing was changed. The language is described in docs/edl.md.',
  })
}

function failed({ errors, written, root }: EdlReport): PrecisError {
  const what = errors.length === 1 ? 'a file failed' : `${errors.length} files failed`
  const rest = written ? 'the others were written' : 'nothing was written'
  return new PrecisError('invalid-input', `${what}: ${rest}`, {
    where: errors.map(({ path }) => path).join(', '),
    hint: written
      ? 'Run the part of the script for these files again when it is corrected.'
      : `Correct the script, or give --partial to write the other files of ${root}.`,
    details: { errors },
  })
}

/** The report of an EDL script: the result for each file, and the differences. */
interface EdlReport {
  readonly script: string
  readonly root: string
  readonly dryRun: boolean
  readonly written: boolean
  readonly files: readonly EdlFileReport[]
  readonly errors: readonly {
    readonly path: string
    readonly message: string
    readonly mutationsNotApplied: number
  }[]
  readonly warnings: readonly string[]
}

interface EdlFileReport {
  readonly path: string
  readonly status: 'changed' | 'created'
  readonly replacements: number
  readonly insertions: number
  readonly deletions: number
  readonly linesAdded: number
  readonly linesRemoved: number
  /** Set if differences were requested; null if there are too many. */
  readonly diff?: string | null
}

const SHOWN_WARNINGS = 5
/** An error is shown in full, however wide the terminal. */
const SHOWN_MESSAGE = 500
const CONTEXT_LINES = 3
/** The work grows with the square of this. */
const MOST_DIFFERENCES = 5_000

function fileReports(
  { files }: EdlDone,
  planned: readonly PlannedFile[],
  withDiff: boolean,
): EdlFileReport[] {
  return files.map(({ isNew, ...file }) => {
    const plan = planned.find(({ path }) => path === file.path)
    return {
      ...file,
      status: isNew ? 'created' : 'changed',
      ...(withDiff && plan && { diff: computeDiff(plan) }),
    }
  })
}

function renderEdl(report: EdlReport, style: Style, columns: number): string {
  const { files, errors, warnings } = report
  const source = report.script === '-' ? 'standard input' : report.script
  const width = Math.max(0, ...[...files, ...errors].map(({ path }) => path.length))
  const name = (path: string) => padColumns(oneLine(path, 40), Math.min(width, 40))
  const sections = [
    [`${style.bold('précis')} · ${oneLine(source, 60)} on ${oneLine(report.root, 60)}`],
    [
      ...files.map(
        (file) => `  ${name(file.path)}  ${file.status}  ${style.dim(countsText(file))}`,
      ),
      ...errors.map(
        ({ path, message }) =>
          `  ${name(path)}  ${style.bold('failed')}   ${oneLine(message, SHOWN_MESSAGE)}`,
      ),
    ],
    warningLines(warnings, style, columns),
    files.flatMap(diffLines),
    [verdict(report, style)],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function countsText(file: EdlFileReport): string {
  const counts = [
    [file.replacements, 'replaced'],
    [file.insertions, 'inserted'],
    [file.deletions, 'deleted'],
  ] as const
  const done = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return [...done, `+${file.linesAdded}/-${file.linesRemoved} lines`].join(', ')
}

function warningLines(warnings: readonly string[], style: Style, columns: number): string[] {
  if (warnings.length === 0) return []
  const more = warnings.length - SHOWN_WARNINGS
  return [
    'Warnings:',
    ...warnings.slice(0, SHOWN_WARNINGS).flatMap((warning) => wrapLines(warning, columns)),
    ...(more > 0 ? [style.dim(`  and ${more} more: --json lists them all`)] : []),
  ]
}

function diffLines({ path, diff }: EdlFileReport): string[] {
  if (diff === undefined) return []
  if (diff === null) return [`${oneLine(path, 60)}: too different to be shown line by line`]
  return [diff.trimEnd().replaceAll('\r', '[U+000D]')] // line ends may be the only difference
}

function verdict({ dryRun, written, files, errors }: EdlReport, style: Style): string {
  if (written) return `Written: ${files.length === 1 ? 'one file' : `${files.length} files`}.`
  if (errors.length > 0) return style.bold('Nothing was written.')
  if (files.length === 0) return 'Nothing changed: no file was modified.'
  return dryRun ? 'Nothing was written: this was a dry run.' : 'Nothing was written.'
}

function computeDiff({ path, before, after }: PlannedFile): string | null {
  const name = path.replace(/^\/+/, '')
  const patch = createTwoFilesPatch(
    before === undefined ? '/dev/null' : `a/${name}`,
    `b/${name}`,
    before ?? '',
    after,
    undefined,
    undefined,
    { context: CONTEXT_LINES, maxEditLength: MOST_DIFFERENCES },
  )
  return patch?.replace(/^=+\n/, '') ?? null
}
