// One file of an agent's configuration that `precis install` changes, and how to recognise our entry in it.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import type { Io } from '../process-io.ts'
import { stateFolder } from '../settings/places.ts'
import { unreadable, writeText } from '../terminal/io.ts'

export const HOSTS = ['claude-code', 'codex', 'opencode', 'pi'] as const
export type HostName = (typeof HOSTS)[number]

export interface HostFile {
  readonly path: string
  /** Returns the file with précis; `text` has none of it, and is undefined without a file. */
  add(text: string | undefined): string
  /**
   * Returns the file without précis; undefined if nothing else was in it. Empty objects of `before`, the
   * user's file, stay.
   */
  remove(text: string, before?: string): string | undefined
  /** People also write such entries by hand: one found by a first install may be theirs. */
  readonly isHandMade?: true
  /** Also removes what the agent wrote about précis, such as trust in its hooks; for `uninstall`. */
  forget?(text: string): string
  /** Whether two texts mean the same; default: as JSON or byte for byte. */
  isSame?(one: string, other: string): boolean
}

export const ENTRY = 'precis'
const OWN_SCRIPT = /[/\\]precis(?:\.js)?$/

/** As `install` writes them: the script's path, and `mcp`. */
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

const FILE = 'installed.json'
const schema = z.record(
  z.string(),
  z.object({
    /** The original file; null if there was none. */
    before: z.string().nullable(),
    after: z.string(), // a digest
    madeFolder: z.string().exactOptional(), // topmost created folder
  }),
)
export type Records = z.output<typeof schema>

export function recordsFile(io: Io): string {
  return join(stateFolderPath(io), FILE)
}

export async function readRecords(io: Io): Promise<Records> {
  const path = recordsFile(io)
  const text = (await readIfThere(path)) ?? '{}'
  try {
    return schema.parse(JSON.parse(text))
  } catch (thrown) {
    throw new PrecisError('invalid-input', `${path} cannot be read`, {
      where: path,
      hint: 'It keeps the files as they were before `precis install`. Restore it from a copy, or move it away.',
      cause: thrown,
    })
  }
}

export async function writeRecords(records: Records, io: Io): Promise<void> {
  const text = `${JSON.stringify(records, null, 2)}\n`
  await writeText(join(await stateFolder(io), FILE), text, io)
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable(path, thrown)
  }
}

export type Work = 'look' | 'install' | 'uninstall'
export type TextState = 'installed' | 'not installed' | 'outdated'

export function nextText(
  file: HostFile,
  before: string | undefined,
  records: Records,
  work: Work,
): string | undefined {
  const known = records[file.path]
  if (work === 'uninstall') return withoutTrace(file, before, known)
  if (readState(file, before, known) === 'installed') return before
  return withOurs(file, withoutOurs(file, before, known))
}

export function changedLines(before = '', next = ''): string[] {
  const [was, is] = [before.split('\n'), next.split('\n')]
  const [wasThere, isThere] = [new Set(was), new Set(is)]
  return [
    ...was.filter((line) => !isThere.has(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !wasThere.has(line)).map((line) => `+ ${line}`),
  ]
}

/** The original may contain an entry like ours: only one may exist. */
export function withOurs(file: HostFile, base: string | undefined): string {
  return file.add(base === undefined ? undefined : file.remove(base))
}

/** The original file if nothing else has changed; otherwise the file without our entry. */
export function withoutOurs(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): string | undefined {
  if (text === undefined) return undefined
  if (known && computeDigest(text) === known.after) return known.before ?? undefined
  return file.remove(text, known?.before ?? undefined)
}

/** Removes the agent's own notes about précis, too; if nothing else changed, restores every byte. */
export function withoutTrace(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): string | undefined {
  const left = withoutOurs(file, text, known)
  const next = left === undefined ? undefined : (file.forget?.(left) ?? left)
  if (next === undefined || known === undefined) return next
  const before = known.before ?? ''
  return file.isSame?.(next, before) ? (known.before ?? undefined) : next
}

export function readState(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): TextState {
  if (text === undefined) return 'not installed'
  const base = withoutOurs(file, text, known)
  if (base === text) return 'not installed'
  try {
    const isSame = file.isSame ?? isSameText
    return isSame(withOurs(file, base), text) ? 'installed' : 'outdated'
  } catch (thrown) {
    if (PrecisError.is(thrown)) return 'outdated' // ours, next to a foreign entry of the same name
    throw thrown
  }
}

/** Agents rewrite their files in another order and spacing. */
function isSameText(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
  } catch {
    return one === other
  }
}

export function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Undefined for a missing or invalid JSON file; the command that changes it reports the problem. */
export function readFields(path: string): Fields | undefined {
  return objectIn(readText(path))
}

/** Also reads comments and trailing commas, which rewriting would lose. */
export function readLoosely(path: string): Fields | undefined {
  return objectIn(withoutComments(readText(path)))
}

export function hasComments(path: string): boolean {
  return readFields(path) === undefined && readLoosely(path) !== undefined
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Editors on Windows write it, and agents ignore it. */
const BOM = '\uFEFF'

function objectIn(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text.startsWith(BOM) ? text.slice(1) : text) as Json
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Text in quotation marks is not a comment. */
const COMMENT = /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const TRAILING_COMMA = /("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g

function withoutComments(text: string): string {
  return text.replace(COMMENT, '$1').replace(TRAILING_COMMA, '$1')
}

export function edited(
  text: string | undefined,
  path: string,
  edit: (root: Fields) => Json,
): string {
  const root = text === undefined || text.trim() === '' ? {} : parsed(text, path)
  const indent = /\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  '
  const end = text === undefined || text.endsWith('\n') ? '\n' : ''
  const next = `${JSON.stringify(edit(root), null, indent)}${end}`
  const lines = text?.includes('\r\n') ? next.replaceAll('\n', '\r\n') : next
  return text?.startsWith(BOM) ? `${BOM}${lines}` : lines
}

export function pruned(
  text: string,
  before: string | undefined,
  path: string,
  edit: (root: Fields, users: Fields) => Fields,
): string | undefined {
  if (text.trim() === '') return text
  const root = parsed(text, path)
  const left = edit(root, before === undefined || before.trim() === '' ? {} : parsed(before, path))
  if (JSON.stringify(left) === JSON.stringify(root)) return text
  const isOurs = Object.keys(left).length === 0 && before === undefined
  return isOurs ? undefined : edited(text, path, () => left)
}

function parsed(text: string, path: string): Fields {
  const root = objectIn(text)
  if (root !== undefined) return root
  const hint =
    objectIn(withoutComments(text)) === undefined
      ? 'Fix the file, or add précis to it by hand (docs/use-with-agents.md).'
      : 'It has comments or trailing commas, which would be lost: remove them first, or edit the entry of précis by hand (docs/use-with-agents.md).'
  throw refusal(path, `${path} is not a JSON object`, hint)
}

export function fieldsAt(root: Fields, name: string, path: string): Fields {
  const value = root[name]
  if (value === undefined) return {}
  if (isFields(value)) return value
  throw refusal(path, `\`${name}\` in ${path} is not an object`, 'Fix the file first.')
}
