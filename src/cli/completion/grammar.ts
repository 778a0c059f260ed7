// What can be typed: the commands with their options, as commander has them, and values where they are known.
import type { Command, Option } from 'commander'
import { PRESETS } from '../../core/presets.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import { PAGE_FORMATS } from '../../formats/pages.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import { PROFILES } from '../../validate/profiles.ts'
import { WIRE_FORMATS } from '../check-format.ts'
import { COUNTERS } from '../counter.ts'

export interface GrammarOption {
  readonly long: string // with its dashes
  readonly description: string
  /** Absent where it takes no value. */
  readonly value?: 'file' | 'folder' | 'text' | readonly string[]
}

export interface GrammarCommand {
  readonly name: string
  readonly description: string
  readonly options: readonly GrammarOption[]
  readonly argument: 'none' | 'file' | readonly string[]
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

const FOLDERS: ReadonlySet<string> = new Set(['--root', '--cwd'])
const FILES: ReadonlySet<string> = new Set(['--out', '--output', '--input', '--repair', '--in'])

export function grammarOf(program: Command): GrammarCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map(optionOf),
      { long: '--help', description: 'display help for the command' },
    ],
    argument: argumentOf(command),
  }))
}

function optionOf(option: Option): GrammarOption {
  const long = option.long ?? option.flags
  const { description } = option
  if (!option.required && !option.optional) return { long, description }
  const known = VALUES[option.flags]
  if (known) return { long, description, value: known }
  const value = FILES.has(long) ? 'file' : FOLDERS.has(long) ? 'folder' : 'text'
  return { long, description, value }
}

function argumentOf(command: Command): GrammarCommand['argument'] {
  if (command.name() === 'completion') return SHELLS
  if (command.commands.length > 0) return command.commands.map((each) => each.name())
  return command.registeredArguments.length === 0 ? 'none' : 'file'
}
