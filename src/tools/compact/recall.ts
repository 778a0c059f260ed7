// The tool `recall`: reads removed content by ref or by words, a page at a time.
import { z } from 'zod'
import type { Tool } from '../../core/agent/tool.ts'
import type { Archive, ArchiveFind, ArchiveFinds } from '../../core/search/archive.ts'
import { defineTool, textField, textOutcome } from '../define-tool.ts'
import { count } from '../process/limit-output.ts'

export interface RecallLimits {
  readonly pageChars: number // default size of one reading
  readonly maxPageChars: number
  readonly finds: number
}

/** Recalled text enters the context, so it must not fill it again. */
const LIMITS: RecallLimits = { pageChars: 8_000, maxPageChars: 20_000, finds: 5 }

/** `archiveOf` returns the archive of the calling thread. */
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

/** The finds, or the text of a ref, at most a page, and how to continue. */
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

/** Elsewhere refs are written as `[ref:e12]` and `ref e12`. */
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

/** Refs count up, so they show the order; a time would take the room of names. */
function describeFind({ ref, speaker, snippet, names, isVisible }: ArchiveFind): string {
  const near = names.length === 0 ? '' : ` · names: ${names.join(', ')}`
  return `- ${ref} ${speaker}${isVisible ? ', still in view' : ''}: ${snippet}${near}`
}
