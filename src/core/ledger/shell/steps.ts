// A shell command as steps: each simple command with its effects on files.
import { cutHead } from '../../window/tokens/cut.ts'
import type { FileOperation, Joint, Shows, Step, Target } from '../operation.ts'
import { isTestRun } from '../test-runner.ts'
import {
  isAssignment,
  readProgram,
  type ShellCommand,
  type ShellCommands,
  shellCommands,
} from './commands.ts'
import { gitEffect, gitFolder } from './git-commands.ts'
import { packageEffect } from './packages.ts'
import { computeEffect, type Effect, readTarget } from './programs.ts'
import type { ShellWord } from './text.ts'

const MOST_OPERATIONS = 400
const DEEPEST = 3
const KEY_CHARS = 300
const MOST_BEHIND = 20

/** Programs that run another one, with the number of their own words besides options. */
const WRAPPERS: Readonly<Record<string, number>> = {
  sudo: 0,
  env: 0,
  nohup: 0,
  command: 0,
  exec: 0,
  builtin: 0,
  nice: 0,
  stdbuf: 0,
  timeout: 1,
}
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash'])
/** Filters that still show what a reader printed. */
const PASSES_ON = new Set(['head', 'tail', 'nl', 'cat', 'less', 'more', 'sed', 'tac'])

export interface ShellReading {
  readonly steps: readonly Step[]
  /** The main command of the line, without preparation and output filters. */
  readonly key: string
  readonly isTest: boolean
  /** Commands after the test: the exit of the line then says nothing about it. */
  readonly behind?: readonly string[]
}

export function readShellLine(text: string): ShellReading {
  const line = shellCommands(text)
  const steps = findSteps(line, 0).map((step) => withComposed(step, text))
  let count = 0
  const within = steps.filter((step) => {
    count += step.operations.length + step.opened.length
    return count <= MOST_OPERATIONS
  })
  return {
    ...readEffects(line, 0),
    steps: within.length === steps.length ? steps : [...within, UNREAD],
  }
}

const UNREAD: Step = { program: '', joint: ';', operations: [], opened: [], isUnclear: true }
/** They prepare the main command, or describe it. */
const BESIDE = new Set([
  'cd',
  'export',
  'echo',
  'printf',
  'set',
  'source',
  '.',
  'sleep',
  'true',
  '',
])

function readEffects({ commands }: ShellCommands, depth: number): Omit<ShellReading, 'steps'> {
  const found = commands.map((command) => ({
    joint: command.joint,
    words: withoutWrappers(command.words),
  }))
  const texts = (words: readonly ShellWord[]) => words.map((word) => word.text ?? word.raw)
  const test = found.find(({ words }) => isTestRun(texts(words)))
  const isOwn = ({ words, joint }: (typeof found)[number]) =>
    joint !== '|' && !BESIDE.has(words[0]?.text ?? '')
  const own = found.filter(isOwn)
  const about = test ?? own.at(-1) ?? found.at(-1)
  const inner = about && innerText(about.words[0]?.text ?? '', about.words)
  if (inner !== undefined && depth < DEEPEST) return readEffects(shellCommands(inner), depth + 1)
  const keyOf = (words: readonly ShellWord[]) =>
    cutHead(words.map(({ raw }) => raw).join(' '), KEY_CHARS)
  const behind = test === undefined ? [] : behindIn(found.slice(found.indexOf(test) + 1), isOwn)
  return {
    key: keyOf(about?.words ?? []),
    isTest: test !== undefined,
    ...(behind.length > 0 && {
      behind: behind.slice(0, MOST_BEHIND).map(({ words }) => keyOf(words)),
    }),
  }
}

/** The exit of a line is that of its last part, if that is a separate command. */
function behindIn<T extends { readonly joint: Joint }>(
  commands: readonly T[],
  isOwn: (command: T) => boolean,
): readonly T[] {
  const last = commands.findLastIndex(({ joint }) => joint === ';')
  const ending = commands.slice(Math.max(0, last)).filter(isOwn)
  return ending.length > 0 ? ending : commands.filter(isOwn)
}

/** Marks names that do not occur literally: only written text can be quoted. */
function withComposed(step: Step, text: string): Step {
  const marked = (target: Target): Target =>
    text.includes(target.name) ? target : { ...target, isComposed: true }
  const mark = (operation: FileOperation): FileOperation => {
    if (!('path' in operation)) return operation
    const path = marked(operation.path)
    return 'to' in operation
      ? { ...operation, path, to: marked(operation.to) }
      : { ...operation, path }
  }
  return { ...step, operations: step.operations.map(mark), opened: step.opened.map(mark) }
}

function findSteps({ commands, isCut }: ShellCommands, depth: number): Step[] {
  const steps = commands.flatMap((command, at) => readStep(command, isSeen(commands, at), depth))
  if (isCut) steps.push(UNREAD)
  return steps
}

/** Whether the command's output reaches the caller. */
function isSeen(commands: readonly ShellCommand[], at: number): boolean {
  for (let next = at; next < commands.length; next += 1) {
    const command = commands[next] as ShellCommand
    if (next > at && command.joint !== '|') return true
    if (next > at && !PASSES_ON.has(readProgram(command))) return false
    if (command.redirections.some(({ sign }) => /^(?:1?>|1?>>|&>|&>>|1?>\|)$/.test(sign)))
      return false
  }
  return true
}

