// The texts of a view: what a message, a tool call and a compaction say to a person.
import type { RunProgress } from '../core/agent/frame.ts'
import type { CompactionData, NewEntry } from '../core/edit/change.ts'
import type { Json } from '../core/text/json.ts'
import { escapeHidden } from '../core/text/visible.ts'
import {
  type Block,
  type Part,
  type ToolStatus,
  textOfParts,
  textOfUserContent,
  type UserContent,
} from '../core/view/content.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import type { Approval } from './client.ts'

/** The subject of a call: the first of these fields in its input. */
/** As the tools of many agents name them. */
const SUBJECT_FIELDS = [
  ...['path', 'file_path', 'filePath', 'filename', 'command', 'cmd', 'query', 'pattern', 'url'],
  ...['ref', 'description', 'prompt'],
]
const SUBJECT_LENGTH = 200
const SUMMARY = /<summary>\n([\s\S]*)\n<\/summary>/
const SUMMARY_LABELS: ReadonlySet<string> = new Set(['summary', 'brief'])

export function userText(content: UserContent): { text: string; attachments: string[] } {
  const parts: readonly Part[] = typeof content === 'string' ? [] : content
  const attachments = parts.flatMap((part) =>
    part.type === 'image' || part.type === 'document'
      ? [part.media.title ?? `${part.type} ${part.media.mimeType}`]
      : [],
  )
  return { text: textOfUserContent(content), attachments }
}

/** Image types that every browser draws and that cannot hold scripts. */
const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function imagesIn(
  shown: readonly { readonly mimeType?: string; readonly data?: string }[],
): { readonly images?: readonly ShownImage[] } {
  const images = shown.flatMap(({ mimeType = '', data }) =>
    data !== undefined && DRAWN.has(mimeType) ? [{ mimeType, data }] : [],
  )
  return images.length === 0 ? {} : { images }
}

/** Extracts the summary from the message that opens a new thread. */
export function summaryIn(text: string): string | undefined {
  return SUMMARY.exec(text)?.[1]
}

/** A short text for a call whose tool gave no subject. */
export function readSubject(input: Json): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return short(input)
  const fields = input as { readonly [key: string]: Json }
  for (const name of SUBJECT_FIELDS) {
    const value = readWords(fields[name])
    if (value !== undefined) return short(value)
  }
  return short(input)
}

const SHELL = /^(?:\S*\/)?(?:ba|z|da)?sh$/

/** A text, or a command given as a list: of `bash -c …` its last item. */
function readWords(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length === 0) return undefined
  const words = value.filter((word): word is string => typeof word === 'string')
  if (words.length < value.length) return undefined
  return SHELL.test(words[0] ?? '') && words.length > 2 ? words.at(-1) : words.join(' ')
}

export function resultText(content: readonly Block[]): string {
  return content.map(blockText).join('\n')
}

/** What a compaction says in place of the entries it covers; undefined if it only removes or shortens. */
export function buildSummary({ edits }: CompactionData): string | undefined {
  const texts = edits
    .flatMap(({ put }) => put)
    .flatMap((entry) => ('label' in entry && SUMMARY_LABELS.has(entry.label) ? [entry] : []))
    .map(entryText)
    .filter((text) => text !== '')
  return texts.length === 0 ? undefined : texts.map((text) => summaryIn(text) ?? text).join('\n\n')
}

function entryText(entry: NewEntry): string {
  switch (entry.type) {
    case 'USER_MESSAGE':
      return textOfUserContent(entry.data)
    case 'AGENT_MESSAGE':
      return entry.data.parts ? textOfParts(entry.data.parts) : entry.data.content
    case 'TOOL_RESULT':
      return resultText(entry.data.content)
    case 'SYSTEM_REMINDER':
      return entry.data
  }
}

function blockText({ type, text, uri, mimeType }: Block): string {
  if (text !== undefined) return text
  return `[${[type, mimeType, uri].filter((word) => word !== undefined).join(' ')}]`
}

function short(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const head = text.length > SUBJECT_LENGTH ? `${cutHead(text, SUBJECT_LENGTH)}…` : text
  return escapeHidden(head)
}

/** The status of a transcript: activity, queue, pending question. */
interface Activity {
  readonly what: string
  readonly since: Date
  /** Progress within the current part, and the number of parts. */
  readonly done?: number
  readonly total?: number
}

