// A conversation as one text, so that a model reports on it instead of continuing it.
import type { EntryLabel } from '../../core/edit/change.ts'
import type { EventAt } from '../../core/log/event.ts'
import { partInWords } from '../../core/repair/result-content.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { ToolCall, ToolResult, UserContent } from '../../core/view/content.ts'
import { type Item, newEntryAt, parseEntryId } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { blockCaption } from '../../core/view/image-caption.ts'
import type { MessagePart } from '../../core/view/message.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { asData, quotedBehind } from './as-data.ts'

export interface Transcript {
  readonly text: string
  /** The start of each entry. */
  readonly boundaries: readonly number[]
}

export interface SerializeOptions {
  /** Limit for a tool result, a file, and each argument of a call. */
  readonly maxResultChars?: number
}

const RESULT_CHARS = 2_000
const SEPARATOR = '\n\n'

/**
 * Leaves out thinking, reminders, checkpoints and pins, which nobody said. Escapes whatever looks like this
 * page's structure.
 */
export function serializeConversation(
  items: readonly Item[],
  eventAt: EventAt,
  { maxResultChars = RESULT_CHARS }: SerializeOptions = {},
): Transcript {
  const boundaries: number[] = []
  let text = ''
  for (const item of items) {
    const said = entryText(item, eventAt, maxResultChars)
    if (said === '') continue
    if (text !== '') text += SEPARATOR
    boundaries.push(text.length)
    text += said
  }
  return { text, boundaries }
}

function entryText(item: Item, eventAt: EventAt, maxChars: number): string {
  const content = contentOf(item.id, eventAt)
  switch (content?.kind) {
    case 'user':
      return userText(content.content, findSpeaker(item, eventAt), maxChars)
    case 'answer': {
      const { answer, calls } = content
      const said = answer.content.trim() === '' ? [] : [`[Assistant]: ${asData(answer.content)}`]
      const called = calls.map((call) => callText(call, maxChars)).join('; ')
      return [...said, ...(called === '' ? [] : [`[Assistant tool calls]: ${called}`])].join(
        SEPARATOR,
      )
    }
    case 'result':
      return resultText(content.result, maxChars)
    default:
      return ''
  }
}

/** The compaction's label, or the author. */
type Speaker = EntryLabel | 'tool' | 'client' | 'model'

function findSpeaker(item: Item, eventAt: EventAt): Speaker | undefined {
  const label = newEntryAt(item.id, eventAt)?.label
  if (label !== undefined) return label
  const event = eventAt(parseEntryId(item.id).seq)
  if (event?.type !== 'USER_MESSAGE') return undefined
  const { origin } = event
  return origin === 'tool' || origin === 'client' || origin === 'model' ? origin : undefined
}

function userText(content: UserContent, label: Speaker | undefined, maxChars: number): string {
  const parts: readonly MessagePart[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : content.filter((part) => part.type !== 'tool_call')
  if (label !== undefined) return partsText(parts, label, maxChars)
  // A client's additions are separated from the user's words.
  const pieces: { by: Speaker | undefined; parts: MessagePart[] }[] = []
  for (const part of parts) {
    const by = part.type === 'text' ? part.from : undefined
    const last = pieces.at(-1)
    if (last && last.by === by) last.parts.push(part)
    else pieces.push({ by, parts: [part] })
  }
  return pieces
    .map((piece) => partsText(piece.parts, piece.by, maxChars))
    .filter((text) => text !== '')
    .join(SEPARATOR)
}

function partsText(
  parts: readonly MessagePart[],
  label: Speaker | undefined,
  maxChars: number,
): string {
  const text = parts
    .map(partInWords)
    .filter((words) => words.trim() !== '')
    .join('\n')
  if (text === '') return ''
  switch (label) {
    case 'pins':
      return ''
    case 'summary':
    case 'brief':
    case 'carried':
      return `[Earlier summary]: ${asData(text)}`
    case 'files':
      return quotedBehind('[Files]:', cutData(text, maxChars))
    case 'tool':
      return quotedBehind('[Tool result]:', cutData(text, maxChars))
    case 'client':
      return quotedBehind('[System]:', cutData(text, maxChars))
    case 'model':
      return quotedBehind('[Assistant, for the user]:', cutData(text, maxChars))
    default:
      return `[User]: ${asData(text)}`
  }
}

function callText({ name, arguments: input }: ToolCall, maxChars: number): string {
  const given = isFields(input)
    ? Object.entries(input).map(([key, value]) => `${key}=${jsonText(value, maxChars)}`)
    : [jsonText(input, maxChars)]
  return asData(`${name}(${given.join(', ')})`)
}

function jsonText(value: Json, maxChars: number): string {
  return cutWithNote(JSON.stringify(value), maxChars)
}

const FAILED = { completed: '', failed: ', failed', aborted: ', aborted', denied: ', denied' }

function resultText({ content, status }: ToolResult, maxChars: number): string {
  const text = content.map((block) => block.text ?? blockCaption(block)).join('\n')
  const label = `[Tool result${FAILED[status]}]:`
  return text.trim() === '' ? `${label} (no output)` : quotedBehind(label, cutData(text, maxChars))
}

/** Cut first, so that a tag cut in half is escaped, too. */
function cutData(text: string, maxChars: number): string {
  return asData(cutWithNote(text, maxChars))
}

function cutWithNote(text: string, maxChars: number): string {
  const head = cutHead(text, maxChars)
  return head === text
    ? text
    : `${head}\n[... ${text.length - head.length} more characters truncated]`
}
