// One file of an agent's configuration that `precis install` changes, and how to tell its own entry from one of the user
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'

export const HOSTS = ['claude-code', 'codex', 'opencode', 'pi'] as const
export type HostName = (typeof HOSTS)[number]

export interface HostFile {
  readonly path: string
  /** The file with précis in it; `text` has no part of it, and is undefined where there is no file. */
  add(text: string | undefined): string
  /** The file without it; undefined where nothing else was in it. Empty objects of `before`, the user's file, stay. */
  remove(text: string, before?: string): string | undefined
  /** People write such a part by hand as well: what a first install finds may be theirs. */
  readonly isHandMade?: true
  /** Also what the agent wrote about précis, such as that its hooks are trusted: for `uninstall`. */
  forget?(text: string): string
  /** Whether two texts say the same; by default, as JSON or to the byte. */
  isSame?(one: string, other: string): boolean
}

export const ENTRY = 'precis'
const OWN_SCRIPT = /[/\\]precis(?:\.js)?$/

/** As `install` writes them: the path of the script, and `mcp`. */
export function areOwnArguments(words: readonly Json[]): boolean {
  const script = words.at(-2)
  return words.at(-1) === 'mcp' && typeof script === 'string' && OWN_SCRIPT.test(script)
}

export function entryOfOthers(path: string): PrecisError {
  const sentence = `${path} has an MCP server ${ENTRY} that précis did not write`
  return refusal(path, sentence, 'Remove that entry or give it another name first.')
}

export function refusal(where: string, sentence: string, hint: string): PrecisError {
  return new PrecisError('invalid-input', sentence, { where, hint: `Nothing was changed. ${hint}` })
}
