// The start of a file, and its format.
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import type { Sample, SessionFormat, Source } from '../session-format.ts'
import { jsonItems, ROOT } from './json-items.ts'
import { parseJsonText } from './json-text.ts'
import { decoded } from './lines.ts'
import { type Fields, isFields, objectIn } from './raw.ts'

/** The first records of some tools contain a whole system prompt, or an image. */
const SAMPLE_CHARS = 4_000_000
/** Limit if the first message is longer than that. */
const WIDER_CHARS = 64_000_000
const SAMPLE_LINES = 50
const PIECE_CHARS = 65_536
const SAMPLE_ITEMS = 20
/** A list of numbers may have a million items, a conversation a thousand. */
const LOOKED_AT = 10_000
/** Lists that hold records in some format. */
const LISTS = [ROOT, 'messages', 'history', 'trajectory', 'input', 'loglines', 'items']

export async function readSample(source: Source): Promise<Sample> {
  const sample = await sampleWithin(source, SAMPLE_CHARS)
  const { text, lines, items } = sample
  const isCut = text.length === SAMPLE_CHARS && /^\s*[{[]/.test(text)
  const isSilent = items.length === 0 && lines.length === 0
  return isCut && isSilent ? sampleWithin(source, WIDER_CHARS) : sample
}

async function sampleWithin(source: Source, chars: number): Promise<Sample> {
  const text = await beginning(source, chars)
  if (text.trim() === '')
    throw new PrecisError('invalid-input', 'the input is empty', {
      hint: 'Give it a session file, or a JSON document with the messages of a conversation.',
    })
  const lines = objectLines(text)
  // A document may contain lines that are objects; each line is a record only if the first one is.
  const isLines =
    lines.length > 1 && objectIn(text.trimStart().split('\n', 1)[0] ?? '') !== undefined
  if (isLines) return { text, lines, items: [], keys: [] }
  const items: { list: string; value: Json }[] = []
  let shell: Json = {}
  try {
    let looked = 0
    for await (const piece of jsonItems(inPieces(text), LISTS)) {
      if (looked >= LOOKED_AT) break
      looked += 1
      if (piece.type === 'shell') shell = piece.value
      if (piece.type === 'item' && items.length < SAMPLE_ITEMS)
        items.push({ list: piece.list, value: piece.value })
    }
  } catch (thrown) {
    // Not a document: perhaps Markdown, or lines whose first one is cut.
    if (!PrecisError.is(thrown)) throw thrown
  }
  const named = isFields(shell) ? Object.keys(shell) : []
  return { text, lines, items, keys: named.length > 0 ? named : keysIn(text) }
}

/** The format whose files start like this. For a broken document, throws with the place. */
export function detectFormat(sample: Sample, formats: readonly SessionFormat[]): SessionFormat {
  const found = formats.find((format) => format.detect(sample))
  if (found) return found
  const { text, lines } = sample
  if (/^\s*[{[]/.test(text) && text.length < SAMPLE_CHARS && lines.length === 0) parseJsonText(text)
  throw new PrecisError('unknown-format', 'the format of the file is unknown', {
    hint: `Formats that are read: ${formats.map(({ id }) => id).join(', ')}.`,
  })
}

/** A text in memory as a source. */
export function textSource(text: string): Source {
  return {
    bytes: text.length,
    async *open() {
      yield text
    },
  }
}

/** In pieces, so that a list of a million numbers is not split before the first one is seen. */
function inPieces(text: string): Source {
  return {
    bytes: text.length,
    async *open() {
      for (let at = 0; at < text.length; at += PIECE_CHARS) yield text.slice(at, at + PIECE_CHARS)
    },
  }
}

async function beginning(source: Source, chars: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for await (const chunk of source.open()) {
    text += decoded(decoder, chunk, 1)
    if (text.length >= chars) break
  }
  return text.replace(/^\uFEFF/, '').slice(0, chars)
}

function objectLines(text: string): Fields[] {
  const lines = text.split('\n', SAMPLE_LINES)
  return lines.map(objectIn).filter((value) => value !== undefined)
}

/** For a cut document, the fields named in its start. */
function keysIn(text: string): string[] {
  const start = text.slice(0, 2_000)
  return [...start.matchAll(/"(\w+)"\s*:/g)].flatMap(([, name]) => (name ? [name] : []))
}