export interface QueuedMessage {
  readonly messageId: string
  readonly text: string
}

export interface ViewStatus {
  readonly isWorking: boolean
  /** Absent when idle. */
  readonly activity?: Activity
  readonly compaction?: Activity & { readonly strategy: string }
  readonly queued: readonly QueuedMessage[]
  readonly approvals: readonly Approval[]
}

export const IDLE: ViewStatus = { isWorking: false, queued: [], approvals: [] }

/** The status changes for a step of a compaction. */
export function computeProgress(
  started: Activity & { readonly strategy: string },
  { message, done, total }: RunProgress,
): Activity & { readonly strategy: string } {
  return {
    what: message,
    since: started.since,
    strategy: started.strategy,
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
  }
}

/** The blocks that interfaces draw. A block is replaced, never mutated. */
export type ViewBlock =
  | UserBlock
  | AnswerBlock
  | ThinkingBlock
  | ToolBlock
  | EditBlock
  | NoticeBlock

interface BlockKey {
  readonly key: string // the same for every version of a block
  readonly time?: Date // absent until it is stored
  /** The context entry it is or was: `e12`. */
  readonly entry?: string
}

/** A picture stored in the log. */
export interface ShownImage {
  readonly mimeType: string
  readonly data: string // base64
}

export interface UserBlock extends BlockKey {
  readonly kind: 'user'
  readonly text: string
  readonly attachments: readonly string[] // one word for each part that is not text
  readonly images?: readonly ShownImage[]
  /** Sent by précis for the user, such as «continue» after a compaction. */
  readonly isAutomatic: boolean
}

export interface AnswerBlock extends BlockKey {
  readonly kind: 'answer'
  readonly text: string // Markdown
  readonly isStreaming: boolean
  /** Why it ended early. */
  readonly cut?: 'aborted' | 'error' | 'length' | 'refusal'
}

export interface ThinkingBlock extends BlockKey {
  readonly kind: 'thinking'
  readonly text: string
  readonly isStreaming: boolean
}

export interface ToolBlock extends BlockKey {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  readonly subject: string
  readonly input?: Json
  readonly state: 'waiting' | 'asking' | 'running' | ToolStatus
  readonly progress?: string // its latest output while it runs
  readonly result?: string
  readonly images?: readonly ShownImage[] // of its result
}

/** One compaction, from its start on. */
export interface EditBlock extends BlockKey {
  readonly kind: 'compaction'
  readonly state: 'running' | 'done' | 'failed' | 'undone'
  readonly strategy: string
  readonly seq?: number // of its event, if it changed this thread
  readonly message?: string // while it runs
  readonly done?: number
  readonly total?: number
  readonly summary?: string
  readonly beforeTokens?: number
  readonly afterTokens?: number
  /** It removed nothing: the context is unchanged, and there is nothing to undo. */
  readonly isEmpty?: true
  /** The user stopped it; not a failure. */
  readonly isStopped?: true
  readonly error?: string
  /** What to do about the error. */
  readonly hint?: string
  /** Extra information besides its figures: a fallback, or that it gained nothing. */
  readonly note?: string
  /** Strategies that failed before the successful one, and why. */
  readonly fellBack?: readonly { readonly from: string; readonly reason: string }[]
  /** It opened another thread and left this one unchanged, or it opened this one. */
  readonly isFresh: boolean
  readonly freshThreadId?: string
}

export interface NoticeBlock extends BlockKey {
  readonly kind: 'notice'
  readonly level: 'info' | 'warning' | 'error' | 'reply'
  /** A retry of the model: the next attempt replaces it. */
  readonly isRetry?: true
  readonly text: string
  /** The command it answers. */
  readonly command?: string
  /** The thread this one came from. */
  readonly origin?: { readonly threadId: string; readonly reason: string }
}

/** The input of a call, readable: texts with their line breaks. */
export function inputText(input: Json): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return JSON.stringify(input, undefined, 2)
  return Object.entries(input)
    .map(([key, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
      return `${key}:${text.includes('\n') ? '\n' : ' '}${text}`
    })
    .join('\n')
}

/** A notice without what the divider above it already says. */
export function withoutNote(said: string, above: ViewBlock | undefined): string {
  const note = above?.kind === 'compaction' ? above.note : undefined
  return note !== undefined && said.endsWith(` ${note}`) ? said.slice(0, -note.length - 1) : said
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}
