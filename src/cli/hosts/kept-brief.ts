// Keeps the brief of the hook before a compaction for the hook after it, so the session is not read twice.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import type { Io } from '../process-io.ts'
import { stateFolder } from '../settings/places.ts'
import { writeText } from '../terminal/io.ts'
import type { Brief } from './brief.ts'

/** Only of the latest compaction: of two concurrent ones, one reads its session again. */
const FILE = 'last-brief.json'
const VERSION = 2
/** Comparing this much of the end shows that a file only grew. */
const CHECKED_BYTES = 1_024
/** More than the record of a compaction. */
const MOST_NEW_BYTES = 2_000_000

interface BriefRecord {
  readonly v: typeof VERSION
  readonly path: string
  readonly bytes: number
  readonly end: string
  readonly brief: Brief
}

/** What was read of a session: its size, and its last bytes in base64. */
export interface ReadExtent {
  readonly bytes: number
  readonly end: string
}

export async function keepBrief(
  path: string,
  { bytes, end }: ReadExtent,
  brief: Brief,
  io: Io,
): Promise<void> {
  const kept: BriefRecord = { v: VERSION, path, bytes, end, brief }
  await writeText(join(await stateFolder(io), FILE), JSON.stringify(kept), io)
}

export function readExtent(path: string): ReadExtent {
  const { size: bytes } = statSync(path)
  return { bytes, end: endBefore(path, bytes) }
}

/** The kept part for this session; undefined for another session, or a file that did not only grow. */
export function keptBefore(
  path: string,
  io: Pick<Io, 'cwd' | 'environment'>,
): BriefRecord | undefined {
  const kept = readKept(io)
  if (kept?.v !== VERSION || kept.path !== path) return undefined
  return endBefore(path, kept.bytes) === kept.end ? kept : undefined
}

/** Undefined if more was said since. Its pins may have changed. */
export function keptBrief(
  path: string,
  io: Pick<Io, 'cwd' | 'environment'>,
): Omit<Brief, 'pins'> | undefined {
  const kept = keptBefore(path, io)
  const { size } = statSync(path)
  if (kept === undefined || size - kept.bytes > MOST_NEW_BYTES) return undefined
  const added = bytesBetween(path, kept.bytes, size).toString('utf8')
  return added.split('\n').every(isQuiet) ? kept.brief : undefined
}

/** Fewer if the file is shorter. */
export function bytesBetween(path: string, start: number, end: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, end - start))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start))
  } finally {
    closeSync(file)
  }
}

function readKept(io: Pick<Io, 'cwd' | 'environment'>): BriefRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(stateFolderPath(io), FILE), 'utf8')) as BriefRecord
  } catch {
    return undefined // missing or broken: the session is read instead
  }
}

function endBefore(path: string, end: number): string {
  return bytesBetween(path, Math.max(0, end - CHECKED_BYTES), end).toString('base64')
}

interface AddedLine {
  readonly type?: unknown
  readonly isCompactSummary?: unknown
  readonly attachment?: { readonly type?: unknown }
  readonly message?: { readonly content?: unknown }
}

/** Lines of a conversation in Claude Code and Codex. */
const SPOKEN: ReadonlySet<unknown> = new Set(['user', 'assistant', 'response_item'])

/** The record of the compaction itself, or of the client: nothing was said or done. */
function isQuiet(line: string): boolean {
  if (line.trim() === '') return true
  try {
    const { type, isCompactSummary, attachment, message } = JSON.parse(line) as AddedLine
    if (isCompactSummary === true || isOfClient(message?.content)) return true
    return !SPOKEN.has(type) && attachment?.type !== 'queued_command'
  } catch {
    return false // an incomplete line: read the session
  }
}

/** Claude Code's record of a bare `/compact`, and of a command's result. */
function isOfClient(content: unknown): boolean {
  return typeof content === 'string' && (COMPACT_ALONE.test(content) || LOCAL_OUTPUT.test(content))
}

const COMPACT_ALONE =
  /^(?:\s*<command-(?:name>\/compact<\/command-name|message>[^<]*<\/command-message|args>\s*<\/command-args)>)+\s*$/
const LOCAL_OUTPUT = /^\s*<(local-command-[a-z]+)>(?:(?!<\/\1>)[\s\S])*<\/\1>\s*$/
