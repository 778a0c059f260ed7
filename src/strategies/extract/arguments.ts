// The arguments of a call as texts: short ones, which name things, and long ones, which are content.
import { readIntent } from '../../core/ledger/dialects.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { ToolCall } from '../../core/view/content.ts'

export interface CallArguments {
  readonly short: readonly string[]
  readonly long: readonly string[]
}

const LONGEST_SHORT_CHARS = 160
/** All short ones together: a call is in one line. */
const LONGEST_HEAD_CHARS = 400
const MOST_VALUES = 2_000

/**
 * Texts and numbers at any depth, in order, each once. Keys and flags name nothing of the conversation.
 * `folders` are those in which a call needs not name its folder: the workspace, and that of the call before.
 */
export function readArguments(
  call: Pick<ToolCall, 'name' | 'arguments'>,
  folders: readonly (string | undefined)[] = [],
): CallArguments {
  const short: string[] = []
  const long: string[] = []
  let headChars = 0
  for (const value of new Set(findLeaves(withoutSettings(call, folders)))) {
    const isShort = isShortLine(value) && headChars + value.length <= LONGEST_HEAD_CHARS
    if (isShort) headChars += value.length + 1
    ;(isShort ? short : long).push(value)
  }
  return { short, long }
}

function isShortLine(value: string): boolean {
  return value.length <= LONGEST_SHORT_CHARS && !value.includes('\n')
}

/** How a call is run and how much of its result is wanted: nothing that it is about. */
const SETTINGS =
  /^(?:timeout|timeout_?(?:ms|seconds)|yield_time_ms|max_(?:output_)?tokens|max_(?:lines|results|chars)|head_?limit|limit|offset|-[abcn])$/i
const FOLDER = /^(?:workdir|cwd)$/i
/** Why it is run, beside a command that says what is run. */
const REASONS = /^(?:description|justification|prefix_rule)$/i
const COMMAND = /^(?:command|cmd)$/i

/** The folder that a call names for itself. */
export function folderIn({ arguments: input }: Pick<ToolCall, 'arguments'>): string | undefined {
  const found = isFields(input) ? Object.entries(input).find(([key]) => FOLDER.test(key)) : []
  return typeof found?.[1] === 'string' ? withoutSlash(found[1]) : undefined
}

function withoutSlash(folder: string): string {
  return folder.replace(/(?<=.)\/$/, '')
}

/** Only of calls whose settings are known: of any other they may be what it is about. */
function withoutSettings(
  { name, arguments: input }: Parameters<typeof readArguments>[0],
  folders: readonly (string | undefined)[],
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

/** It runs a command, reads or searches. */
function isLooking(name: string, input: Json): boolean {
  const intent = readIntent(name, input)
  if (intent.kind === 'files') return intent.operations.every(({ op }) => op === 'read')
  return ['shell', 'list', 'found', 'poll'].includes(intent.kind) || SEARCH.test(name)
}

/** With a stack of its own: arguments may be nested to any depth. */
function findLeaves(input: Json): string[] {
  const found: string[] = []
  const stack: Json[] = [input]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (found.length >= MOST_VALUES) break
    if (typeof value === 'string') {
      if (value.trim() !== '') found.push(value)
    } else if (typeof value === 'number') found.push(String(value))
    else if (typeof value === 'object' && value !== null)
      for (const inner of Object.values<Json>(value).toReversed()) stack.push(inner)
  }
  return found
}
