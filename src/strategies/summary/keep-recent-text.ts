// The summary of `keep-recent` as a message: the model's text, and facts by code.
import type { StrategyInput } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import { textOfParts, textOfUserContent } from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { type Item, parseEntryId } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { countTokens, readLines, type UserWord, type UserWords, userWords } from '../user-words.ts'
import { asData } from './as-data.ts'
import { checkAgainstSource, readSource, withNote, withoutNote } from './checks.ts'
import { summaryIn, summaryMessage } from './fresh-session.ts'
import type { RecentCut } from './keep-recent-cut.ts'

/** The content and facts of an earlier summary. */
export interface Former {
  readonly prose: string
  readonly files: FileOperations
  readonly said: UserWords
}

const USER_WORDS_TOKENS = 4_000
/** User words take at most a sixteenth of a small window. */
const USER_WORDS_SHARE = 16
/** And a quarter of what is removed: the summary must be smaller. */
const COVERED_SHARE = 4
/** Share of what a target leaves: the rest is for refs and the frame. */
const TARGET_SHARE = 0.75
/** If a target is out of reach, the user's last words stay nevertheless. */
const LEAST_WORDS_TOKENS = 250
const MAX_LISTED_FILES = 200

export function formerSummary(summaries: readonly Item[], eventAt: EventAt): Former | undefined {
  if (summaries.length === 0) return undefined
  const known = summaries.map((item) => readMetadata(item, eventAt))
  return {
    prose: summaries.map((item) => readProse(item, eventAt)).join('\n\n'),
    files: {
      readFiles: known.flatMap(({ readFiles }) => texts(readFiles)),
      modifiedFiles: known.flatMap(({ modifiedFiles }) => texts(modifiedFiles)),
    },
    said: {
      words: known.flatMap(({ userMessages }) => wordsIn(userMessages)),
      leftOut: known.toReversed().flatMap(({ userMessagesLeftOut }) => texts(userMessagesLeftOut)),
    },
  }
}

interface RecentSummary {
  readonly input: StrategyInput
  readonly cut: RecentCut
  readonly former: Former | undefined
  readonly prose: string
}

export function recentSummary({ input, cut, former, prose }: RecentSummary): {
  readonly text: string
  readonly metadata: { readonly [key: string]: Json }
} {
  const { context, eventAt, instructions, nextPrompt } = input
  const { covered, request } = cut
  const maxTokens = wordsRoom({ input, cut, former, prose })
  const files = fileOperations(covered, eventAt, former?.files)
  const said = userWords({
    items: covered.filter((item) => item !== request),
    eventAt,
    earlier: former?.said ?? { words: [], leftOut: [] },
    maxTokens,
  })
  const source = readSource(context, eventAt, former?.prose, instructions, nextPrompt)
  const checked = checkAgainstSource(prose, source)
  const text = [
    withNote(checked),
    tagged('user-messages', readLines(said, maxTokens)),
    tagged('read-files', listed(files.readFiles)),
    tagged('modified-files', listed(files.modifiedFiles)),
  ]
    .filter((section) => section !== '')
    .join('\n\n')
  return {
    text: summaryMessage(text),
    metadata: {
      readFiles: files.readFiles,
      modifiedFiles: files.modifiedFiles,
      userMessages: said.words,
      ...(said.leftOut.length > 0 && { userMessagesLeftOut: said.leftOut }),
      ...(checked.unverified.length > 0 && { unverified: checked.unverified }),
      ...(checked.stripped > 0 && { inventedRequests: checked.stripped }),
    },
  }
}

/** A small compaction after a large one keeps the earlier summary's user words. */
function wordsRoom({ input, cut, former, prose }: RecentSummary): number {
  const { context, run, targetTokens = Number.POSITIVE_INFINITY } = input
  const covered = weigh(cut.covered)
  const anew = covered - weigh(cut.summaries)
  const held = countTokens(former?.said.words ?? [])
  const staying = weightOf(context) - covered + (cut.request?.tokens ?? 0) + estimateTokens(prose)
  const room = Math.min(
    USER_WORDS_TOKENS,
    (run.windowTokens ?? Number.POSITIVE_INFINITY) / USER_WORDS_SHARE,
    Math.max(covered / COVERED_SHARE, held + anew / COVERED_SHARE),
    Math.max(LEAST_WORDS_TOKENS, (targetTokens - staying) * TARGET_SHARE),
  )
  return Math.floor(room)
}

