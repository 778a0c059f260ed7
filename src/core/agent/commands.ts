// Commands that a user types as a message, for the agent, the terminal and the web page.
import { parseRef } from '../search/archive.ts'
import { nearestWord } from '../text/nearest-word.ts'
import { PRESETS, type PresetId } from '../window/presets.ts'
import { cutHead } from '../window/tokens/cut.ts'

export type ThinkingLevel = 'off' | 'low' | 'medium' | 'high'

/** A parsed command. A setting's command without argument shows the setting. */
export type Command =
  | { readonly command: 'compact'; readonly instructions?: string }
  | { readonly command: 'compact-and-continue'; readonly nextPrompt?: string }
  | { readonly command: 'undo'; readonly count: number } // number of compactions, newest first
  | { readonly command: 'redo' }
  | { readonly command: 'expand'; readonly ref: string }
  | { readonly command: 'pin'; readonly text: string }
  | { readonly command: 'pins' }
  | { readonly command: 'unpin'; readonly pinId: string }
  | { readonly command: 'recall'; readonly query: string }
  | { readonly command: 'recall-ref'; readonly ref: string }
  | { readonly command: 'context' }
  | { readonly command: 'strategy'; readonly strategyId?: string }
  | { readonly command: 'model'; readonly model?: string } // as typed; the registry resolves it
  | { readonly command: 'thinking'; readonly level?: ThinkingLevel }
  | { readonly command: 'fork' }
  | { readonly command: 'new'; readonly title?: string }
  | { readonly command: 'preset'; readonly preset?: PresetId }
  /** A command with an invalid argument: reported, never sent. */
  | { readonly command: 'invalid'; readonly name: string; readonly message: string }

/** A command in a list. */
export interface CommandEntry {
  readonly name: string // as typed, with its sign
  readonly usage: string
  readonly description: string
  /** Its possible arguments, if they are a fixed list. */
  readonly choices?: readonly string[]
}

/** A completion of the typed text. */
export interface Completion {
  readonly text: string // the whole line then
  readonly description: string
}

/** Receives the trimmed text after the name; undefined without any. */
type Parse = (rest: string | undefined, name: string) => Command

interface Row extends CommandEntry {
  readonly parse: Parse
}

const LEVELS: readonly ThinkingLevel[] = ['off', 'low', 'medium', 'high']
const PRESET_IDS = Object.keys(PRESETS) as readonly PresetId[]
const MOST_UNDONE = 1000
/** Characters of a wrong argument that its error repeats. */
const QUOTED_LENGTH = 40

/** A second slash makes a path, and no typo is this long. */
const LIKE_A_NAME = /^[/@][^/]{1,30}$/

const ROWS: readonly Row[] = [
  row(
    '/compact',
    '[instructions]',
    'Compact the context now; instructions are optional',
    parseCompact,
  ),
  row('@compact', '[next prompt]', 'Compact, then continue with the next prompt', (rest) => ({
    command: 'compact-and-continue',
    ...(rest !== undefined && { nextPrompt: rest }),
  })),
  row('/undo', '[n]', 'Undo the last compaction, or the last n', parseCount),
  row('/redo', '', 'Redo the last undone compaction', bare({ command: 'redo' })),
  row('/expand', '<ref>', 'Put removed content back into the context, by its ref', parseExpand),
  row('/pin', '<text>', 'Keep a text word for word through every compaction', (rest, name) =>
    rest === undefined ? missing(name, 'the text to keep') : { command: 'pin', text: rest },
  ),
  row('/pins', '', 'List the pins', bare({ command: 'pins' })),
  row('/unpin', '<id>', 'Let go of a pin, by the id that /pins shows', (rest, name) => {
    if (rest === undefined) return missing(name, 'the id of a pin')
    return oneWord(rest, name, 'the id of a pin') ?? { command: 'unpin', pinId: rest }
  }),
  row('/recall', '<query or ref>', 'Search the whole log, or read a ref', parseRecall),
  row('/context', '', 'Show how full the context is, and with what', bare({ command: 'context' })),
  row('/strategy', '[id|preset]', 'Show or choose how this thread is compacted', (rest, name) => {
    if (rest === undefined) return { command: 'strategy' }
    const wrong = oneWord(rest, name, 'the id of a strategy')
    return wrong ?? { command: 'strategy', strategyId: rest }
  }),
  row('/model', '[provider/model]', 'Show or change the model', (rest, name) => {
    if (rest === undefined) return { command: 'model' }
    return oneWord(rest, name, 'provider/model, or dev') ?? { command: 'model', model: rest }
  }),
  choice('/thinking', LEVELS, 'Show or set how much the model thinks first', (level) => ({
    command: 'thinking',
    ...(level !== undefined && { level }),
  })),
  row('/fork', '', 'Continue in a copy of this thread', bare({ command: 'fork' })),
  row('/new', '[title]', 'Begin a new thread', (rest) => ({
    command: 'new',
    ...(rest !== undefined && { title: rest }),
  })),
  choice('/preset', PRESET_IDS, 'Show or choose the preset of this thread', (preset) => ({
    command: 'preset',
    ...(preset !== undefined && { preset }),
  })),
]

