// A thread as one Markdown page, message by message, for a model that reports on it.

import { PrecisError } from '../../core/errors.ts'
import { partInWords } from '../../core/repair/result-content.ts'
import { foldBase64, MIN_URL_CHARS } from '../../core/text/fold-base64.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { Writer } from '../../core/view/build.ts'
import { blockCaption } from '../../core/view/image-caption.ts'
import type { Message, MessagePart, ToolResultPart } from '../../core/view/message.ts'
import { FILES_HEADING } from '../ranges/compact-whole.ts'
import { asData, oneLine, quoted } from '../summary/as-data.ts'
import { visibleAhead } from '../summary/visible-text.ts'

export interface RenderedThread {
  readonly markdown: string
  /** The start of each message. */
  readonly messageBoundaries: number[]
}

/** Tools that return files, which can be read again. */
const FILE_READERS: ReadonlySet<string> = new Set([
  'read',
  'read_file',
  'readfile',
  'get_file',
  'view',
  'view_file',
  'open_file',
])
/** A file this short is quoted rather than described. */
const SHORT_FILE_CHARS = 200

/**
 * Leaves out thinking, reminders and checkpoints, which nobody said. Escapes whatever looks like a heading of
 * this page or one of our tags. `writers` names user-role messages no person wrote, from `buildWithWriters`.
 */
export function renderThreadToMarkdown(
  messages: readonly Message[],
  writers: ReadonlyMap<Message, Writer> = new Map(),
): RenderedThread {
  const messageBoundaries: number[] = []
  const pieces: string[] = []
  const calls = new Map<string, MessagePart & { type: 'tool_call' }>()
  let length = 0
  for (const message of messages) {
    const { role, parts } = message
    const writer = writers.get(message)
    for (const part of parts) if (part.type === 'tool_call') calls.set(part.id, part)
    const said = parts
      .map((part) => {
        const text = textOfPart(part, calls)
        const isQuoted = writer !== undefined && part.type !== 'tool_result' && !('from' in part)
        return isQuoted && text.trim() !== '' ? quoted(text) : text
      })
      .filter((text) => text.trim() !== '')
    const heading = writer === undefined ? `# ${role}:` : WRITTEN_BY[writer]
    const piece = `${[heading, ...said].join('\n\n')}\n\n`
    messageBoundaries.push(length)
    pieces.push(piece)
    length += piece.length
  }
  return { markdown: pieces.join(''), messageBoundaries }
}

/** Replaces `# user:` for user-role text no person typed. */
const WRITTEN_BY = {
  client: '# client (not typed by the user):',
  tool: '# tool output (not typed by the user):',
  model: '# another model (not typed by the user):',
}

type Calls = ReadonlyMap<string, { readonly name: string; readonly arguments: Json }>

function textOfPart(part: MessagePart, calls: Calls): string {
  switch (part.type) {
    case 'text': {
      const { text, from } = part
      const words = said(text.startsWith(FILES_HEADING) ? withoutContents(text) : text)
      return from === undefined || words.trim() === ''
        ? words
        : `#${WRITTEN_BY[from]}\n${quoted(words)}`
    }
    case 'tool_call':
      return `## tool call: ${oneLine(part.name)}\n${said(JSON.stringify(part.arguments))}`
    case 'tool_result':
      return resultText(part, calls)
    case 'document':
      return said(`[document ${part.media.title ?? part.media.mimeType}]`)
    case 'image':
    case 'native':
      return said(partInWords(part))
    case 'thinking':
    case 'redacted_thinking':
    case 'system_reminder':
    case 'checkpoint':
      return ''
  }
}

const STATUS = { completed: '', failed: ', failed', aborted: ', aborted', denied: ', denied' }

function resultText({ id, content, status }: ToolResultPart, calls: Calls): string {
  const call = calls.get(id)
  const heading = `## tool result${call ? `: ${oneLine(call.name)}` : ''}${STATUS[status]}`
  const text = content.map((block) => block.text ?? blockCaption(block)).join('\n')
  const isFile = status === 'completed' && FILE_READERS.has(call?.name.toLowerCase() ?? '')
  if (!isFile || text.length <= SHORT_FILE_CHARS)
    return `${heading}\n${text.trim() === '' ? '(no output)' : quoted(said(text))}`
  const lines = text.split('\n').length
  return `${heading}\n[${said(pathIn(call?.arguments))}: ${lines} lines, not repeated here]`
}

