// Decides whether a tool may run: by pattern, by mode, or by asking.
import { matchesPath, matchesText } from '../text/patterns.ts'
import { readShell, type ShellReading, type ShellWord } from '../text/shell-words.ts'
import { cutHead } from '../window/tokens/cut.ts'
import type { ToolEffect } from './tool.ts'

/**
 * A pattern is the name of a tool (`search`), or an effect or a tool and what it is about
 * (`run:npm test*`, `write:src/**`, `edit:docs/*`, `read:*`). In a path `*` stays within a folder and
 * a whole `**` is any number of them; in a command `*` is anything up to the end of one simple
 * command. A subject that is only stars is everything. Whoever allows a command allows all that it
 * can do with such arguments. `deny` is read more widely than `allow`: without regard to case, and a
 * name without a slash in every folder.
 */
export interface ApprovalPolicy {
  /** Applies if no pattern matches. */
  readonly mode: 'ask' | 'allow' | 'deny'
  readonly allow: readonly string[]
  readonly deny: readonly string[] // wins over `allow`
  /** Forbids writing and running, whatever else is set. */
  readonly readOnly: boolean
}

/** A call before it runs. For `run` the subject is the whole command, line ends included. */
export interface ApprovalSubject {
  readonly name: string // of the tool
  readonly effect: ToolEffect
  readonly subject: string
}

export interface ApprovalVerdict {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly reason: string // a sentence for people and the model
}

interface Pattern {
  readonly text: string // as it was given
  readonly who: string // an effect, or a tool's name
  readonly what?: string // absent: any subject
}

const EFFECTS: readonly string[] = ['none', 'read', 'write', 'run'] satisfies ToolEffect[]
const ONLY_STARS = /^\*+$/
/** The start of a path outside the folder. */
const OUTSIDE = /^(?:\/|(?:\.\.(?:\/|$))*)/
/** Characters of a subject that a reason repeats. */
const SHOWN_LENGTH = 120
/** The limit of operating systems. */
const LONGEST_PATH = 4096

export function judge(policy: ApprovalPolicy, call: ApprovalSubject): ApprovalVerdict {
  const { effect } = call
  if (policy.readOnly && (effect === 'write' || effect === 'run')) {
    return { verdict: 'deny', reason: 'This is read-only: nothing is written and nothing is run.' }
  }
  const shell = effect === 'run' ? readShell(call.subject) : undefined
  const denying = policy.deny.map(parsePattern)
  const denied = denying.find((pattern) => denies(pattern, call, shell))
  if (denied) return { verdict: 'deny', reason: `It is denied by the pattern ${denied.text}.` }
  if (effect === 'none') return { verdict: 'allow', reason: 'It touches nothing.' }
  const doubt = findDoubt(denying, call, shell)
  const open = doubt ?? notAllowed(policy.allow.map(parsePattern), call, shell)
  if (open === undefined) return { verdict: 'allow', reason: 'Patterns allow it.' }
  if (policy.mode === 'deny') return { verdict: 'deny', reason: open }
  if (policy.mode === 'allow' && doubt === undefined) {
    return { verdict: 'allow', reason: 'Everything that is not denied is allowed.' }
  }
  return { verdict: 'ask', reason: open }
}

/** What is wrong with a pattern; undefined if nothing is. */
export function patternProblem(text: string): string | undefined {
  const { who, what } = parsePattern(text)
  if (who === '') return `The pattern ${JSON.stringify(text)} names no tool and no effect.`
  if (what === '') return `The pattern ${JSON.stringify(text)} has nothing after the colon.`
  return undefined
}

/** Blanks around the colon are ignored: a pattern that silently matched nothing would be a trap. */
function parsePattern(text: string): Pattern {
  const colon = text.indexOf(':')
  if (colon === -1) return { text, who: text.trim() }
  return { text, who: text.slice(0, colon).trim(), what: text.slice(colon + 1).trim() }
}

/** A bare name means the tool, even if an effect has the same name. */
function concerns({ who, what }: Pattern, { name, effect }: ApprovalSubject): boolean {
  if (what !== undefined && EFFECTS.includes(who)) return who === effect
  return matchesText(who, name)
}

function isEverything({ what }: Pattern): boolean {
  return what === undefined || ONLY_STARS.test(what)
}

/** Ignores case, as some file systems do. */
function denies(pattern: Pattern, call: ApprovalSubject, shell: ShellReading | undefined): boolean {
  if (!concerns(pattern, call)) return false
  if (isEverything(pattern)) return true
  const what = (pattern.what ?? '').toLowerCase()
  if (!shell) return deniesPath(what, call.subject)
  return shell.commands.some((words) =>
    waysToSay(words).some((said) => matchesText(what, said.toLowerCase())),
  )
}

/**
 * The base of a path is unknown here, so a path outside the folder is checked by each of its tails. A pattern
 * without a slash applies in every folder, and one for a folder to everything in it.
 */
function deniesPath(what: string, subject: string): boolean {
  const path = findPath(subject.slice(0, LONGEST_PATH).toLowerCase())
  const parts = path.split('/')
  const isInside = !OUTSIDE.exec(path)?.[0] && what.includes('/')
  const ends = isInside ? [path] : parts.map((_, at) => parts.slice(at).join('/'))
  const names = path.startsWith('..') ? [...ends, ...ends.map((end) => `/${end}`)] : ends
  return names.some((name) => fitsPath(what, name) || fitsPath(`${what}/**`, name))
}

