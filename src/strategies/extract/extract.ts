// `extract`: the most important parts of a conversation word for word, within a token budget. No model.
import { findStatements } from '../../core/constraints/find-constraints.ts'
import { findSentences } from '../../core/constraints/sentences.ts'
import { referentOf, settle, withReferent } from '../../core/constraints/settle.ts'
import { findSuperseded } from '../../core/constraints/supersede.ts'
import type { Strategy, StrategyInput } from '../../core/edit/strategy.ts'
import { readIntent } from '../../core/ledger/dialects.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { EventAt } from '../../core/log/event.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { ToolCall } from '../../core/view/content.ts'
import type { Context } from '../../core/view/context.ts'
import { FOLDER, isShortLine, withoutSlash } from './arguments.ts'
import type { Digest } from './digest.ts'
import type { UserMessage } from './group.ts'
import {
  type Beside,
  createExtract,
  digestReducerWith,
  digestWith,
  proposeWith,
} from './propose.ts'
import type { Senses } from './senses.ts'
import { findSummaries, fitSummaries } from './standing-summary.ts'
import { ageIn, currentLedger } from './work-state.ts'

const SENSES: Senses = {
  ledger: ledgerReducer,
  ledgerLines: (digest, most) =>
    digest.ledger
      ? ledgerLines(currentLedger(digest.ledger, digest.settledAt), most, ageIn(digest))
      : [],
  argumentsOf,
  isTodoList: (call) => readIntent(call.name, call.arguments).kind === 'todos',
  isTodoChange: (call) => readIntent(call.name, call.arguments).kind === 'todo-changed',
  settle,
  referentOf,
  withReferent,
  supersede: supersedeWords,
  findStatements,
  findSummaries,
  fitSummaries,
}

export const digestReducer = digestReducerWith(SENSES, 'extract-digest')

export const extract: Strategy = createExtract(digestReducer)

/** `proposeWith` with the full analysis of a log. */
export function proposeExtract(input: StrategyInput, beside?: Beside) {
  return proposeWith(digestReducer, input, beside)
}

export function contextDigest(context: Context, eventAt: EventAt): Digest {
  return digestWith(digestReducer, context, eventAt)
}

/** Arguments on how to run a call and how much of its result to return. */
const SETTINGS =
  /^(?:timeout|timeout_?(?:ms|seconds)|yield_time_ms|max_(?:output_)?tokens|max_(?:lines|results|chars)|head_?limit|limit|offset|-[abcn])$/i
/** The reason for a command, next to the command itself. */
const REASONS = /^(?:description|justification|prefix_rule)$/i
const COMMAND = /^(?:command|cmd)$/i

/**
 * Drops settings where they are known; for other calls they may be the subject. `folders` need not be named:
 * the workspace, and the previous call's folder.
 */
export function argumentsOf(
  { name, arguments: input }: Pick<ToolCall, 'name' | 'arguments'>,
  folders: readonly (string | undefined)[] = [],
): Json {
  if (!isFields(input)) return input
  const isToldInShort = Object.entries(input).some(
    ([key, value]) => COMMAND.test(key) && typeof value === 'string' && isShortLine(value),
  )
  const isSetting = ([key, value]: [string, Json]) =>
    (SETTINGS.test(key) && typeof value === 'number') ||
    (isToldInShort && REASONS.test(key)) ||
    (FOLDER.test(key) && typeof value === 'string' && folders.includes(withoutSlash(value)))
  const entries = Object.entries(input)
  if (!entries.some(isSetting) || !isLooking(name, input)) return input
  return entries.flatMap((entry) => (isSetting(entry) ? [] : [entry[1]]))
}

const SEARCH = /(?:^|__)(?:grep|grep_search|search_files|search_file_content)$/i

/** Runs a command, reads or searches. */
function isLooking(name: string, input: Json): boolean {
  const intent = readIntent(name, input)
  if (intent.kind === 'files') return intent.operations.every(({ op }) => op === 'read')
  return ['shell', 'list', 'found', 'poll'].includes(intent.kind) || SEARCH.test(name)
}

/** How many earlier messages a message may change. */
const CHANGED_MESSAGES = 100
/** Longer messages are documents and settle nothing. */
const MOST_SENTENCES = 300

/** Marks sentences that the text supersedes; returns its sentences. */
function supersedeWords(words: UserMessage[], text: string): readonly string[] {
  const sentences = findSentences(text)
  const recent = words.slice(-CHANGED_MESSAGES)
  const before = recent.flatMap((word) => word.sentences ?? []).slice(-MOST_SENTENCES)
  const over = findSuperseded(sentences.slice(-MOST_SENTENCES), before)
  if (over.size === 0) return sentences
  const from = words.length - recent.length
  for (const [at, word] of recent.entries()) {
    const gone = (word.sentences ?? []).filter((each) => over.has(each))
    if (gone.length > 0) words[from + at] = { ...word, over: [...(word.over ?? []), ...gone] }
  }
  return sentences
}
