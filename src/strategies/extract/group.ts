// What a digest is made of: lines that belong together, and the words of the user
import type { EntryId } from '../../core/edit/change.ts'
import type { ToolStatus } from '../../core/view/content.ts'
import { originalId } from '../../core/view/entry.ts'

/** Lines that belong together: a message, or a call with its result. */
export interface Group {
  readonly seq: number // of its entry: the message, or the answer that called
  readonly speaker: 'user' | 'task' | 'agent' | 'call' | 'reminder' | 'result'
  /** What was called with which short arguments; empty for messages. */
  readonly head: string
  /** If it is not an event of the log, the entry that it is. */
  readonly entry?: EntryId
  /** An earlier brief: much was left out for it, so that it may fill the next one. */
  readonly isBrief: boolean
  headLine: number // the line that is its head; -1 if there is none
  resultSeq: number // 0 until there is a result
  status: ToolStatus
}

/** Under which what a group holds can be read again: its result, where it has one. */
export function readRef({ entry, resultSeq, seq }: Group): EntryId {
  return entry ?? originalId(resultSeq || seq)
}

export interface UserWords {
  readonly seq: number
  readonly text: string
  /** Where they are in no event of the log, the entry that has them. */
  readonly entry?: EntryId
  /** What a short answer refers to: items of a list, or a question. */
  readonly to?: string
  /** Sentences in them that a later message takes the place of. */
  readonly over?: readonly string[]
}

/** A message of the user, with the sentences in it that bind. */
export interface UserMessage extends UserWords {
  readonly binding: readonly string[]
  readonly sentences?: readonly string[]
}

/** What was taken back binds no longer. */
export function releaseWords(words: UserMessage[], gone: ReadonlySet<string>): void {
  for (const [at, word] of words.entries())
    if (word.binding.some((each) => gone.has(each)))
      words[at] = { ...word, binding: word.binding.filter((each) => !gone.has(each)) }
}
