// Parses the input of `compact` strictly; each error names the place and the expected value.
import type { ReplacementRequest } from '../../core/agent/tool.ts'
import type { Fields, Json } from '../../core/text/json.ts'

export type Mode = ReplacementRequest['mode']

type RangesRequest = Extract<ReplacementRequest, { mode: 'ranges' }>

const SHAPES: Readonly<Record<Mode, string>> = {
  ranges: '{"replacements": [{"from": "abc123", "to": "def456", "summary": "…"}]}',
  summary: '{"summary": "…", "contextFiles": ["src/a.ts"], "continuation": "…"}',
}

/** The input, or a text on what is wrong and what is expected. Converts and guesses nothing. */
export function readCompactInput(mode: Mode, input: Json): ReplacementRequest | string {
  const read = readFields(mode, input)
  return typeof read === 'string' ? `compact: ${read}. Expected: ${SHAPES[mode]}` : read
}

function readFields(mode: Mode, input: Json): ReplacementRequest | string {
  if (!isObject(input)) return `the input must be an object, got ${quote(input)}`
  return mode === 'ranges' ? readRanges(input) : readSummary(input)
}

/** The input, or what is wrong with it. */
function readRanges(fields: Fields): ReplacementRequest | string {
  const { replacements } = fields
  if (Array.isArray(replacements) && replacements.length === 0)
    return '`replacements` is empty: there is nothing to do'
  const wrong =
    unknownField(fields, ['replacements'], '') ??
    (Array.isArray(replacements) ? undefined : mustBe('replacements', 'an array', replacements))
  if (wrong !== undefined) return wrong
  const read: RangesRequest['replacements'][number][] = []
  for (const [index, given] of (replacements as readonly Json[]).entries()) {
    const replacement = readReplacement(given, `replacements[${index}]`)
    if (typeof replacement === 'string') return replacement
    read.push(replacement)
  }
  return { mode: 'ranges', replacements: read }
}

function readReplacement(
  given: Json,
  where: string,
): RangesRequest['replacements'][number] | string {
  if (!isObject(given)) return mustBe(where, 'an object', given)
  const { from, to, summary } = given
  const wrong = unknownField(given, ['from', 'to', 'summary'], `${where}.`)
  if (wrong !== undefined) return wrong
  if (!isOptionalText(from)) return `${mustBe(`${where}.from`, 'a string', from)}, or left out`
  if (!isOptionalText(to)) return `${mustBe(`${where}.to`, 'a string', to)}, or left out`
  if (typeof summary !== 'string') return mustBe(`${where}.summary`, 'a string', summary)
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }), summary }
}

function readSummary(fields: Fields): ReplacementRequest | string {
  const { summary, contextFiles, continuation } = fields
  const wrong = unknownField(fields, ['summary', 'contextFiles', 'continuation'], '')
  if (wrong !== undefined) return wrong
  if (typeof summary !== 'string') return mustBe('summary', 'a string', summary)
  if (summary.trim() === '') return '`summary` is empty, and it would replace the whole thread'
  if (!isOptionalText(continuation)) return mustBe('continuation', 'a string', continuation)
  if (contextFiles !== undefined && !Array.isArray(contextFiles))
    return mustBe('contextFiles', 'an array', contextFiles)
  const paths: readonly Json[] = contextFiles ?? []
  const odd = paths.findIndex((path) => typeof path !== 'string')
  if (odd !== -1) return mustBe(`contextFiles[${odd}]`, 'a string', paths[odd])
  return {
    mode: 'summary',
    summary,
    ...(contextFiles !== undefined && { contextFiles: paths as readonly string[] }),
    ...(continuation !== undefined && { continuation }),
  }
}

function unknownField(
  fields: Fields,
  known: readonly string[],
  prefix: string,
): string | undefined {
  const unknown = Object.keys(fields).find((field) => !known.includes(field))
  if (unknown === undefined) return undefined
  return `unknown field \`${prefix}${unknown}\` (known here: ${known.join(', ')})`
}

function mustBe(where: string, what: string, got: Json | undefined): string {
  return `\`${where}\` must be ${what}, got ${quote(got)}`
}

const QUOTED_CHARS = 80

function quote(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= QUOTED_CHARS ? text : `${text.slice(0, QUOTED_CHARS).toWellFormed()}…`
}

function isOptionalText(value: Json | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function isObject(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
