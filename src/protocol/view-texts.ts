// The texts of a view: what a message, a tool call and a compaction say, in the words a person reads.
import type { RunProgress } from '../core/agent/frame.ts'
import type { CompactionData, NewEntry } from '../core/edit/change.ts'
import { escapeHidden } from '../core/text/address.ts'
import type { Json } from '../core/text/json.ts'
import {
  type Block,
  type Part,
  type ToolStatus,
  textOfParts,
  textOfUserContent,
  type UserContent,
} from '../core/view/content.ts'
import { cutHead } from '../core/window/tokens/weigh.ts'
import type { Approval } from './client.ts'

/** What a call is about: the first of these that its input has. */
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

/** Kinds of pictures that every browser draws, and that can hold no script. */
const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function imagesIn(
  shown: readonly { readonly mimeType?: string; readonly data?: string }[],
): { readonly images?: readonly ShownImage[] } {
  const images = shown.flatMap(({ mimeType = '', data }) =>
    data !== undefined && DRAWN.has(mimeType) ? [{ mimeType, data }] : [],
  )
  return images.length === 0 ? {} : { images }
}

/** The summary that opens a new thread, out of the message that brings it. */
export function summaryIn(text: string): string | undefined {
  return SUMMARY.exec(text)?.[1]
}

/** A call in short, where no tool has said what it is about. */
export function readSubject(input: Json): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return short(input)
  const fields = input as { readonly [key: string]: Json }
  for (const name of SUBJECT_FIELDS) {
    const value = wordsOf(fields[name])
    if (value !== undefined) return short(value)
  }
  return short(input)
}

const SHELL = /^(?:\S*\/)?(?:ba|z|da)?sh$/

/** A text, or a command in words: behind `bash -c`, the last of them. */
function wordsOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || value.length === 0) return undefined
  const words = value.filter((word): word is string => typeof word === 'string')
  if (words.length < value.length) return undefined
  return SHELL.test(words[0] ?? '') && words.length > 2 ? words.at(-1) : words.join(' ')
}

export function resultText(content: readonly Block[]): string {
  return content.map(blockText).join('\n')
}

/** What a compaction says in place of what it covers; undefined if it only leaves out or shortens. */
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

/** What went wrong and what to do about it, in sentences. */
export function errorWords(error: Error): string {
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : ''
  if (hint === '') return error.message
  return /[.!?…]$/.test(error.message) ? `${error.message} ${hint}` : `${error.message}. ${hint}`
}

/** The status around a transcript: activity, queue, pending question */
interface Activity {
  readonly what: string
  readonly since: Date
  /** Of the part that it does now, and how many there are. */
  readonly done?: number
  readonly total?: number
}

export interface QueuedMessage {
  readonly messageId: string
  readonly text: string
}

export interface ViewStatus {
  readonly isWorking: boolean
  /** Absent if nothing is going on. */
  readonly activity?: Activity
  readonly compaction?: Activity & { readonly strategy: string }
  readonly queued: readonly QueuedMessage[]
  readonly approvals: readonly Approval[]
}

export const IDLE: ViewStatus = { isWorking: false, queued: [], approvals: [] }

/** The part of a status that a step of a compaction changes. */
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

/** The blocks that an interface draws; a block is replaced, never mutated */
export type ViewBlock =
  | UserBlock
  | AnswerBlock
  | ThinkingBlock
  | ToolBlock
  | EditBlock
  | NoticeBlock

interface BlockKey {
  readonly key: string // the same for every version of a block
  readonly time?: Date // absent while it is not stored
  /** The entry of the context that it is, or was: `e12`. */
  readonly entry?: string
}

/** A picture that the log itself holds. */
export interface ShownImage {
  readonly mimeType: string
  readonly data: string // base64
}

export interface UserBlock extends BlockKey {
  readonly kind: 'user'
  readonly text: string
  readonly attachments: readonly string[] // what is not a text, in a word each
  readonly images?: readonly ShownImage[]
  /** Said by précis on the user's behalf, as to continue after a compaction. */
  readonly isAutomatic: boolean
}

export interface AnswerBlock extends BlockKey {
  readonly kind: 'answer'
  readonly text: string // Markdown
  readonly isStreaming: boolean
  /** Why there is no more of it, where it did not come to its end. */
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
  readonly progress?: string // the last thing it said while it runs
  readonly result?: string
  readonly images?: readonly ShownImage[] // of its result
}

/** One compaction, from the moment it starts. */
export interface EditBlock extends BlockKey {
  readonly kind: 'compaction'
  readonly state: 'running' | 'done' | 'failed' | 'undone'
  readonly strategy: string
  readonly seq?: number // of its event, where it changed this thread
  readonly message?: string // while it runs
  readonly done?: number
  readonly total?: number
  readonly summary?: string
  readonly beforeTokens?: number
  readonly afterTokens?: number
  /** It found nothing to take out: the context is as it was, and there is nothing to undo. */
  readonly isEmpty?: true
  /** The user stopped it: that is no failure. */
  readonly isStopped?: true
  readonly error?: string
  /** What to do about the error. */
  readonly hint?: string
  /** What is to be known of it beside its figures: a fallback, or that nothing was gained. */
  readonly note?: string
  /** Strategies that came to nothing before the one that did it, and why. */
  readonly fellBack?: readonly { readonly from: string; readonly reason: string }[]
  /** It opened another thread, and left this one as it was; or it opened this one. */
  readonly isFresh: boolean
  readonly freshThreadId?: string
}

export interface NoticeBlock extends BlockKey {
  readonly kind: 'notice'
  readonly level: 'info' | 'warning' | 'error' | 'reply'
  /** Of a model that is asked again: the next attempt takes its place. */
  readonly isRetry?: true
  readonly text: string
  /** The command that it answers. */
  readonly command?: string
  /** Of the thread that this one came from. */
  readonly origin?: { readonly threadId: string; readonly reason: string }
}

/** The input of a call for people: texts as they are, lines and all. */
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

/** A notice without what the divider right above it says already. */
export function withoutNote(said: string, above: ViewBlock | undefined): string {
  const note = above?.kind === 'compaction' ? above.note : undefined
  return note !== undefined && said.endsWith(` ${note}`) ? said.slice(0, -note.length - 1) : said
}
