// Formats by name: of a file, and of a result.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { PageFormat } from '../../formats/pages.ts'
import type { SessionFormat } from '../../formats/session-format.ts'
import type { Io } from '../process-io.ts'

export type WrittenFormat =
  | {
      readonly kind: 'session'
      readonly format: SessionFormat & Required<Pick<SessionFormat, 'write'>>
    }
  | { readonly kind: 'page'; readonly format: PageFormat }

type FormatRegistry = Pick<Composed, 'formats' | 'pages'>

/** The default if the input's own format cannot be written. */
const USUAL = 'anthropic'

/** The format with this name; throws `usage` with the nearest one. */
export function readFormat(
  id: string,
  { formats }: FormatRegistry,
  option = '--format',
): SessionFormat {
  const found = formats.find((format) => format.id === id)
  if (found) return found
  throw unknownFormat(id, formats, option)
}

/** The requested format; otherwise the input's if it can be written; otherwise a plain one. */
export function writtenFormat(
  asked: string | undefined,
  own: SessionFormat | undefined,
  known: FormatRegistry,
): WrittenFormat {
  const { formats, pages } = known
  if (asked === undefined) return sessionWriter(own) ?? buildSessionWriter(USUAL, known)
  const page = pages.find((format) => format.id === asked)
  if (page) return { kind: 'page', format: page }
  const written = sessionWriter(formats.find((format) => format.id === asked))
  if (written) return written
  const writers = [...formats.filter(({ write }) => write), ...pages]
  if (!formats.some(({ id }) => id === asked)) throw unknownFormat(asked, writers, '--to')
  throw new PrecisError('usage', `précis reads the format ${asked} but cannot write it`, {
    where: '--to',
    hint: `Formats that are written: ${readIds(writers)}.`,
  })
}

function buildSessionWriter(id: string, { formats }: FormatRegistry): WrittenFormat {
  const writer = sessionWriter(formats.find((format) => format.id === id))
  if (writer) return writer
  throw new PrecisError('internal', `there is no format ${id}`)
}

function sessionWriter(format: SessionFormat | undefined): WrittenFormat | undefined {
  const write = format?.write
  return format && write ? { kind: 'session', format: { ...format, write } } : undefined
}

function unknownFormat(
  id: string,
  known: readonly { readonly id: string }[],
  option: string,
): PrecisError {
  const near = nearestWord(
    id,
    known.map((format) => format.id),
  )
  return new PrecisError('usage', `Unknown format: ${id}`, {
    where: option,
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known formats: ${readIds(known)}.`,
  })
}

function readIds(formats: readonly { readonly id: string }[]): string {
  return formats.map(({ id }) => id).join(', ')
}

/** The target of a command: a file, standard input, or a thread. */
export type Target =
  | { readonly kind: 'file'; readonly path: string } // `-` is standard input
  | { readonly kind: 'thread'; readonly threadId: string }

const THREAD = /^thr_\w+$/

export function isThread(given: string): boolean {
  return THREAD.test(given)
}

/** A file takes precedence over a thread of the same name. */
export function parseTarget(given: string, command: string, { cwd }: Pick<Io, 'cwd'>): Target {
  if (given === '')
    throw new PrecisError('usage', 'no input', {
      hint: `Name a file or a thread, as in precis ${command} session.jsonl; - reads standard input.`,
    })
  return THREAD.test(given) && !existsSync(resolve(cwd, given))
    ? { kind: 'thread', threadId: given }
    : { kind: 'file', path: given }
}

/** For operations files do not have. `instead` says what to do with one. */
export function threadTarget(given: string, instead: string): string {
  if (THREAD.test(given)) return given
  throw new PrecisError('usage', `${given} is not a thread`, {
    where: given,
    hint: `A thread is named like thr_0mwh…; precis threads lists them. ${instead}`,
  })
}

/** Its name for people. */
export function readName(target: Target): string {
  if (target.kind === 'thread') return target.threadId
  return target.path === '-' ? 'standard input' : target.path
}
