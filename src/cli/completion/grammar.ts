// What can be typed: the commands with their options, as commander has them, and values where they are known.
import type { Command, Option } from 'commander'
import { PRESETS } from '../../core/presets.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import { PAGE_FORMATS } from '../../formats/pages.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import { PROFILES } from '../../validate/profiles.ts'
import { WIRE_FORMATS } from '../check-format.ts'
import { COUNTERS } from '../counter.ts'
import { collect } from '../options.ts'

export interface GrammarOption {
  readonly long: string // with its dashes
  readonly short?: string
  readonly description: string
  /** Absent where it takes no value. */
  readonly value?: 'file' | 'folder' | 'text' | readonly string[]
  readonly mayRepeat: boolean
}

export interface GrammarCommand {
  /** As it is typed, that of its group before it: `compact`, `token add`. */
  readonly name: string
  readonly description: string
  readonly options: readonly GrammarOption[]
  /** What stands behind the name: nothing that is known, files, or one of these. */
  readonly argument: 'none' | 'file' | readonly string[]
  /** Of a group. */
  readonly commands: readonly GrammarCommand[]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const READ = SESSION_FORMATS.map(({ id }) => id)
const WRITTEN = [...SESSION_FORMATS.filter(({ write }) => write), ...PAGE_FORMATS].map(
  ({ id }) => id,
)

/** By the option as its help writes it: the same name may take something else in another command. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--format <id>': READ,
  '--to <format>': WRITTEN,
  '--from <format>': WIRE_FORMATS,
  '--strategy <id>': DEFAULT_STRATEGIES.map(({ id }) => id),
  '--counter <id>': COUNTERS,
  '--preset <id>': Object.keys(PRESETS),
  '--provider <name>': Object.keys(PROFILES),
}

const FOLDERS: ReadonlySet<string> = new Set(['--root', '--cwd', '--workspace'])
const FILES: ReadonlySet<string> = new Set([
  '--out',
  '--output',
  '--input',
  '--repair',
  '--in',
  '--store',
])
/** Arguments that are files, or may be. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set([
  'file',
  'session',
  'other',
  'script',
  'from',
  'to',
  'store',
])

const HELP_OPTION: GrammarOption = {
  long: '--help',
  description: 'display help for the command',
  mayRepeat: false,
}

export function grammarOf(program: Command): GrammarCommand[] {
  const commands = program.commands.map((command) => commandOf(command))
  const help: GrammarCommand = {
    name: 'help',
    description: 'display help for a command',
    options: [],
    argument: commands.map(({ name }) => name),
    commands: [],
  }
  return [...commands, help]
}

function commandOf(command: Command, group?: string): GrammarCommand {
  const own = command.name()
  const name = group === undefined ? own : `${group} ${own}`
  return {
    name,
    description: command.description(),
    options: [...command.options.map(optionOf), HELP_OPTION],
    argument: argumentOf(command),
    commands: command.commands.map((inner) => commandOf(inner, name)),
  }
}

function optionOf(option: Option): GrammarOption {
  const long = option.long ?? option.flags
  const known = {
    long,
    ...(option.short !== undefined && { short: option.short }),
    description: option.description,
    mayRepeat: option.parseArg === collect,
  }
  if (!option.required && !option.optional) return known
  const value = FILES.has(long) ? 'file' : FOLDERS.has(long) ? 'folder' : 'text'
  return { ...known, value: VALUES[option.flags] ?? value }
}

function argumentOf(command: Command): GrammarCommand['argument'] {
  if (command.name() === 'completion') return SHELLS
  if (command.commands.length > 0) return command.commands.map((each) => each.name())
  return command.registeredArguments.some((argument) => FILE_ARGUMENTS.has(argument.name()))
    ? 'file'
    : 'none'
}
