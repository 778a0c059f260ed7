// What the user typed in a Claude Code session, without parsing answers and results: for a hook its host
// waits for.
import { isFields, type Json } from '../../core/text/json.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
import { queuedBy, queuedPrompt, writtenBy } from '../../formats/claude-code/attachment.ts'
import { type Fields, fieldsIn, listIn, textIn } from '../../formats/reading/raw.ts'
import { bytesBetween } from './kept-brief.ts'

/** This much before the new part contains the lines it continues. */
const WINDOW_BYTES = 65_536
/** Of a longer session only the end is read, to bound time and memory. */
const MOST_BYTES = 64_000_000
const NEWLINE = 10

/** Every line with user text contains one of these, as Claude Code writes it. */
const MARKS = ['"type":"user"', '"queued_command"']

/**
 * The text of each prompt between two offsets on the active branch. Undefined if the part before `from` is no
 * longer active as it was: a prompt continues from an earlier place.
 */
export function typedWords(path: string, from: number, to: number): string[] | undefined {
  const start = Math.max(0, from === 0 ? to - MOST_BYTES : from - WINDOW_BYTES)
  if (to - start > MOST_BYTES) return undefined
  const bytes = bytesBetween(path, start, to)
  const firstNew = Math.max(0, from - start)
  const lines = linesOfUser(bytes)
  const prompts = lines.filter(isPrompt)
  const active = activePrompts(bytes, prompts, { firstNew, isWhole: from === 0 || start === 0 })
  if (active === undefined) return undefined
  // Other lines with text belong to the prompt before.
  let isActive = true
  return lines.flatMap(({ line, at }) => {
    if (isPrompt({ line })) isActive = active.has(at)
    const words = at >= firstNew && (isActive || line.uuid === undefined) ? readWords(line) : ''
    return words === '' ? [] : [words]
  })
}

interface PlacedLine {
  readonly line: Fields
  readonly at: number // offset of its start
}

function linesOfUser(bytes: Buffer): PlacedLine[] {
  const found = new Map<number, Fields>()
  for (const mark of MARKS) {
    for (let at = bytes.indexOf(mark); at >= 0; ) {
      const begin = bytes.lastIndexOf(NEWLINE, at) + 1
      const newline = bytes.indexOf(NEWLINE, at)
      const end = newline < 0 ? bytes.length : newline
      const line = isResult(bytes.subarray(begin, end))
        ? undefined
        : objectIn(bytes.toString('utf8', begin, end))
      if (line !== undefined) found.set(begin, line)
      at = bytes.indexOf(mark, end)
    }
  }
  return [...found].map(([at, line]) => ({ line, at })).sort((one, other) => one.at - other.at)
}

/** Most lines in the user's role are long results and need no parsing. */
function isResult(line: Buffer): boolean {
  return line.includes('"tool_result"') && !line.includes('"type":"text"')
}

function isPrompt({ line }: Pick<PlacedLine, 'line'>): boolean {
  if (line.type !== 'user' || line.isSidechain === true || line.uuid === undefined) return false
  const { content } = fieldsIn(line.message)
  return !listIn(content).some((block) => fieldsIn(block).type === 'tool_result')
}

/**
 * The prompts that lead to the last one, by offset. A prompt continues the prompt before its parent line.
 * Undefined if a new one abandons an earlier one, or may do so.
 */
function activePrompts(
  bytes: Buffer,
  prompts: readonly PlacedLine[],
  { firstNew, isWhole }: { readonly firstNew: number; readonly isWhole: boolean },
): Set<number> | undefined {
  const countUpTo = (at: number) => prompts.findLastIndex((prompt) => prompt.at <= at) + 1
  const known = countUpTo(firstNew - 1)
  const hasBefore = known > 0 || !isWhole
  const active = new Set(prompts.slice(0, known).map(({ at }) => at))
  let index = prompts.length - 1
  while (index >= known) {
    const { line, at } = prompts[index] as PlacedLine
    active.add(at)
    const parent = parentPlace(bytes, line, at)
    if (typeof parent !== 'number' && hasBefore) return undefined
    if (parent === 'none') return active
    index = (parent === 'unknown' ? index : countUpTo(parent)) - 1
  }
  return index === known - 1 ? active : undefined
}

/** The offset of the line a prompt continues; `none` if it begins the conversation. */
function parentPlace(bytes: Buffer, line: Fields, at: number): number | 'none' | 'unknown' {
  if (line.isCompactSummary === true) return at - 1
  const parent = textIn(line.parentUuid)
  if (parent === undefined) return line.parentUuid === null ? 'none' : at - 1
  const place = bytes.lastIndexOf(`"uuid":${JSON.stringify(parent)}`, at - 1)
  return place < 0 ? 'unknown' : place
}
function objectIn(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/, '')) as Json
    return isFields(value) ? value : undefined
  } catch {
    return undefined // blank, cut, or not JSON: nothing a user typed
  }
}

function readWords(line: Fields): string {
  const attachment = fieldsIn(line.attachment)
  if (line.type === 'attachment' && queuedBy(attachment) === 'typed')
    return wordsIn(queuedPrompt(attachment))
  const isTyped = line.type === 'user' && line.isMeta !== true && line.isCompactSummary !== true
  return isTyped && writtenBy(line) === 'typed' ? wordsIn(fieldsIn(line.message).content) : ''
}

function wordsIn(content: Json | undefined): string {
  const texts = typeof content === 'string' ? [content] : listIn(content).map(textOfBlock)
  const data = texts.flatMap((text) =>
    text === undefined ? [] : [{ type: 'text', text } as const],
  )
  return typedTexts({ origin: 'typed', data }).join('\n').trim()
}

function textOfBlock(block: Json): string | undefined {
  const { type, text } = fieldsIn(block)
  return type === 'text' ? textIn(text) : undefined
}
