// `mask`: reduces older tool results to subject, outcome and informative lines, without a model.
import { immediate, type Strategy } from '../core/edit/strategy.ts'
import { readSubject } from '../core/ledger/call-fields.ts'
import { commandEnd, textOfBlocks } from '../core/ledger/command-end.ts'
import type { EventAt } from '../core/log/event.ts'
import type { Block, ToolCall, ToolResult } from '../core/view/content.ts'
import { weightOf } from '../core/view/context.ts'
import { findRoot, type Item, newEntryAt } from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { type Round, roundsOf } from '../core/view/seam.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import { asData, oneLine, quoted } from './summary/as-data.ts'
import {
  asRef,
  buildCaptions,
  measureRewrite,
  type Rewrite,
  resultWith,
  untilSaved,
} from './trim.ts'

/** The informative lines of an output: start, end, and errors. */
interface SalientLines {
  readonly head: readonly string[]
  readonly tail: readonly string[]
}

interface SalientOptions {
  readonly head: number
  readonly tail: number
  /** Prefers error lines over others at the end. */
  readonly prefersErrors?: boolean
}

/** The ends of an output matter; more of a huge one is not read. */
const END_CHARS = 16_000
const LINE_CHARS = 200

/** Verbatim, except for cut lines. Constant time for any length. */
export function findSalientLines(text: string, options: SalientOptions): SalientLines {
  const first = readLines(text.slice(0, END_CHARS))
  const head = first.slice(0, options.head)
  const rest =
    text.length > END_CHARS
      ? readLines(text.slice(-END_CHARS)).slice(1) // its first line may be incomplete
      : first.slice(options.head)
  const errors = options.prefersErrors ? rest.filter(complains).slice(-options.tail) : []
  const tail = errors.length > 0 ? errors : rest.slice(-options.tail)
  return { head: head.map(cut), tail: options.tail > 0 ? tail.map(cut) : [] }
}

function readLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(tells)
}

/** Not a rule, a bracket or a blank. */
function tells(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line.length > LINE_CHARS ? line.slice(0, LINE_CHARS) : line)
}

const COMPLAINT =
  /\b(?:error|errors|fail|failed|failing|failure|fatal|panic|exception|traceback|assert|expected|cannot|denied|undefined|warning|not found|no such)\b|[a-z]Error\b|✗|✘|✖|×/i

export function complains(line: string): boolean {
  return COMPLAINT.test(line.length > 4 * LINE_CHARS ? line.slice(0, 4 * LINE_CHARS) : line)
}

function cut(line: string): string {
  const head = cutHead(line, LINE_CHARS)
  return head === line ? line : `${head}…`
}

/** The newest rounds are not masked: their results are in use. */
export const WHOLE_ROUNDS = 3
const SUBJECT_CHARS = 160
const ENDS = { head: 2, tail: 2 } as const
const ERROR_ENDS = { head: 1, tail: 6, prefersErrors: true } as const

/** With a target oldest first, as few as needed; without one all old enough. */
export const mask: Strategy = immediate({
  id: 'mask',
  proposeNow({ context, eventAt, targetTokens }) {
    const items = context.items.toArray()
    const rounds = roundsOf(items, context.open).slice(0, -WHOLE_ROUNDS)
    const rewrites = rounds.flatMap((round) => maskRound(round, items, eventAt))
    const excess = targetTokens === undefined ? undefined : weightOf(context) - targetTokens
    const edits = untilSaved(rewrites, excess)
    return { edits, metadata: { resultsMasked: edits.length } }
  },
})

function maskRound(round: Round, items: readonly Item[], eventAt: EventAt): Rewrite[] {
  const answer = contentOf(round.answer, eventAt)
  const calls = answer?.kind === 'answer' ? answer.calls : []
  const byId = new Map(calls.map((call) => [call.id, call]))
  return [...round.results]
    .flatMap(([callId, places]) => places.map((at) => ({ at, call: byId.get(callId) })))
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ at, call }) => maskResult(items[at] as Item, call, eventAt) ?? [])
}

function maskResult(item: Item, call: ToolCall | undefined, eventAt: EventAt): Rewrite | undefined {
  if (newEntryAt(item.id, eventAt)?.label === 'masked') return undefined
  const root = findRoot(item.id, eventAt)
  // An earlier rung may have changed it, so use the original.
  const content = contentOf(root, eventAt) ?? contentOf(item.id, eventAt)
  if (content?.kind !== 'result') return undefined
  const text = maskedText(content.result, call, root)
  const entry = resultWith(content.result, [{ type: 'text', text }], 'masked')
  const rewrite = measureRewrite(item, entry, eventAt)
  return rewrite.saved > 0 ? rewrite : undefined
}

/** Escaped transcript lines: they cannot contain refs or close tags. */
function maskedText(result: ToolResult, call: ToolCall | undefined, root: Item['id']): string {
  const text = textOfBlocks(result.content)
  const { isFailed, exitCode } = commandEnd(text, result)
  const ends = findSalientLines(text, isFailed ? ERROR_ENDS : ENDS)
  const [head, tail] = [ends.head, ends.tail].map((lines) => lines.map(asQuotation))
  const lines = [...(head ?? []), ...(tail?.length ? ['[…]', ...tail] : [])]
  const what = call ? `${call.name} ${readSubject(call.arguments)}`.trim() : 'a tool'
  const facts = [
    oneLine(cutHead(what, SUBJECT_CHARS)),
    exitCode === undefined ? result.status : `${result.status}, exit code ${exitCode}`,
    measureSize(result.content),
  ]
  return [
    `[Masked result of ${facts.join(', ')} ${asRef(root)}]`,
    ...lines,
    ...buildCaptions(result.content, root),
  ].join('\n')
}

function asQuotation(line: string): string {
  return quoted(asData(line))
}

function measureSize(blocks: readonly Block[]): string {
  let [chars, lines] = [0, 0]
  for (const { text = '' } of blocks) {
    chars += text.length
    lines += text === '' ? 0 : 1
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  }
  return `${lines.toLocaleString('en-US')} lines, ${chars.toLocaleString('en-US')} characters`
}
