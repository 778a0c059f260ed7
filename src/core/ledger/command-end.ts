// How a command ended, from its call's result: exit code, and output without the tool's frame.
import type { Json } from '../text/json.ts'
import type { Block, ToolResult } from '../view/content.ts'
import { readFields } from './call-fields.ts'
import type { CommandEnd } from './shell/outcome.ts'

/** Only the ends of an output matter. */
const HEAD_CHARS = 150_000

const TAIL_CHARS = 150_000

const NEAR_ENDS_CHARS = 600

const EXIT_CODE =
  /(?:exit(?:ed)?(?: with)?(?: exit)? code:? ?|returncode>|"exit_code": ?|finished with exit code )(-?\d{1,5})\b/i

/** Lines that tools add before and after a command's output. */
const FRAME =
  /^(?:<returncode>.*|<output>|<\/output>|Chunk ID: .*|Wall time: .*|Process exited with code .*|Process running with session ID .*|Original token count: .*|Total output lines: .*|Exit [cC]ode:? -?\d+|Output:|\[exit code -?\d+[^\]]*\]|<exited with exit code -?\d+>|<shellId: \S+ completed with exit code -?\d+>|Command exited with code -?\d+|\[The command completed with exit code -?\d+\.?\]|\(Open file: .*\)|\(Current directory: .*\)|bash-\$|\((?:Bash completed with )?no output\))$/

/** The text of a result without the tool's frame, and the exit of the command. */
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

/** The same as `isFailed` of its end, without parsing the whole text. */
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

/** Only at the ends: the middle is the command's own output. */
function withoutFrame(text: string): string {
  const lines = text.replace(COLOURS, '').split('\n')
  let start = 0
  let end = lines.length
  const isFrame = (line: string | undefined) => line !== undefined && FRAME.test(line.trimEnd())
  while (start < 8 && start < end && isFrame(lines[start])) start += 1
  while (end > start && (isFrame(lines[end - 1]) || lines[end - 1]?.trim() === '')) end -= 1
  return lines.slice(start, end).join('\n')
}
