// The parts of a digest: groups of lines, and the user's words.
import type { EntryId } from '../../core/edit/change.ts'
import type { ToolStatus } from '../../core/view/content.ts'
import { originalId } from '../../core/view/entry.ts'

/** Lines that belong together: a message, or a call with its result. */
export interface Group {
  readonly seq: number // of its entry: the message or the calling answer
  readonly speaker: 'user' | 'task' | 'agent' | 'call' | 'reminder' | 'result'
  /** The call with its short arguments; empty for messages. */
  readonly head: string
  /** The entry, if it is not an event. */
  readonly entry?: EntryId
  /** An earlier brief: it condenses a lot, so it may fill the next one. */
  readonly isBrief: boolean
  headLine: number // the line of its head; -1 if none
  resultSeq: number // 0 until there is a result
  status: ToolStatus
}

/** The ref of a group: its result's, if there is one. */
export function readRef({ entry, resultSeq, seq }: Group): EntryId {
  return entry ?? originalId(resultSeq || seq)
}

export interface UserWords {
  readonly seq: number
  readonly text: string
  /** The entry that contains them, if no event does. */
  readonly entry?: EntryId
  /** What a short answer refers to: list items or a question. */
  readonly to?: string
  /** Sentences in them that a later message superseded. */
  readonly over?: readonly string[]
}

/** A user message with its binding sentences. */
export interface UserMessage extends UserWords {
  readonly binding: readonly string[]
  readonly sentences?: readonly string[]
}

/** Retracted sentences no longer bind. */
export function releaseWords(words: UserMessage[], gone: ReadonlySet<string>): void {
  for (const [at, word] of words.entries())
    if (word.binding.some((each) => gone.has(each)))
      words[at] = { ...word, binding: word.binding.filter((each) => !gone.has(each)) }
}
