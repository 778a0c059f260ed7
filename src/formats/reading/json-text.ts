// Parses JSON with errors that say where it fails and what the text may be instead.
import { PrecisError } from '../../core/errors.ts'
import { isJson, type Json } from '../../core/text/json.ts'
import { parseRecord } from '../../core/text/json-bounds.ts'
import { isFields } from './raw.ts'

/** How much of a text to examine for a guess. */
const GUESS_CHARS = 100_000

export function parseJsonText(text: string): Json {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (body.trim() === '')
    throw new PrecisError('invalid-input', 'the input is empty', {
      hint: 'Give it a session file, or a JSON document with the messages of a conversation.',
    })
  try {
    return parseRecord(body) as Json
  } catch (thrown) {
    if (PrecisError.is(thrown)) throw thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new PrecisError('invalid-input', `the input is not JSON: ${readReason(message)}`, {
      ...findPlace(message, body),
      hint: guess(body),
      cause: thrown,
    })
  }
}

/** The engine's reason without its position and its possibly long quotation. */
function readReason(message: string): string {
  return message
    .replace(/ in JSON at position.*$/s, '')
    .replace(/, (\.\.\.)?".*$/s, '')
    .replace(/^./, (first) => first.toLowerCase())
}

/** Characters the engine quotes before an unexpected token. */
const QUOTED_BEFORE = 10

/** The engine gives a position for most errors, but only the surroundings of an unexpected token. */
function findPlace(message: string, body: string): { where?: string } {
  const at = findPosition(message, body)
  if (at === undefined) return {}
  const before = body.slice(0, at)
  const line = before.split('\n').length
  return { where: `line ${line}, column ${at - before.lastIndexOf('\n')}` }
}

function findPosition(message: string, body: string): number | undefined {
  const known = /at position (\d+)/.exec(message)?.[1]
  if (known !== undefined) return Number(known)
  if (message.includes('end of JSON input')) return body.length
  const quoted = /\.\.\."([\s\S]*?)"(?:\.\.\.)? is not valid JSON$/.exec(message)?.[1]
  const found = quoted === undefined ? -1 : body.indexOf(quoted)
  return found < 0 ? undefined : found + QUOTED_BEFORE
}

function guess(body: string): string {
  const [first = '', second] = body.slice(0, GUESS_CHARS).split('\n', 2)
  if (second !== undefined && isJsonObject(first))
    return 'It looks like JSON Lines, one record a line, and not like one JSON document.'
  return 'Check that the file is complete, and that it is one JSON document.'
}

function isJsonObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** Steps from a document to a field of a tool's input. */
const PLACE_STEPS = 6

/** Steps from a document to an input, whose own depth counts. */
const STEPS_TO_INPUT = 5

/** Values of a document the log cannot hold, named by their place: too deep, or infinite numbers. */
export function requireStorable(document: Json): void {
  const start = Array.isArray(document)
    ? { path: 'messages', depth: 1 - STEPS_TO_INPUT }
    : { path: '', depth: -STEPS_TO_INPUT }
  const place =
    placeFrom(document, start.path, start.depth) ??
    // Except in messages, the log counts depth from the document.
    (isFields(document) ? placeFrom({ ...document, messages: [] }, '', 1) : undefined)
  if (place === undefined) return
  throw new PrecisError(
    'invalid-input',
    'a value is nested too deep, or holds a number too large',
    {
      where: place,
      hint: 'Nothing was written. Values may be nested up to 1,000 deep; leave out or shorten this one.',
    },
  )
}

/** The path to the first value the log cannot hold. */
function placeFrom(document: Json, start: string, depth: number): string | undefined {
  let value: unknown = document
  let path = start
  for (
    let step = 1;
    step <= PLACE_STEPS && typeof value === 'object' && value !== null;
    step += 1
  ) {
    const found = Object.entries(value).find(([, inner]) => !isJson(inner, depth + step))
    if (found === undefined) break
    const [key, inner] = found
    path += Array.isArray(value) ? `[${key}]` : `${path === '' ? '' : '.'}${key}`
    value = inner
  }
  return path === start ? undefined : path
}
