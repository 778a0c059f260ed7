// `precis edl`: runs a script on the files of a directory, all or nothing, with a report
import { resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { EdlRefused } from '../../edl/result.ts'
import { runScript } from '../../edl/run.ts'
import { openWorkspace } from '../../tools/workspace.ts'
import type { Io } from '../process-io.ts'
import { deliver } from '../terminal/deliver.ts'
import { readText } from '../terminal/io.ts'
import { sourceName } from '../terminal/source.ts'
import { FolderFiles } from './edl-files.ts'
import { type EdlReport, fileReports, renderEdl } from './edl-report.ts'

const DEFAULT_COLUMNS = 100

export interface EdlFlags {
  readonly root: string
  readonly dryRun?: boolean
  readonly diff?: boolean
  readonly partial?: boolean
  readonly json?: boolean
}

/** Rejects if the script cannot be read, and, after the report is out, where a file failed. */
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