function weigh(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.tokens, 0)
}

function tagged(tag: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `<${tag}>\n${lines.join('\n')}\n</${tag}>`
}

function listed(paths: readonly string[]): string[] {
  const shown = paths.slice(0, MAX_LISTED_FILES).map((path) => asData(path.replace(/\s+/g, ' ')))
  const more = paths.length - shown.length
  return more > 0 ? [...shown, `… and ${more} more`] : shown
}

/** Without the lists, which are rebuilt, and without tags, which surround the new one. */
function readProse(item: Item, eventAt: EventAt): string {
  const content = contentOf(item.id, eventAt)
  const text =
    content?.kind === 'user'
      ? textOfUserContent(content.content)
      : content?.kind === 'answer'
        ? content.answer.content || textOfParts(content.answer.parts ?? [])
        : ''
  const inner = summaryIn(text)
  if (inner === undefined) return asData(text)
  const lists = /\n\n<(?:user-messages|read-files|modified-files)>\n/.exec(inner)
  return withoutNote(lists ? inner.slice(0, lists.index) : inner)
}

/** From the log, which cannot be forged, not from the text. */
function readMetadata({ id }: Item, eventAt: EventAt): { readonly [key: string]: Json } {
  const event = eventAt(parseEntryId(id).seq)
  const isOurs = event?.type === 'COMPACTION' && event.data.strategyId === 'keep-recent'
  const metadata = isOurs ? event.data.metadata : undefined
  return isFields(metadata) ? metadata : {}
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function wordsIn(value: Json | undefined): UserWord[] {
  return (Array.isArray(value) ? value : []).flatMap((each: Json) => {
    if (!isFields(each)) return []
    const { ref, text } = each
    return typeof ref === 'string' && typeof text === 'string' ? [{ ref, text }] : []
  })
}

/** The files that part of a conversation read and changed, from its tool calls. */
interface FileOperations {
  readonly readFiles: readonly string[] // without changed ones
  readonly modifiedFiles: readonly string[]
}

const READS: ReadonlySet<string> = new Set(['read', 'read_file', 'view'])
const WRITES: ReadonlySet<string> = new Set([
  'write',
  'edit',
  'multiedit',
  'write_file',
  'edit_file',
  'str_replace',
])

/** Failed calls changed nothing. `earlier` comes from an earlier summary. */
function fileOperations(
  items: readonly Item[],
  eventAt: EventAt,
  earlier: FileOperations = { readFiles: [], modifiedFiles: [] },
): FileOperations {
  const read = new Set(earlier.readFiles)
  const modified = new Set(earlier.modifiedFiles)
  items.forEach((item, at) => {
    const content = item.kind === 'answer' ? contentOf(item.id, eventAt) : undefined
    if (content?.kind !== 'answer' || content.calls.length === 0) return
    const failed = failedCalls(items, at + 1, eventAt)
    for (const { id, name, arguments: input } of content.calls) {
      const path = pathIn(input)
      if (path === undefined || failed.has(id)) continue
      if (READS.has(name.toLowerCase())) read.add(path)
      if (WRITES.has(name.toLowerCase())) modified.add(path)
    }
  })
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).toSorted(),
    modifiedFiles: [...modified].toSorted(),
  }
}

/** From the results directly after an answer. */
function failedCalls(items: readonly Item[], start: number, eventAt: EventAt): Set<string> {
  const failed = new Set<string>()
  for (let at = start; items[at]?.kind === 'result'; at += 1) {
    const content = contentOf((items[at] as Item).id, eventAt)
    if (content?.kind !== 'result' || content.result.status === 'completed') continue
    if (content.result.id !== undefined) failed.add(content.result.id)
  }
  return failed
}

function pathIn(input: Json): string | undefined {
  if (!isFields(input)) return undefined
  const path = [input.path, input.file_path].find((value) => typeof value === 'string')
  return typeof path === 'string' && path.trim() !== '' ? path : undefined
}