function readStep(command: ShellCommand, isSeen: boolean, depth: number): Step[] {
  const { joint, isMaybe, shell } = command
  const words = withoutWrappers(command.words)
  const program = readProgram({ ...command, words })
  const inner = innerText(program, words)
  if (inner !== undefined && depth < DEEPEST) {
    return joined(findSteps(shellCommands(inner), depth + 1), joint, isMaybe)
  }
  const elsewhere = program === 'git' && depth < DEEPEST ? gitFolder(words) : undefined
  if (elsewhere) {
    const cd: Step = { ...CHANGE_FOLDER, operations: [{ op: 'cd', path: elsewhere.folder }] }
    const [git] = readStep({ ...command, words: elsewhere.words }, isSeen, DEEPEST)
    return joined(git ? [cd, { ...withoutShown(git), joint: '&&' }] : [cd], joint, isMaybe)
  }
  const effect = shell === undefined ? effectOfCommand(program, words) : NO_EFFECT
  const { opened, isUnclear } = openedBy(command)
  const operations = effect.operations.filter(({ op }) => op !== 'read' || isSeen)
  const shows = effect.shows ?? (isSeen ? findShows(program, words) : undefined)
  return [
    {
      program: program.slice(0, 100),
      joint,
      operations,
      opened,
      ...(isMaybe && { isMaybe: true as const }),
      ...((effect.isUnclear || isUnclear) && { isUnclear: true as const }),
      ...(command.redirections.some(({ sign }) => /^(?:2|&)>/.test(sign)) && {
        isMuted: true as const,
      }),
      ...(shows && { shows }),
      ...(shell && { shell }),
    },
  ]
}

const CHANGE_FOLDER = { program: 'cd', joint: ';', opened: [] } as const

/** Its output shows paths in that folder, but is read in the shell's. */
function withoutShown({ shows: _, ...step }: Step): Step {
  return step
}

const NO_EFFECT: Effect & { readonly shows?: Shows } = { operations: [], isUnclear: false }

function effectOfCommand(
  program: string,
  words: readonly ShellWord[],
): Effect & { readonly shows?: Shows } {
  const rest = words.slice(1)
  if (words.length === 0) return NO_EFFECT
  if (program === 'git') return gitEffect(rest)
  if (isTestRun(words.map(({ text = '' }) => text))) return NO_EFFECT
  if (/^-{0,2}(?:version|help|-v|-V)$/.test(rest[0]?.text ?? '') && rest.length === 1)
    return NO_EFFECT
  return packageEffect(program, rest) ?? computeEffect(program, rest)
}

/** A nested shell has its own working directory. */
function joined(steps: readonly Step[], joint: Joint, isMaybe: boolean): Step[] {
  const mark = { program: '', operations: [], opened: [] }
  const inner = steps.map((step, at) => ({
    ...step,
    ...(at === 0 && { joint }),
    ...(isMaybe && { isMaybe: true as const }),
  }))
  return [{ ...mark, joint: ';', shell: 'begin' }, ...inner, { ...mark, joint: ';', shell: 'end' }]
}

function withoutWrappers(words: readonly ShellWord[]): readonly ShellWord[] {
  let rest = words
  for (let round = 0; round < 8; round += 1) {
    const start = rest.findIndex((word) => !isAssignment(word))
    rest = start <= 0 ? rest : rest.slice(start)
    const program = rest[0]?.text ?? ''
    const own = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined
    if (own === undefined || rest.length < 2) return rest
    let at = 1
    while (rest[at]?.text?.startsWith('-')) at += 1
    rest = rest.slice(at + own)
  }
  return rest
}

/** The command in `bash -c '…'`. */
function innerText(program: string, words: readonly ShellWord[]): string | undefined {
  if (!SHELLS.has(program)) return undefined
  const at = words.findIndex(({ text = '' }) => /^-[a-z]*c$/.test(text))
  return at > 0 ? words[at + 1]?.text : undefined
}

function openedBy({ redirections }: ShellCommand): {
  readonly opened: readonly FileOperation[]
  readonly isUnclear: boolean
} {
  const opened: FileOperation[] = []
  let isUnclear = false
  for (const { sign, target } of redirections) {
    const operator = sign.replace(/^\d+/, '')
    if (operator.startsWith('<') || (operator === '>&' && /^(?:\d+|-)$/.test(target.raw))) continue
    const path = target.glob ? undefined : readTarget(target)
    if (path === undefined) isUnclear = true
    else if (!path.name.startsWith('/dev/'))
      opened.push({ op: operator.includes('>>') ? 'append' : 'write', path })
  }
  return { opened, isUnclear }
}

/** Listings whose lines are paths, and whether they are complete. */
function findShows(program: string, words: readonly ShellWord[]): Shows | undefined {
  if (program === 'pwd') return { kind: 'folder' }
  const texts = words.slice(1).map(({ text, glob }) => (glob ? undefined : text))
  if (texts.some((text) => text === undefined)) return undefined
  const options = texts.filter((text) => text?.startsWith('-'))
  const folder = texts.find((text) => !text?.startsWith('-')) ?? ''
  if (program === 'ls' && options.every((text) => /^-[aA1p]+$/.test(text ?? '')))
    return texts.length - options.length > 1
      ? undefined
      : { kind: 'paths', folder, isDeep: false, isBare: true }
  if (program !== 'find' || options.some((text) => /^-(?:print0|printf|ls)/.test(text ?? '')))
    return undefined
  const type = texts.indexOf('-type')
  if (type >= 0 && texts[type + 1] !== 'f') return undefined
  const isAll = texts.length === (type >= 0 ? 3 : 1) || texts.length === 0
  return { kind: 'paths', folder, isDeep: true, ...(!isAll && { isPartly: true as const }) }
}
