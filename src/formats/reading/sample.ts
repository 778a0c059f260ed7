// The beginning of a file, and the format that it shows.
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import type { Sample, SessionFormat, Source } from '../session-format.ts'
import { jsonItems, ROOT } from './json-items.ts'
import { parseJsonText } from './json-text.ts'
import { decoded } from './lines.ts'
import { type Fields, isFields, objectIn } from './raw.ts'

/** The first records of some tools hold a whole system prompt, or an image. */
const SAMPLE_CHARS = 4_000_000
/** A first message can be longer than that: then so much is looked at. */
const WIDER_CHARS = 64_000_000
const SAMPLE_LINES = 50
const PIECE_CHARS = 65_536
const SAMPLE_ITEMS = 20
/** A list of numbers has a million items where a conversation has a thousand. */
const LOOKED_AT = 10_000
/** Lists that formats keep their records in. */
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
  // A document can have lines that are objects; only where the first is one, each is a record.
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
    // What is no document may be Markdown, or lines of which the first is cut.
    if (!PrecisError.is(thrown)) throw thrown
  }
  const named = isFields(shell) ? Object.keys(shell) : []
  return { text, lines, items, keys: named.length > 0 ? named : keysIn(text) }
}

/** The format whose files begin like this one. A document that is broken is told where it is. */
export function detectFormat(sample: Sample, formats: readonly SessionFormat[]): SessionFormat {
  const found = formats.find((format) => format.detect(sample))
  if (found) return found
  const { text, lines } = sample
  if (/^\s*[{[]/.test(text) && text.length < SAMPLE_CHARS && lines.length === 0) parseJsonText(text)
  throw new PrecisError('unknown-format', 'the format of the file is unknown', {
    hint: `Formats that are read: ${formats.map(({ id }) => id).join(', ')}.`,
  })
}

/** A text that is at hand, as a source. */
export function textSource(text: string): Source {
  return {
    bytes: text.length,
    async *open() {
      yield text
    },
  }
}

/** So that a list of a million numbers is not cut up before the first of them is looked at. */
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

/** Where the sample ends inside a document, the fields that its beginning names. */
function keysIn(text: string): string[] {
  const start = text.slice(0, 2_000)
  return [...start.matchAll(/"(\w+)"\s*:/g)].flatMap(([, name]) => (name ? [name] : []))
}
