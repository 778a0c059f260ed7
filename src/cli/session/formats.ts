// Formats by name: the format of a file, and of a result
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { PageFormat } from '../../formats/pages.ts'
import type { SessionFormat } from '../../formats/session-format.ts'

export type WrittenFormat =
  | {
      readonly kind: 'session'
      readonly format: SessionFormat & Required<Pick<SessionFormat, 'write'>>
    }
  | { readonly kind: 'page'; readonly format: PageFormat }

type Known = Pick<Composed, 'formats' | 'pages'>

/** What is written where nobody says otherwise, and a format of its own cannot be written. */
const USUAL = 'anthropic'

/** The format of this name; throws `usage` with the nearest one. */
export function readFormat(id: string, { formats }: Known, option = '--format'): SessionFormat {
  const found = formats.find((format) => format.id === id)
  if (found) return found
  throw unknownFormat(id, formats, option)
}

/** The format that is asked for; else that of the input where it can be written; else a plain one. */
export function writtenFormat(
  asked: string | undefined,
  own: SessionFormat | undefined,
  known: Known,
): WrittenFormat {
  const { formats, pages } = known
  if (asked === undefined) return sessionWriter(own) ?? sessionWriterOf(USUAL, known)
  const page = pages.find((format) => format.id === asked)
  if (page) return { kind: 'page', format: page }
  const written = sessionWriter(formats.find((format) => format.id === asked))
  if (written) return written
  const writers = [...formats.filter(({ write }) => write), ...pages]
  if (!formats.some(({ id }) => id === asked)) throw unknownFormat(asked, writers, '--to')
  throw new PrecisError('usage', `files of the format ${asked} are only read`, {
    where: '--to',
    hint: `Formats that are written: ${idsOf(writers)}.`,
  })
}

function sessionWriterOf(id: string, { formats }: Known): WrittenFormat {
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
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known formats: ${idsOf(known)}.`,
  })
}

function idsOf(formats: readonly { readonly id: string }[]): string {
  return formats.map(({ id }) => id).join(', ')
}
