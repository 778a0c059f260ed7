// What a format of session files must do: read a file into steps, write a context as a file.
import type { NewEntry } from '../core/edit/change.ts'
import type { EventDraft, ThreadEvent } from '../core/log/event.ts'
import type { Json } from '../core/text/json.ts'
import type { TokenUsage } from '../core/view/content.ts'
import type { Message } from '../core/view/message.ts'
import type { ReadNotes } from './reading/notes.ts'

/** Where the bytes come from. */
export interface Source {
  readonly bytes?: number // the size of the whole, where it is known: for progress
  /** From the beginning. Called once or twice: which branch of a tree is in force shows at its end. */
  open(): AsyncIterable<Uint8Array | string>
  /** The text between two of its bytes, where any part can be had again: then no line need be held. */
  textAt?(start: number, end: number): string
}

/** A draft, and the names by which the file itself calls what it stands for. */
export interface NamedDraft {
  readonly draft: EventDraft
  readonly names?: readonly string[]
}

/** A compaction that the tool recorded: what stood in the context afterwards. */
export interface RecordedChange {
  /** In order. `keep` is a name given with an earlier draft; `or` stands in where that is gone. */
  readonly put: readonly (NewEntry | { readonly keep: string; readonly or?: NewEntry })[]
  /** Everything from the draft of this name to the end stays, behind what is put. */
  readonly keepFrom?: string
  /** Only the results of these calls were blanked; then nothing else is changed, and `put` is empty. */
  readonly blanks?: readonly string[]
  readonly usage?: TokenUsage
  readonly metadata: { readonly [key: string]: Json }
}

/** The thread of the file itself. Others are sub-threads: the work of sub-agents. */
export const MAIN = ''

/**
 * What a reader found, in order. TOOL_CALL drafts directly follow the AGENT_MESSAGE they belong to, in
 * the same step, and say `answer: 0`: whoever appends them puts in the number that the answer got.
 */
export type Step =
  | { readonly type: 'drafts'; readonly thread: string; readonly drafts: readonly NamedDraft[] }
  | { readonly type: 'thread'; readonly thread: string; readonly title?: string }
  | {
      readonly type: 'compaction'
      readonly thread: string
      readonly compaction: RecordedChange
    }

/** What is written: the context as it is, and where it is at hand the log it comes from. */
export interface Outgoing {
  readonly view: View
  readonly events?: readonly ThreadEvent[]
  /** The logs of sub-threads that came from the same file. */
  readonly sideEvents?: readonly (readonly ThreadEvent[])[]
  readonly title?: string
}

/** What is not pure about writing a new file. */
export interface WriteOptions {
  readonly now: Date
  /** Where it is written: stands in for the directory of a session that names none. */
  readonly cwd?: string
  /** A new id on each call, in the shape of a UUID. */
  newId(): string
}

/** What may differ after writing and reading again; the contract suite allows nothing else. */
export type Loss =
  | 'thinking' // left out
  | 'foreign-thinking' // of other providers, or without a signature: left out
  | 'thinking-authors' // which model it was that thought
  | 'sealed-thinking' // that only its provider can read: left out
  | 'signatures' // of thinking: they hold only in the session that they were made in
  | 'natives' // parts that only another provider understands are left out
  | 'extras' // fields of a text or an image that only another provider understands are left out
  | 'documents' // become text
  | 'image-urls' // become a note
  | 'result-media' // an image in a result stands elsewhere, or becomes a note
  | 'result-blocks' // the texts of a result become one
  | 'empty-results' // are given a word
  | 'failures' // a failed tool call shows only in the text of its result
  | 'failure-kinds' // aborted and denied results become failed ones
  | 'reminders' // become text of the user
  | 'checkpoints' // become text
  | 'system' // the system prompt has no place in the file
  | 'workplace' // nor has the working directory
  | 'arguments' // what is no object is wrapped in one
  | 'call-ids' // are written with the letters that the API takes
  | 'open-calls' // a call that waits for its result is answered as interrupted
  | 'merging' // messages of one side in a row become one

export interface SessionFormat {
  readonly id: string
  /** What people call it. */
  readonly title: string
  readonly losses: readonly Loss[]
  /** Whether a file that begins like this is one. */
  detect(sample: Sample): boolean
  /** Throws a located `invalid-input` for what is another format; notes what merely breaks a rule. */
  read(source: Source, notes: ReadNotes): AsyncIterable<Step>
  /** Never throws: what the format cannot say is left out and reported. Absent: read only. */
  readonly write?: (outgoing: Outgoing, options: WriteOptions) => Exported
}

/** The beginning of a file, as far as it can be understood before its format is known. */
export interface Sample {
  readonly text: string
  /** Its first lines, where they are JSON objects. */
  readonly lines: readonly { readonly [key: string]: Json }[]
  /** The names of the fields of the one document that it is, and the first items of its lists. */
  readonly keys: readonly string[]
  readonly items: readonly { readonly list: string; readonly value: Json }[]
}

/** What a model is sent, as `buildMessages` makes it. */
export interface View {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
}

export interface Exported {
  readonly text: string
  /** The same in pieces, where a long text need not be held as a whole: it is then made when it is asked for. */
  readonly pieces?: Iterable<string>
  /** What the format cannot say, and what was done about it. */
  readonly problems: readonly string[]
  /** How many records of the file it came from stay in it, before what is in force now. */
  readonly oldRecords?: number
}
