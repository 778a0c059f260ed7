// Limits of long output: what the log keeps, and the head and tail that a model sees.
import type { ToolOutcome } from '../../core/agent/tool.ts'
import type { Json } from '../../core/text/json.ts'
import type { ToolStatus } from '../../core/view/content.ts'
import { cutHead, cutTail } from '../../core/window/tokens/cut.ts'

export interface OutputLimits {
  readonly shownChars: number // shown to the model of one result
  readonly lineChars: number // of one line
  readonly keptChars: number // kept in the log
}

export const OUTPUT_LIMITS: OutputLimits = {
  shownChars: 20_000,
  lineChars: 2_000,
  keptChars: 4_000_000,
}

export interface LimitedText {
  readonly whole: string
  /** Absent if the whole is short enough. */
  readonly shown?: string
}

export interface Output {
  readonly status: ToolStatus
  readonly text: string
  /** A last line that is always shown. */
  readonly ending?: string
  readonly metadata?: Json
}

export function limitedOutcome(output: Output, limits: OutputLimits): ToolOutcome {
  const { whole, shown } = limitOutput(output.text, limits)
  const closed = (text: string) =>
    [text, output.ending ?? ''].filter((part) => part !== '').join('\n')
  return {
    status: output.status,
    content: [{ type: 'text', text: closed(whole) }],
    ...(shown !== undefined && { shown: [{ type: 'text', text: closed(shown) }] }),
    ...(output.metadata !== undefined && { metadata: output.metadata }),
  }
}

/** Room for the line about omitted output. */
const NOTE_CHARS = 120

const LEAST_SHOWN_CHARS = 3 * NOTE_CHARS

export function limitOutput(text: string, limits: OutputLimits): LimitedText {
  const whole = text.length <= limits.keptChars ? text : keepEnds(text, limits.keptChars)
  const shown = showEnds(whole, Math.max(limits.shownChars, LEAST_SHOWN_CHARS), limits.lineChars)
  return { whole, ...(shown !== whole && { shown }) }
}

/** Cuts a line and says how much is missing. */
export function limitLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line
  const head = cutHead(line, maxChars)
  return `${head}… [${count(line.length - head.length)} more characters in this line]`
}

/** Marks a gap in the kept output; `chars` were not kept. */
export function notKept(chars: number): string {
  return `[… ${count(chars)} characters left out here and not kept …]`
}

export function count(number: number): string {
  return number.toLocaleString('en-US')
}

function keepEnds(text: string, maxChars: number): string {
  const head = cutHead(text, maxChars / 2)
  const tail = cutTail(text, maxChars / 2)
  return `${head}\n${notKept(text.length - head.length - tail.length)}\n${tail}`
}

/** Whole lines from both ends, each cut so that several fit. */
function showEnds(text: string, maxChars: number, lineChars: number): string {
  const longest = Math.min(lineChars, Math.floor(maxChars / 3) - NOTE_CHARS / 2)
  const lines = text.split('\n').map((line) => limitLine(line, longest))
  const total = measureLength(lines)
  if (total <= maxChars) return lines.join('\n')
  const room = maxChars - NOTE_CHARS
  const head = fitting(lines, room / 2)
  const tail = fitting(lines.toReversed(), room - measureLength(lines.slice(0, head)))
  const last = lines.length - tail
  const leftOut = lines.slice(head, last)
  return [
    ...lines.slice(0, head),
    `[… ${count(leftOut.length)} lines, ${count(measureLength(leftOut))} characters left out …]`,
    ...lines.slice(last),
  ].join('\n')
}

/** How many lines from the start fit. */
function fitting(lines: readonly string[], maxChars: number): number {
  let used = 0
  const end = lines.findIndex((line) => {
    used += line.length + 1
    return used > maxChars
  })
  return end === -1 ? lines.length : end
}

function measureLength(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}
