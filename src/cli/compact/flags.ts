// The options of `precis compact`, validated together before anything is read.
import { PrecisError } from '../../core/errors.ts'

export interface Flags {
  readonly format?: string
  readonly to?: string
  readonly strategy?: string
  readonly model?: string
  readonly counter?: string
  readonly budget?: string
  readonly instructions?: string
  readonly pin?: readonly string[]
  readonly input?: string
  readonly output?: string
  readonly out?: string
  readonly force?: boolean
  readonly inPlace?: boolean
  readonly dryRun?: boolean
  readonly apply?: string
  readonly redact?: boolean
  readonly json?: boolean
}

/** Where the result goes: a file, `-` for standard output, the input itself, or nowhere. */
export type Destination =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'in-place' }
  | { readonly kind: 'none' }

export function chooseDestination({ out, output, inPlace = false }: Flags): Destination {
  if (out !== undefined && output !== undefined)
    throw conflict('--out and --output are the same', '--out')
  const path = out ?? output
  if (inPlace && path !== undefined)
    throw conflict('the result goes into the file itself, or into another one', '--in-place')
  if (inPlace) return { kind: 'in-place' }
  return path === undefined ? { kind: 'none' } : { kind: 'file', path }
}

/** Options a proposal has already decided. */
const DECIDED = [
  'format',
  'to',
  'strategy',
  'model',
  'budget',
  'instructions',
  'pin',
  'dryRun',
  'redact',
] as const satisfies (keyof Flags)[]

/** With `--apply` only the destination is left to choose. */
export function refuseBesideApply(file: string | undefined, flags: Flags): void {
  const given = DECIDED.find((name) => flags[name] !== undefined)
  if (given === undefined && file === undefined && flags.input === undefined) return
  const what =
    given === undefined ? 'a file' : `--${given.replace(/[A-Z]/, (l) => `-${l.toLowerCase()}`)}`
  throw conflict(`${what} cannot be given with --apply: the proposal says it`, '--apply')
}

export function readSource(file: string | undefined, input: string | undefined): string {
  if (file !== undefined && input !== undefined)
    throw new PrecisError('usage', 'the input is given twice', {
      hint: 'Give the file as the argument or with --input, not both.',
    })
  return file ?? input ?? ''
}

function conflict(message: string, where: string): PrecisError {
  return new PrecisError('usage', message, { where, hint: 'See precis compact --help.' })
}