/**
 * A denied command may be hidden behind another one, in quotes, or in parts the text does not show. Then
 * neither pattern nor mode allows it without asking.
 */
function findDoubt(
  denying: readonly Pattern[],
  call: ApprovalSubject,
  shell: ShellReading | undefined,
): string | undefined {
  const broken = denying.find(({ text }) => patternProblem(text) !== undefined)
  if (broken) return patternProblem(broken.text)
  const forThis = denying.filter((pattern) => concerns(pattern, call))
  if (!shell) {
    const isTooLong = forThis.length > 0 && call.subject.length > LONGEST_PATH
    return isTooLong ? 'It is too long to be judged.' : undefined
  }
  const forPaths = denying.filter(
    (pattern) => ['read', 'write'].includes(pattern.who) && !isEverything(pattern),
  )
  const isConcerned = forThis.length + forPaths.length > 0
  if (isConcerned && shell.unclear !== undefined) return unclearCommand(shell)
  const mentioned = forThis.find(({ what = '' }) => mentions(call.subject, what))
  if (mentioned) return `It has in it what the pattern ${mentioned.text} denies.`
  const words = [...looseWords(call.subject), ...shell.commands.flat().map(({ value }) => value)]
  const onPath = forPaths.find(({ what = '' }) =>
    words.some((word) => deniesPath(what.toLowerCase(), word)),
  )
  return onPath && `It names a path that the pattern ${onPath.text} denies.`
}

/** Why no pattern allows it; undefined if one does. */
function notAllowed(
  allowing: readonly Pattern[],
  call: ApprovalSubject,
  shell: ShellReading | undefined,
): string | undefined {
  const those = allowing.filter((pattern) => concerns(pattern, call))
  if (those.some(isEverything)) return undefined
  if (!shell) {
    const path = findPath(call.subject)
    const allowed = those.some(({ what = '' }) => isOfOneKind(what, path) && fitsPath(what, path))
    return allowed ? undefined : `No pattern allows ${call.name} on ${shortened(call.subject)}.`
  }
  if (shell.unclear !== undefined) return unclearCommand(shell)
  if (shell.commands.length === 0) return 'It contains no command.'
  const other = shell.commands
    .map((words) => words.map(({ raw }) => raw).join(' '))
    .find((said) => !those.some(({ what = '' }) => matchesText(what, said)))
  return other === undefined ? undefined : `No pattern allows the command ${shortened(other)}.`
}

function unclearCommand({ unclear }: ShellReading): string {
  return `What the command does cannot be told for sure: it ${unclear}.`
}

/** Prefixes that only change how a command runs. */
const WRAPPERS =
  /^(?:sudo|doas|env|command|builtin|exec|eval|nohup|nice|time|timeout|xargs|if|then|elif|else|while|until|do|[!{]|\w+=.*|-.*|\d+[smhd]?)$/s

/** A simple command as written, unquoted, and without prefixes. */
function waysToSay(words: readonly ShellWord[]): string[] {
  const values = words.map(({ value }) => value)
  const first = values.findIndex((value) => !WRAPPERS.test(value))
  const bare = first === -1 ? values : values.slice(first)
  const named = bare.map((value, at) => (at === 0 ? value.replace(/^.*\//s, '') : value))
  return [words.map(({ raw }) => raw), values, bare, named].map((each) => each.join(' '))
}

/** Whether any word of the text starts with the pattern's subject, ignoring quotes and signs. */
function mentions(text: string, what: string): boolean {
  const words = looseWords(text.toLowerCase()).map((word) => word.replace(/^.*\//s, ''))
  const pattern = `${what.toLowerCase()}*`
  const beginning = pattern.slice(0, pattern.indexOf('*'))
  const said = words.join(' ')
  if (beginning === '') return matchesText(pattern, said)
  let at = 0
  for (const word of words) {
    if (said.startsWith(beginning, at) && matchesText(pattern, said.slice(at))) return true
    at += word.length + 1
  }
  return false
}

function looseWords(text: string): string[] {
  return text.split(/[\s;&|()<>{}'"`$=,\\]+/).filter((word) => word !== '')
}

/** `./a//b/../c` → `a/c`; leading `..` stay. */
function findPath(subject: string): string {
  const path = subject.normalize('NFC').replaceAll('\\', '/')
  const isAbsolute = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!isAbsolute) parts.push('..')
  }
  return `${isAbsolute ? '/' : ''}${parts.join('/')}` || '.'
}

/** A folder ends in a slash, `/**`, or both, and includes everything in it. */
function fitsPath(what: string, path: string): boolean {
  const pattern = what
    .normalize('NFC')
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '/**')
  return matchesPath(pattern, path) || (pattern.endsWith('/**') && pattern.slice(0, -3) === path)
}

/** A pattern for the folder allows nothing outside. */
function isOfOneKind(what: string, path: string): boolean {
  return OUTSIDE.exec(what)?.[0] === OUTSIDE.exec(path)?.[0]
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > SHOWN_LENGTH ? `${cutHead(line, SHOWN_LENGTH)}…` : line
}
