// The grammar for shell completion: commands and options from commander, and the known values.
import type { Command, Option } from 'commander'
import { PRESETS } from '../../core/window/presets.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import { PAGE_FORMATS } from '../../formats/pages.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import { PROFILES } from '../../validate/validate.ts'
import { CHECKED_FORMATS } from '../check/check-wires.ts'
import { collect } from '../terminal/arguments.ts'
import { COUNTERS } from '../terminal/counter.ts'

export interface GrammarOption {
  readonly long: string // with its dashes
  readonly short?: string
  readonly description: string
  /** Absent without a value. */
  readonly value?: 'file' | 'folder' | 'text' | readonly string[]
  readonly mayRepeat: boolean
}

export interface GrammarCommand {
  /** The full name with its group: `compact`, `token add`. */
  readonly name: string
  readonly description: string
  readonly options: readonly GrammarOption[]
  /** Its argument: unknown, a file, or one of a list. */
  readonly argument: 'none' | 'file' | readonly string[]
  /** The subcommands of a group. */
  readonly commands: readonly GrammarCommand[]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const READ = SESSION_FORMATS.map(({ id }) => id)
const WRITTEN = [...SESSION_FORMATS.filter(({ write }) => write), ...PAGE_FORMATS].map(
  ({ id }) => id,
)

/** Keyed by the flags as in the help: the same name may take other values elsewhere. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--format <id>': READ,
  '--to <format>': WRITTEN,
  '--format <format>': CHECKED_FORMATS,
  '--strategy <id>': DEFAULT_STRATEGIES.map(({ id }) => id),
  '--questions <by>': ['template', 'model'],
  '--counter <id>': COUNTERS,
  '--preset <id>': Object.keys(PRESETS),
  '--provider <name>': Object.keys(PROFILES),
}

const FOLDERS: ReadonlySet<string> = new Set(['--root', '--cwd', '--workspace', '--files'])
const FILES: ReadonlySet<string> = new Set(['--out', '--repair', '--in', '--store'])
/** Arguments that may be files. */
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

export function buildGrammar(program: Command): GrammarCommand[] {
  const commands = program.commands.map((command) => buildCommand(command))
  const help: GrammarCommand = {
    name: 'help',
    description: 'display help for a command',
    options: [],
    argument: commands.map(({ name }) => name),
    commands: [],
  }
  return [...commands, help]
}

function buildCommand(command: Command, group?: string): GrammarCommand {
  const own = command.name()
  const name = group === undefined ? own : `${group} ${own}`
  return {
    name,
    description: command.description(),
    options: [...command.options.filter(isOffered).map(readOption), HELP_OPTION],
    argument: readArgument(command),
    commands: command.commands.map((inner) => buildCommand(inner, name)),
  }
}

/** Old names still work, but completion no longer offers them. */
function isOffered({ hidden, long }: Option): boolean {
  return !hidden || long === '--trust-folder'
}

function readOption(option: Option): GrammarOption {
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

function readArgument(command: Command): GrammarCommand['argument'] {
  if (command.name() === 'completion') return SHELLS
  if (command.commands.length > 0) return command.commands.map((each) => each.name())
  return command.registeredArguments.some((argument) => FILE_ARGUMENTS.has(argument.name()))
    ? 'file'
    : 'none'
}
