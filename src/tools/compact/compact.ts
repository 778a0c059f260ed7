// The `compact` tool as a model sees it, in its two forms. The agent itself carries it out.
// The tool `recall`: reads removed content by ref or by words, a page at a time
import { z } from 'zod'
import type { ReplacementRequest, Tool } from '../../core/agent/frame.ts'
import type { ToolSchema } from '../../core/model.ts'
import type { Archive, ArchiveFind, ArchiveFinds } from '../../core/search/choose-finds.ts'
import type { Fields, Json } from '../../core/text/json.ts'
import { defineTool, textField, textOutcome } from '../define-tool.ts'
import { count } from '../process/run.ts'

/** The form follows the mode of the thread: ranges between checkpoints, or one summary of everything. */
export function compactSchema(mode: Mode): ToolSchema {
  return {
    name: 'compact',
    description: DESCRIPTIONS[mode],
    inputSchema: INPUTS[mode],
  }
}

const PRACTICE = `Good summaries:
- Keep what is needed to go on: the task and its constraints in the user's own words, decisions and why, what is done and what is open.
- Say how things are now: where a value or a plan was changed later, give the newest. Say whether the last request is answered, and quote it if it is not.
- Keep exact names: paths, functions, commands, error messages, numbers. Write in the language of the conversation.
- Leave out what can be read again, dead ends beyond one line each, and pleasantries.
- Say what you did and found, and what failed, so that it is not done again; not that you talked about it.`

const DESCRIPTIONS: Readonly<Record<Mode, string>> = {
  ranges: `Replaces parts of this thread with summaries that you write, to make room.

When to use it: the thread is long, or holds much that is repetitive or no longer needed: file contents you have dealt with, long outputs, attempts that led nowhere. Do not use it while you still need the details.

How checkpoints work: every message from the user and every set of tool results ends with a checkpoint such as <checkpoint:abc123>; its id is abc123. Each replacement covers what stands after \`from\`, up to and including the checkpoint \`to\`. Without \`from\` it begins at the start of the thread, without \`to\` it goes on to the end. The message that holds \`from\` stays. An empty summary deletes the range. Ranges of one call must not overlap; all of them are applied, or none. Afterwards you go on with the compacted thread, and the checkpoints outside the ranges can be used again.

${PRACTICE}`,
  summary: `Replaces this whole thread with one summary that you write, to make room.

When to use it: the thread is long and most of it is no longer needed, or a new part of the work begins. Nothing else of the thread stays in view, so the summary must be enough to go on with.

\`contextFiles\` names files that you will need right away; their present content is put before the summary. \`continuation\` is what to do next: with it you go on at once, without it the work stops until the user says something.

${PRACTICE}`,
}

const INPUTS: Readonly<Record<Mode, Json>> = {
  ranges: objectSchema(
    {
      replacements: {
        type: 'array',
        minItems: 1,
        items: objectSchema(
          {
            from: text('Id of the checkpoint after which the range begins.'),
            to: text('Id of the checkpoint with which the range ends.'),
            summary: text('What takes its place; empty to delete the range.'),
          },
          ['summary'],
        ),
      },
    },
    ['replacements'],
  ),
  summary: objectSchema(
    {
      summary: text('What takes the place of the thread.'),
      contextFiles: {
        type: 'array',
        items: { type: 'string' },
        description: 'Files to carry over as they are now, relative to the workspace.',
      },
      continuation: text('What to do next, as a message to yourself.'),
    },
    ['summary'],
  ),
}

function objectSchema(properties: { readonly [name: string]: Json }, required: string[]): Json {
  return { type: 'object', properties, required, additionalProperties: false }
}

function text(description: string): Json {
  return { type: 'string', description }
}

// Parses the input of `compact` strictly; each error names the place and the expected value

type Mode = ReplacementRequest['mode']
type RangesRequest = Extract<ReplacementRequest, { mode: 'ranges' }>

const SHAPES: Readonly<Record<Mode, string>> = {
  ranges: '{"replacements": [{"from": "abc123", "to": "def456", "summary": "…"}]}',
  summary: '{"summary": "…", "contextFiles": ["src/a.ts"], "continuation": "…"}',
}

