// Values of a document that the log cannot hold: too deep, or numbers without end. They are named by their place.
import { PrecisError } from '../../core/errors.ts'
import { isJson } from '../../core/log/schema.ts'
import type { Json } from '../../core/text/json.ts'
import { isFields } from './fields.ts'

/** As many steps as lead from a document to a field of a tool's input. */
const PLACE_STEPS = 6
/** An input begins so many steps below its document; its own depth is what counts. */
const STEPS_TO_INPUT = 5

export function requireStorable(document: Json): void {
  const start = Array.isArray(document)
    ? { path: 'messages', depth: 1 - STEPS_TO_INPUT }
    : { path: '', depth: -STEPS_TO_INPUT }
  const place =
    placeFrom(document, start.path, start.depth) ??
    // Beside the messages the log counts from the document on.
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

/** The path to the first value that is no JSON to the log. */
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
