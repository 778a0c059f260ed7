// The interface of a session file format: reads a file into steps, writes a context as a file.
import type { NewEntry } from '../core/edit/change.ts'
import type { EventDraft, ThreadEvent } from '../core/log/event.ts'
import type { Json } from '../core/text/json.ts'
import type { TokenUsage } from '../core/view/content.ts'
import type { Message } from '../core/view/message.ts'
import type { ReadNotes } from './reading/notes.ts'

/** A source of bytes. */
export interface Source {
  readonly bytes?: number // total size, if known, for progress
  /** Reads from the start. Called up to twice, because only the end shows which branch is active. */
  open(): AsyncIterable<Uint8Array | string>
  /** The text of a byte range, if any part can be read again: then lines need not be held. */
  textAt?(start: number, end: number): string
}

/** A draft with the file's own names for it. */
export interface NamedDraft {
  readonly draft: EventDraft
  readonly names?: readonly string[]
}

/** A compaction recorded by the tool: the context afterwards. */
export interface RecordedChange {
  /** In order. `keep` names an earlier draft; `or` replaces it if it is gone. */
  readonly put: readonly (NewEntry | { readonly keep: string; readonly or?: NewEntry })[]
  /** Everything from this draft on stays, after `put`. */
  readonly keepFrom?: string
  /** Only these calls' results were blanked; nothing else changed, and `put` is empty. */
  readonly blanks?: readonly string[]
  readonly usage?: TokenUsage
  readonly metadata: { readonly [key: string]: Json }
}

/** The thread of the file itself. Others are sub-agents' threads. */
export const MAIN = ''

/**
 * A reader's findings in order. TOOL_CALL drafts directly follow their AGENT_MESSAGE in the same step and say
 * `answer: 0`; appending sets the number of the answer.
 */
export type Step =
  | { readonly type: 'drafts'; readonly thread: string; readonly drafts: readonly NamedDraft[] }
  | { readonly type: 'thread'; readonly thread: string; readonly title?: string }
  | {
      readonly type: 'compaction'
      readonly thread: string
      readonly compaction: RecordedChange
    }

/** What to write: the context, and its log if available. */
export interface Outgoing {
  readonly view: View
  readonly events?: readonly ThreadEvent[]
  /** Logs of sub-threads from the same file. */
  readonly sideEvents?: readonly (readonly ThreadEvent[])[]
  readonly title?: string
}

/** Impure inputs of writing a new file. */
export interface WriteOptions {
  readonly now: Date
  /** The current directory, for sessions without one. */
  readonly cwd?: string
  /** Returns a new id in UUID form on each call. */
  newId(): string
}

/** Possible differences after writing and reading again; the contract suite allows no others. */
export type Loss =
  | 'thinking' // left out
  | 'foreign-thinking' // from other providers, or unsigned: dropped
  | 'thinking-authors' // the model that thought
  | 'sealed-thinking' // readable only by its provider: dropped
  | 'signatures' // of thinking: valid only in their original session
  | 'natives' // parts only another provider understands are dropped
  | 'extras' // provider-specific fields of a text or image are dropped
  | 'documents' // become text
  | 'image-urls' // become a note
  | 'result-media' // an image in a result moves, or becomes a note
  | 'result-blocks' // a result's texts are joined
  | 'empty-results' // get a placeholder
  | 'failures' // a failed tool call shows only in the text of its result
  | 'failure-kinds' // aborted and denied results become failed ones
  | 'reminders' // become user text
  | 'checkpoints' // become text
  | 'system' // the system prompt has no place in the file
  | 'workplace' // nor has the working directory
  | 'arguments' // other values are wrapped in an object
  | 'call-ids' // are rewritten in the API's characters
  | 'open-calls' // a call without a result is answered as interrupted
  | 'merging' // consecutive messages of one side are merged

export interface SessionFormat {
  readonly id: string
  /** Its name for people. */
  readonly title: string
  readonly losses: readonly Loss[]
  /** Whether a file that starts like this has the format. */
  detect(sample: Sample): boolean
  /** Throws a located `invalid-input` for another format; notes broken rules. */
  read(source: Source, notes: ReadNotes): AsyncIterable<Step>
  /** Never throws: omits what the format cannot express and reports it. Absent: read-only. */
  readonly write?: (outgoing: Outgoing, options: WriteOptions) => Exported
}

/** The start of a file, parsed before its format is known. */
export interface Sample {
  readonly text: string
  /** Its first lines, if they are JSON objects. */
  readonly lines: readonly { readonly [key: string]: Json }[]
  /** Field names of a single document, and the first items of its lists. */
  readonly keys: readonly string[]
  readonly items: readonly { readonly list: string; readonly value: Json }[]
}

/** A model's input, as `buildMessages` makes it. */
export interface View {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
}

export interface Exported {
  readonly text: string
  /** The same in pieces, so that a long text need not be held; built on demand. */
  readonly pieces?: Iterable<string>
  /** What the format cannot express, and how it was handled. */
  readonly problems: readonly string[]
  /** How many records of the original file stay before the current ones. */
  readonly oldRecords?: number
}
