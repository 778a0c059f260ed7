// The intended effect of a call, before its result
import type { Fields, Json } from '../text/json.ts'
import type { Block, ToolResult } from '../view/content.ts'
import { cutHead } from '../window/tokens/weigh.ts'
import type { FileOperation, Step } from './operation.ts'
import { LONGEST_PATH_CHARS } from './path-text.ts'
import type { CommandEnd } from './shell/outcome.ts'

export interface Todo {
  readonly text: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

export type Intent =
  | { readonly kind: 'files'; readonly operations: readonly FileOperation[] }
  | {
      readonly kind: 'shell'
      readonly command: string // as it is, cut where it is long
      readonly key: string
      readonly isTest: boolean
      /** Commands that follow the test. */
      readonly behind?: readonly string[]
      readonly steps: readonly Step[]
      /** Where it runs; absent if it runs in the root, or where the one before it left off. */
      readonly folder?: string
      /** The next command begins in the folder where this one ends. */
      readonly persists: boolean
    }
  /** Results whose lines are paths: of a folder, or any. */
  | { readonly kind: 'list'; readonly folder: string; readonly isDeep: boolean }
  | { readonly kind: 'found' }
  | { readonly kind: 'todos'; readonly todos: readonly Todo[] }
  | { readonly kind: 'todo-added'; readonly text: string }
  | { readonly kind: 'todo-changed'; readonly id: string; readonly status?: Todo['status'] }
  | { readonly kind: 'plan'; readonly text: string }
  /** Looks at, or ends, what runs in the background. */
  | { readonly kind: 'poll'; readonly id: string; readonly isEnd?: true }
  | { readonly kind: 'other' }

export interface OpenCall {
  readonly id: string
  readonly name: string
  /** What it is about, in short. */
  readonly subject: string
  readonly at: number // the number of its event
  readonly intent: Intent
}

// Reads the arguments of a call of any shape; undefined if they do not fit

/** Arguments that are an object, or the text of one. */
export function readFields(json: Json): Fields {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Fields
  return {}
}

export function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (typeof value === 'string') return value
  }
  return undefined
}

export function listIn(fields: Fields, ...names: readonly string[]): readonly Json[] | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (Array.isArray(value)) return value
  }
  return undefined
}

const PATHS = [
  'path',
  'file_path',
  'filePath',
  'absolute_path',
  'notebook_path',
  'target_file',
  'filename',
  'file',
  'relative_workspace_path',
]

/** The file that a call is about. */
export function pathIn(fields: Fields): string | undefined {
  const path = textIn(fields, ...PATHS)
  return path !== undefined && isPath(path) ? path : undefined
}

export function isPath(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_PATH_CHARS && !/[\n\0]/.test(text)
}

/** What a call is about, in short: a path, a command, or nothing. */
export function readSubject(input: Json): string {
  const fields = readFields(input)
  const text =
    pathIn(fields) ?? textIn(fields, 'command', 'cmd', 'description', 'pattern', 'query', 'url')
  return cutHead((text ?? '').split('\n', 1)[0] ?? '', 300)
}

/** More is not looked at: it is the ends of an output that tell. */
const HEAD_CHARS = 150_000
const TAIL_CHARS = 150_000
const NEAR_ENDS_CHARS = 600

const EXIT_CODE =
  /(?:exit(?:ed)?(?: with)?(?: exit)? code:? ?|returncode>|"exit_code": ?|finished with exit code )(-?\d{1,5})\b/i
/** Lines that tools put before and behind what a command printed. */
const FRAME =
  /^(?:<returncode>.*|<output>|<\/output>|Chunk ID: .*|Wall time: .*|Process exited with code .*|Process running with session ID .*|Original token count: .*|Total output lines: .*|Exit [cC]ode:? -?\d+|Output:|\[exit code -?\d+[^\]]*\]|<exited with exit code -?\d+>|<shellId: \S+ completed with exit code -?\d+>|Command exited with code -?\d+|\[The command completed with exit code -?\d+\.?\]|\(Open file: .*\)|\(Current directory: .*\)|bash-\$|\((?:Bash completed with )?no output\))$/

/** The text of a result without the tool's frame, and the exit of the command */
export function textOfBlocks(blocks: readonly Block[]): string {
  let text = ''
  for (const block of blocks) {
    if (block.text === undefined) continue
    text = text === '' ? block.text : `${text}\n${block.text}`
    if (text.length > HEAD_CHARS + TAIL_CHARS) break
  }
  return text.length <= HEAD_CHARS + TAIL_CHARS
    ? text
    : `${text.slice(0, HEAD_CHARS)}\n${text.slice(-TAIL_CHARS)}`
}

export function commandEnd(
  text: string,
  result: Pick<ToolResult, 'status' | 'metadata'>,
): CommandEnd {
  const exitCode = exitCodeIn(result.metadata) ?? readExitCode(text)
  return {
    ...(exitCode !== undefined && { exitCode }),
    isFailed: isFailed(result, exitCode),
    output: withoutFrame(text),
    text,
  }
}

/** The same as `isFailed` of its end, which takes the whole text apart. */
export function hasFailed(text: string, result: Pick<ToolResult, 'status' | 'metadata'>): boolean {
  if (result.status !== 'completed') return true
  return isFailed(result, exitCodeIn(result.metadata) ?? readExitCode(text))
}

function isFailed({ status }: Pick<ToolResult, 'status'>, exitCode: number | undefined): boolean {
  return status !== 'completed' || (exitCode !== undefined && exitCode !== 0)
}

function exitCodeIn(metadata: Json | undefined): number | undefined {
  const { exitCode, exit_code: other, exit } = readFields(metadata ?? null)
  return [exitCode, other, exit].find((code) => typeof code === 'number')
}

function readExitCode(text: string): number | undefined {
  const tail = EXIT_CODE.exec(text.slice(-NEAR_ENDS_CHARS).split('\n').slice(-6).join('\n'))
  const head = EXIT_CODE.exec(text.slice(0, NEAR_ENDS_CHARS).split('\n').slice(0, 6).join('\n'))
  const code = head?.[1] ?? tail?.[1]
  return code === undefined ? undefined : Number(code)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read their colours from them
const COLOURS = /\u001b\[[\d;]*m/g

/** Only at the ends: what is in the middle was printed. */
function withoutFrame(text: string): string {
  const lines = text.replace(COLOURS, '').split('\n')
  let start = 0
  let end = lines.length
  const isFrame = (line: string | undefined) => line !== undefined && FRAME.test(line.trimEnd())
  while (start < 8 && start < end && isFrame(lines[start])) start += 1
  while (end > start && (isFrame(lines[end - 1]) || lines[end - 1]?.trim() === '')) end -= 1
  return lines.slice(start, end).join('\n')
}
