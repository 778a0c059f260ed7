// What a file format of conversations must do: read a text into events, write messages as a text.
import type { EventDraft } from '../core/event.ts'
import type { Json } from '../core/json.ts'
import type { Message } from '../core/message.ts'

export interface Imported {
  /**
   * TOOL_CALL drafts directly follow the AGENT_MESSAGE they belong to and say `answer: 0`: whoever
   * appends them puts in the number that the answer got.
   */
  readonly drafts: readonly EventDraft[]
  /** What in the text breaks a rule or could not be carried over, each with its place. */
  readonly problems: readonly string[]
  /** What surrounds the messages (model, tools, …); `write` takes it back. */
  readonly envelope: Json
}

/** What a model is sent, as `buildMessages` makes it. */
export interface View {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
}

export interface Exported {
  readonly text: string
  /** What the format cannot say, and what was done about it. */
  readonly problems: readonly string[]
}

export interface Format {
  readonly id: string
  /** Throws a located `invalid-input` for what has another shape; reads what merely breaks a rule. */
  read(text: string): Imported
  /** Never throws: what the format cannot say is left out and reported. */
  write(view: View, envelope?: Json): Exported
}
