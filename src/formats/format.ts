// What every writer is given and gives back: a context as a model sees it, and the text of a file.
import type { Message } from '../core/view/message.ts'

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
