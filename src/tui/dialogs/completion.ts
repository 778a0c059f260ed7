// Completion in the editor: commands at the start, files after an @.
import type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
} from '@earendil-works/pi-tui'
import { completeCommand } from '../../protocol/index.ts'
import { CHAT_COMMANDS, compactDescription } from './commands.ts'

export interface CompletionSource {
  /** Preset of the open thread. */
  preset(): string | undefined
  files(typed: string): Promise<readonly string[]>
}

const MOST_FILES = 20
const FILE_PREFIX = /(?:^|\s)@([^\s@]*)$/

export function createCompletion(source: CompletionSource): AutocompleteProvider {
  return {
    triggerCharacters: ['@'],
    async getSuggestions(lines, cursorLine, cursorColumn, { signal }) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorColumn)
      const commands = cursorLine === 0 ? commandItems(before, source.preset()) : []
      const typed = FILE_PREFIX.exec(before)?.[1]
      const files = typed === undefined ? [] : await fileItems(source, typed)
      if (signal.aborted) return null
      return suggestions(before, typed, commands, files)
    },
    applyCompletion(lines, cursorLine, cursorColumn, { value }, prefix) {
      const line = lines[cursorLine] ?? ''
      // The list may be older than the typed text: then the text counts.
      if (!line.slice(0, cursorColumn).endsWith(prefix) || isOlder(line, cursorColumn, prefix))
        return { lines, cursorLine, cursorCol: cursorColumn }
      const kept = line.slice(0, cursorColumn - prefix.length)
      const changed = kept + value + line.slice(cursorColumn)
      return {
        lines: lines.map((each, index) => (index === cursorLine ? changed : each)),
        cursorLine,
        cursorCol: kept.length + value.length,
      }
    },
    shouldTriggerFileCompletion: () => true,
  }
}

/** A command is completed from the start of its line. */
function isOlder(line: string, cursorColumn: number, prefix: string): boolean {
  return prefix.startsWith('/') && line.slice(0, cursorColumn) !== prefix
}

/** Completions of a line: commands of the core and of the interface. */
function commandItems(before: string, preset: string | undefined): AutocompleteItem[] {
  const own = CHAT_COMMANDS.filter(({ name }) => name.startsWith(before.toLowerCase()))
  const isName = /^[/@]\S*$/.test(before)
  const items = [
    ...completeCommand(before).map(({ text, description }) => ({
      value: text,
      label: text,
      description: text === '/compact' ? compactDescription(preset) : description,
    })),
    ...(isName ? own : []).map(({ name, description }) => ({
      value: name,
      label: name,
      description,
    })),
  ]
  // Enter picks the first: after a lone slash it should be harmless.
  const isHelp = ({ value }: AutocompleteItem) => value === '/help'
  return [...items.filter(isHelp), ...items.filter((item) => !isHelp(item))]
}

async function fileItems(source: CompletionSource, typed: string): Promise<AutocompleteItem[]> {
  const paths = await source.files(typed)
  return paths.slice(0, MOST_FILES).map((path) => ({ value: `@${path}`, label: path }))
}

function suggestions(
  before: string,
  typed: string | undefined,
  commands: readonly AutocompleteItem[],
  files: readonly AutocompleteItem[],
): AutocompleteSuggestions | null {
  if (commands.length > 0) return { items: [...commands, ...files], prefix: before }
  if (files.length === 0 || typed === undefined) return null
  return { items: [...files], prefix: `@${typed}` }
}
