// `precis doctor`: prints findings, notes, problems and fixes
import { PrecisError } from '../../core/errors.ts'
import type { Io } from '../process-io.ts'
import { asTyped, programName } from '../program-name.ts'
import { tell } from '../terminal/print.ts'
import { oneLine, padColumns } from '../terminal/terminal.ts'
import { runChecks } from './checks.ts'

const SIGNS = { well: '✓', note: '·', fault: '✗' } as const
const PAGE = 'docs/troubleshooting.md'

/** Rejects if there is a fault, after the report is out. */
export async function runDoctor({ json }: { readonly json?: boolean }, io: Io): Promise<void> {
  const findings = await runChecks(io)
  const program = programName(io)
  const faults = findings.filter(({ state }) => state === 'fault').length
  await tell(io, { faults, findings, page: PAGE }, json, (told, style, columns) => {
    const lines = told.findings.flatMap(({ check, state, message, fix }) => {
      const sign = state === 'well' ? style.good(SIGNS.well) : style.bold(SIGNS[state])
      return [
        `${sign} ${padColumns(check, 10)}${oneLine(message, 2 * columns)}`,
        ...(fix === undefined
          ? []
          : [`  ${' '.repeat(10)}${style.dim(`→ ${asTyped(fix, program)}`)}`]),
      ]
    })
    const end = told.faults === 0 ? 'Nothing is wrong.' : `${told.faults} to mend.`
    return `${lines.join('\n')}\n${end} More help: ${PAGE}\n`
  })
  if (faults === 0) return
  throw new PrecisError(
    'wrong-setup',
    `${faults} ${faults === 1 ? 'fault was' : 'faults were'} found`,
    {
      hint: `The report has a fix for each; ${PAGE} has more.`,
    },
  )
}
