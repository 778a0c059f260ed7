// The report of a compaction as lines for a terminal, a page or a log.
import type { CompactionData } from './change.ts'
import { type CompactionReport, type Drop, type ReportFallback, replacedIn } from './report.ts'
import type { TokenSplit } from './token-split.ts'

/** Maximum number of tools with their own line. */
const TOOLS = 8

/** Plain text lines without colours and final line break. */
export function renderReport(report: CompactionReport): string {
  const { strategyId, trigger, before, after, fallback, leftOut = [] } = report
  return [
    `${strategyId} (${trigger}): ${count(before.total)} → ${count(after.total)} tokens${share(before.total, after.total)}`,
    ...(fallback ? [`in place of ${fallback.from}: ${fallback.reason}`] : []),
    ...replacedLines(report),
    ...leftOut.map(({ from, reason }) => `${oneLine(from)} was left out: ${oneLine(reason)}`),
    '',
    ...splitLines(before, after),
    ...section('Removed', report.drops.map(groupLine)),
    ...section('Largest', report.largest.map(dropLine)),
    '',
    pinsLine(report),
    refsLine(report),
    ...settingsLines(report),
  ].join('\n')
}

/** Facts of a committed compaction. */
export interface CommittedFacts {
  readonly strategy: string
  readonly beforeTokens?: number | undefined
  readonly afterTokens?: number | undefined
  readonly isEmpty?: boolean | undefined // it changed nothing
  readonly fallback?: ReportFallback | undefined
  /** The strategy whose brief replaced an unusable summary, and why. */
  readonly replacedBy?: string | undefined
  readonly replacedFor?: string | undefined
}

export function committedFacts(
  { strategyId, before, after, edits, metadata }: CompactionData,
  fallback?: ReportFallback,
): CommittedFacts {
  return {
    strategy: strategyId,
    beforeTokens: before?.tokens,
    afterTokens: after?.tokens,
    isEmpty: edits?.length === 0,
    fallback,
    ...replacedIn(metadata),
  }
}

/** `31,973 → 16,528 tokens (48 % less)`: the estimated context, equal in every interface. */
export function renderSizes({ beforeTokens: before, afterTokens: after }: CommittedFacts): string {
  if (before === undefined || after === undefined) return ''
  const percent = before > 0 ? Math.round((100 * Math.abs(before - after)) / before) : 0
  const change = before === after ? 'the same' : `${percent} % ${before > after ? 'less' : 'more'}`
  return `${count(before)} → ${count(after)} tokens (${change})`
}

/** Whether nothing had to replace what was requested. */
export function isAsPlanned(facts: CommittedFacts): boolean {
  return facts.fallback === undefined && facts.replacedBy === undefined && isSmaller(facts)
}

/** Growth or no change is not a success. */
function isSmaller({ beforeTokens: before, afterTokens: after }: CommittedFacts): boolean {
  return before === undefined || after === undefined || after < before
}

/** Remarks besides the figures: another strategy failed, or nothing was gained. */
export function renderCaveats(facts: CommittedFacts): string[] {
  const { strategy, isEmpty = false, fallback } = facts
  return [
    ...(fallback ? [`${oneLine(fallback.from)} failed: ${sentence(fallback.reason)}`] : []),
    ...(fallback && !isEmpty ? [`${oneLine(strategy)} took its place.`] : []),
    ...replacedLines(facts),
    ...(isEmpty || isSmaller(facts) ? [] : ['The context is not smaller; /undo reverts it.']),
  ]
}

/** Writes the brief of a fresh session if the model's summary is unusable. */
const BRIEF_OF_FRESH = 'extract'

/** The same for a fresh session: after the sentence of FRESH-24, without figures (FRESH-26). */
export function freshCaveats({ replacedFor }: { readonly replacedFor?: string } = {}): string[] {
  if (replacedFor === undefined) return []
  return replacedLines({ replacedBy: BRIEF_OF_FRESH, replacedFor })
}

/** Empty if the summary was used. Older logs do not tell why it was not. */
export function replacedLines({
  replacedBy,
  replacedFor = 'the summary was not good enough',
}: Pick<CommittedFacts, 'replacedBy' | 'replacedFor'>): string[] {
  if (replacedBy === undefined) return []
  const why = oneLine(replacedFor).replace(/[.!]$/, '')
  return [`Fell back because ${why}: a brief by ${oneLine(replacedBy)} took its place.`]
}

/** One line with a full stop. */
export function sentence(text: string): string {
  const line = oneLine(text)
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

const CATEGORIES = [
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['thinking', 'thinking'],
  ['tool calls', 'toolCalls'],
  ['images', 'images'],
  ['summaries', 'summaries'],
] as const satisfies readonly (readonly [string, keyof TokenSplit])[]

function splitLines(before: TokenSplit, after: TokenSplit): string[] {
  const rows = CATEGORIES.map(([name, key]) => [name, before[key], after[key]] as const).filter(
    ([, was, is]) => was > 0 || is > 0,
  )
  const table = [...rows, ...toolRows(before, after)]
  const width = Math.max(0, ...table.map(([name]) => name.length))
  const digits = Math.max(0, ...table.map(([, was]) => count(was).length))
  return table.map(
    ([name, was, is]) => `  ${name.padEnd(width)}  ${count(was).padStart(digits)} → ${count(is)}`,
  )
}

function toolRows(before: TokenSplit, after: TokenSplit): [string, number, number][] {
  const left = new Map(after.toolResults.map(({ tool, tokens }) => [tool, tokens]))
  const rows = before.toolResults.map(({ tool, tokens }): [string, number, number] => [
    `results of ${oneLine(tool)}`,
    tokens,
    left.get(tool) ?? 0,
  ])
  const others = rows.slice(TOOLS)
  if (others.length === 0) return rows
  const sum = (at: 1 | 2) => others.reduce((total, row) => total + row[at], 0)
  return [...rows.slice(0, TOOLS), [`results of ${others.length} others`, sum(1), sum(2)]]
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', heading, ...lines.map((line) => `  ${line}`)]
}

function groupLine({ why, entries, tokens }: CompactionReport['drops'][number]): string {
  return `${oneLine(why)}: ${count(tokens)} tokens of ${count(entries)} ${entries === 1 ? 'entry' : 'entries'}`
}

function dropLine({ ref, what, why, before, after }: Drop): string {
  return `[ref:${ref}] ${oneLine(what)}: ${count(before)} → ${count(after)} (${oneLine(why)})`
}

function pinsLine({ pins: { entries, texts, tokens } }: CompactionReport): string {
  if (entries.length === 0 && texts === 0) return 'Pins: none'
  const parts = [
    ...(texts > 0 ? [`${count(texts)} ${texts === 1 ? 'text' : 'texts'}`] : []),
    ...(entries.length > 0
      ? [`${count(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'}`]
      : []),
  ]
  return `Pins kept: ${parts.join(', ')}, ${count(tokens)} tokens`
}

function refsLine({ refs: { count: all, first } }: CompactionReport): string {
  if (all === 0) return 'Refs: none'
  const more = all > first.length ? ` and ${count(all - first.length)} more` : ''
  return `Refs: ${first.join(' ')}${more}`
}

function settingsLines({ settings }: CompactionReport): string[] {
  const pairs = Object.entries(settings).map(([name, value]) => `${name} ${oneLine(String(value))}`)
  return pairs.length === 0 ? [] : [`Settings: ${pairs.join(', ')}`]
}

function share(before: number, after: number): string {
  return before > 0 ? ` (${Math.round((100 * after) / before)} %)` : ''
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US')
}

/** Names come from transcripts and must not control the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim()
}