function pathIn(input: Json | undefined): string {
  const fields = isFields(input) ? input : {}
  const path = [fields.path, fields.file_path, fields.filePath].find(
    (each) => typeof each === 'string',
  )
  return typeof path === 'string' ? oneLine(path) : 'a file'
}

/** Keeps the paths: old file contents are outdated and long. */
function withoutContents(files: string): string {
  return files.replace(/^(.+)\n(`{3,})\n[\s\S]*?\n\2$/gm, '$1 [not repeated here]')
}

/** Possible headings: ours have one or two of these marks. */
const MARKS = /^([^\S\n]*(?:[\p{Cf}\p{Default_Ignorable_Code_Point}][^\S\n]*)*)(?=[#＃])/gmu
const HEADING =
  /^#\s*#?\s*(?:user|assistant|tool\s+(?:call|result|output)|client|another\s+model)(?![\p{L}\p{N}_])/u

function said(text: string): string {
  const short = text.length < MIN_URL_CHARS ? text : foldBase64(text).text
  const data = asData(short)
  return data
    .replace(MARKS, (before, _: string, at: number) =>
      HEADING.test(visibleAhead(data, at + before.length)) ? `${before}\\` : before,
    )
    .toWellFormed()
}

/** Splits a rendered thread into chunks of similar size, between messages if possible. */
export const CHARS_PER_TOKEN = 4
export const TARGET_CHUNK_TOKENS = 25_000
export const TOLERANCE_TOKENS = 5_000

/** Room for one surrogate pair. */
const SMALLEST_TARGET_CHARS = 2

/**
 * Packs whole messages up to target plus tolerance. Only longer messages are cut: the start fills the open
 * chunk to the target, pieces of the target's length follow, and the rest stays open. The joined chunks are
 * the Markdown. One pass that copies each character once.
 */
export function chunkMessages(
  markdown: string,
  messageBoundaries: readonly number[],
  targetChunkChars: number,
  toleranceChars: number,
): string[] {
  checkSizes(targetChunkChars, toleranceChars)
  const limit = targetChunkChars + toleranceChars
  const chunks: string[] = []
  let start = 0 // of the open chunk
  let packed = 0 // end of its last whole message
  const close = (end: number) => {
    if (end > start) chunks.push(markdown.slice(start, end))
    start = end
  }
  for (let index = 1; index <= Math.max(1, messageBoundaries.length); index += 1) {
    const end = Math.min(messageBoundaries[index] ?? markdown.length, markdown.length)
    if (!(end > packed)) continue // invalid boundaries are ignored
    const isGiant = end - packed > limit
    if (isGiant ? packed - start >= targetChunkChars : end - start > limit) close(packed)
    while (end - start > limit) close(wholeCharacters(markdown, start + targetChunkChars))
    packed = end
  }
  close(markdown.length)
  return chunks
}

/** The name on one page of the design. @alias */
export const chunkMessagesByTokenBudget = chunkMessages

function checkSizes(targetChunkChars: number, toleranceChars: number): void {
  const isTarget = Number.isInteger(targetChunkChars) && targetChunkChars >= SMALLEST_TARGET_CHARS
  if (isTarget && Number.isInteger(toleranceChars) && toleranceChars >= 0) return
  throw new PrecisError(
    'invalid-input',
    `A chunk cannot be ${targetChunkChars} characters long with a tolerance of ${toleranceChars}.`,
    {
      where: isTarget ? 'toleranceChars' : 'targetChunkChars',
      hint: `The target is a whole number from ${SMALLEST_TARGET_CHARS} on, the tolerance one from 0 on.`,
    },
  )
}

/** Moves back by one inside a surrogate pair. */
function wholeCharacters(text: string, place: number): number {
  const isInPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1))
  return isInPair ? place - 1 : place
}