/**
 * The input, or a text that says what is wrong with it and how it should look. Nothing is converted or
 * guessed.
 */
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

export interface RecallLimits {
  readonly pageChars: number // of one reading, if nothing else is asked
  readonly maxPageChars: number
  readonly finds: number
}

/** What is read from the archive comes into the context: it must never fill it again. */
const LIMITS: RecallLimits = { pageChars: 8_000, maxPageChars: 20_000, finds: 5 }

/** `archiveOf` gives the archive of the thread that asks. */
export function recallTool(
  archiveOf: (threadId: string) => Archive,
  limits: RecallLimits = LIMITS,
): Tool {
  const { pageChars, maxPageChars } = limits
  const input = z.strictObject({
    query: z.string().min(1).max(1_000).optional().describe('Words to look for.'),
    ref: z
      .string()
      .max(300)
      .optional()
      .describe('What to read: a ref such as `e12` or `c40.0`, from a note or a find.'),
    offset: z.int().min(0).max(1e12).optional().describe('The character to begin with. Default 0.'),
    limit: z
      .int()
      .min(1)
      .max(1e12)
      .optional()
      .describe(`How many characters. Default ${pageChars}, at most ${maxPageChars}.`),
  })
  return defineTool({
    name: 'recall',
    description:
      'Reads parts of this thread that were compacted or shown only in part. Give either `query` (a few words of what it was about) to find where something was said and which names stood there: paths, identifiers, versions, ids; or `ref` (with `offset` and `limit`) to read it word for word.',
    effect: 'none',
    isParallel: true,
    input,
    subject: (fields) => textField(fields, 'ref') || textField(fields, 'query'),
    async run({ query, ref, ...page }, { threadId }) {
      if ((query === undefined) === (ref === undefined))
        return textOutcome('failed', 'recall: give either `query` or `ref`, and only one of them.')
      const asked = query === undefined ? { ref: ref ?? '', ...page } : { query }
      return textOutcome('completed', await recallText(archiveOf(threadId), asked, limits))
    },
  })
}

type RecallResult =
  | { readonly query: string }
  | {
      readonly ref: string
      readonly offset?: number | undefined
      readonly limit?: number | undefined
    }

/** What was found, or what stands under a ref, never longer than a page; and how to continue. */
async function recallText(
  archive: Archive,
  asked: RecallResult,
  limits: RecallLimits,
): Promise<string> {
  if ('query' in asked)
    return describeFinds(asked.query, await archive.search(asked.query, limits.finds))
  const ref = plainRef(asked.ref)
  const { offset = 0, limit = limits.pageChars } = asked
  const page = await archive.read(ref, offset, Math.min(limit, limits.maxPageChars))
  const end = count(offset + page.text.length)
  const next = page.next === undefined ? 'the end' : `go on with offset ${page.next}`
  return `${page.text}\n[${ref}, characters ${count(offset)} to ${end}; ${next}]`
}

/** `[ref:e12]` and `ref e12` are written around refs in other places. */
function plainRef(given: string): string {
  return given.trim().replace(/^\[?(?:ref[:\s]\s*)?|\]$/g, '')
}

function describeFinds(query: string, found: ArchiveFinds): string {
  const { finds, further, matching, searchedFrom, searchedThread } = found
  const where = searchedThread === undefined ? '' : ` of ${searchedThread}`
  const limits =
    searchedFrom > 1 ? ` Events before ${count(searchedFrom)}${where} were not searched.` : ''
  if (finds.length === 0) return `[nothing found for: ${query}.${limits} Try other words]`
  const heading = `${count(finds.length)} of ${count(matching)} found, best first; read one in full with its ref.${limits}`
  const behind = further.map(({ ref, names }) => `- ${ref}: ${names.join(', ')}`)
  return [heading, ...finds.map(describeFind), ...behind].join('\n')
}

/** Refs count up, so they tell what came later; the time would take the room of names. */
function describeFind({ ref, speaker, snippet, names, isVisible }: ArchiveFind): string {
  const near = names.length === 0 ? '' : ` · names: ${names.join(', ')}`
  return `- ${ref} ${speaker}${isVisible ? ', still in view' : ''}: ${snippet}${near}`
}
