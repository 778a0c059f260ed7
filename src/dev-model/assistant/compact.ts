// Calls of the tools that précis offers for compaction: `compact` in either of its two shapes, and `edl`.
import type { Json } from '../../core/text/json.ts'
import { fieldsOf } from '../../validate/walk.ts'
import { type Asked, type AskedPart, lastUserTurn } from '../asked.ts'
import type { AnswerCall, ScriptedAnswer } from '../reply.ts'
import { summaryOf } from './summary.ts'

/** A command, or a request for the call, that is no instruction at the beginning of a line. */
export function asksToCompact(text: string): boolean {
  return /(?:^|\s)[@/]compact\b|`compact`/.test(text)
}

/**
 * `words` may name a range (`from abc123 to def456`) and files (`with a.ts b.ts`); `rest` is what is
 * to be done afterwards. Undefined if the tool is not offered.
 */
export function compactCall(asked: Asked, words: string, rest: string): AnswerCall | undefined {
  const tool = asked.tools.find(({ name }) => name === 'compact')
  if (tool === undefined) return undefined
  const { properties } = fieldsOf(tool.schema)
  const summary = summaryOf(asked)
  const isRanged = 'replacements' in fieldsOf(properties)
  const value: Json = isRanged
    ? { replacements: [{ ...rangeIn(asked, words), summary }] }
    : {
        summary,
        ...filesIn(words, fieldsOf(properties)),
        ...(rest !== '' && 'continuation' in fieldsOf(properties) && { continuation: rest }),
      }
  return { name: tool.name, arguments: value }
}

/** The range that the words name; else all between the first and the last checkpoint before the request. */
function rangeIn(asked: Asked, words: string): { from?: string; to?: string } {
  const from = /\bfrom ([A-Za-z0-9]{6})\b/.exec(words)?.[1]
  const to = /\bto ([A-Za-z0-9]{6})\b/.exec(words)?.[1]
  if (from !== undefined || to !== undefined)
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const seen = checkpointsIn(asked)
  const [first, last] = [seen[0], seen.at(-1)]
  if (last === undefined) return {}
  return first === undefined || first === last ? { to: last } : { from: first, to: last }
}

/** Those of the user's messages before the request: what comes after them must stay. */
function checkpointsIn(asked: Asked): readonly string[] {
  return asked.turns
    .slice(0, lastUserTurn(asked))
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .flatMap((text) => [...text.matchAll(/^<checkpoint:([A-Za-z0-9]{6})>$/gm)])
    .map((found) => found[1] ?? '')
}

function filesIn(words: string, properties: { readonly [key: string]: Json }) {
  const named = /\bwith (?:the files? )?(.+)$/i.exec(words)?.[1]
  if (named === undefined || !('contextFiles' in properties)) return {}
  return { contextFiles: named.split(/[\s,]+/).filter((word) => /[./]/.test(word)) }
}

/** A summary that is kept in a file and edited there. */
export function edlStep(
  asked: Asked,
  text: string,
  since: readonly AskedPart[],
): ScriptedAnswer | undefined {
  if (!asked.tools.some(({ name }) => name === 'edl') || !text.includes('/summary.md'))
    return undefined
  if (since.some(({ type }) => type === 'call')) return { text: 'The summary is up to date.' }
  const script = `file \`/summary.md\`\ninsert_after <<END_OF_SUMMARY\n${summaryOf(asked)}\nEND_OF_SUMMARY`
  return { calls: [{ name: 'edl', arguments: { script } }] }
}