export const COMMANDS: readonly CommandEntry[] = ROWS

const BY_NAME: ReadonlyMap<string, Row> = new Map(ROWS.map((each) => [each.name, each]))

/** Undefined for an ordinary message, such as `/etc/hosts is broken`. */
export function parseCommand(text: string): Command | undefined {
  const { word, rest } = split(text.trim())
  return BY_NAME.get(word)?.parse(rest === '' ? undefined : rest, word)
}

/** The command probably meant by a near miss; a hint, never executed. */
export function nearCommand(text: string): string | undefined {
  const { word } = split(text.trim())
  if (BY_NAME.has(word) || !LIKE_A_NAME.test(word)) return undefined
  return nearestWord(word, BY_NAME.keys())
}

/** Completions of a line: command names, then their arguments. */
export function completeCommand(prefix: string): readonly Completion[] {
  const line = prefix.trimStart()
  const { word, rest } = split(line)
  if (line === word) {
    if (!/^[/@]/.test(word)) return []
    return ROWS.filter(({ name }) => name.startsWith(word.toLowerCase())).map(
      ({ name, description }) => ({ text: name, description }),
    )
  }
  const { name, choices = [], description } = BY_NAME.get(word) ?? { name: word, description: '' }
  return choices
    .filter((each) => each.startsWith(rest.toLowerCase()))
    .map((each) => ({ text: `${name} ${each}`, description }))
}

function split(line: string): { readonly word: string; readonly rest: string } {
  const word = /^\S*/.exec(line)?.[0] ?? ''
  return { word, rest: line.slice(word.length).trimStart() }
}

function row(name: string, argument: string, description: string, parse: Parse): Row {
  return { name, usage: `${name} ${argument}`.trim(), description, parse }
}

function choice<T extends string>(
  name: string,
  choices: readonly T[],
  description: string,
  made: (chosen?: T) => Command,
): Row {
  const parse: Parse = (rest) => {
    if (rest === undefined) return made()
    const chosen = choices.find((each) => each === rest)
    if (chosen !== undefined) return made(chosen)
    const near = nearestWord(rest.slice(0, QUOTED_LENGTH), choices)
    const hint = near === undefined ? '' : ` Did you mean ${near}?`
    return invalid(name, `${name} takes ${listed(choices)}, not ${quoted(rest)}.${hint}`)
  }
  return { ...row(name, `[${choices.join('|')}]`, description, parse), choices }
}

function bare(command: Command): Parse {
  return (rest, name) =>
    rest === undefined
      ? command
      : invalid(name, `${name} stands alone, and behind it is ${quoted(rest)}.`)
}

/** Only the first word can be an option; after `--` everything is instructions. */
function parseCompact(rest: string | undefined, name: string): Command {
  const [option] = /^--\w\S*/.exec(rest ?? '') ?? []
  if (option !== undefined) {
    const wrong = option === '--preview' ? 'only in the chat' : 'not an option'
    const known = `Options: --preview, first and in the chat. For instructions that begin with dashes: ${name} -- …`
    return invalid(name, `${quoted(option)} is ${wrong}. ${known}`)
  }
  const instructions = rest?.replace(/^--(?=\s|$)/, '').trim() ?? ''
  return { command: 'compact', ...(instructions !== '' && { instructions }) }
}

function parseCount(rest: string | undefined, name: string): Command {
  if (rest === undefined) return { command: 'undo', count: 1 }
  const count = /^\d{1,9}$/.test(rest) ? Number(rest) : 0
  if (count >= 1 && count <= MOST_UNDONE) return { command: 'undo', count }
  return invalid(name, `${name} takes a number from 1 to ${MOST_UNDONE}, not ${quoted(rest)}.`)
}

/** A ref may be in brackets, as the context shows it. */
function parseExpand(rest: string | undefined, name: string): Command {
  if (rest === undefined) return missing(name, 'a ref')
  const ref = refIn(rest)
  return parseRef(ref)
    ? { command: 'expand', ref }
    : invalid(name, `${name} takes a ref such as e12, not ${quoted(rest)}.`)
}

/** Accepts `[ref:e12]`, too. */
function refIn(rest: string): string {
  return /^\[?(?:ref:\s*)?([^\s\]]+)\]?$/.exec(rest)?.[1] ?? ''
}

function parseRecall(rest: string | undefined, name: string): Command {
  if (rest === undefined) return missing(name, 'a query or a ref')
  const ref = refIn(rest)
  return parseRef(ref) ? { command: 'recall-ref', ref } : { command: 'recall', query: rest }
}

function oneWord(rest: string, name: string, what: string): Command | undefined {
  if (!/\s/.test(rest)) return undefined
  return invalid(name, `${name} takes one word, ${what}, not ${quoted(rest)}.`)
}

function missing(name: string, what: string): Command {
  return invalid(name, `${name} needs ${what} behind it.`)
}

function invalid(name: string, message: string): Command {
  return { command: 'invalid', name, message }
}

function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_LENGTH ? `${cutHead(text, QUOTED_LENGTH)}…` : text)
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
