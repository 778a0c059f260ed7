// What the user said before, after a message that changes it
import { findSentences } from '../../core/constraints/sentences.ts'
import { findSuperseded } from '../../core/constraints/supersede.ts'
import type { UserMessage } from './group.ts'

/** A message changes what one of so many before it said. */
const CHANGED_MESSAGES = 100
/** Of one message, and of those before it: what is longer is a document, and settles nothing. */
const MOST_SENTENCES = 300

/** What was taken back binds no longer. */
export function releaseWords(words: UserMessage[], gone: ReadonlySet<string>): void {
  for (const [at, word] of words.entries())
    if (word.binding.some((each) => gone.has(each)))
      words[at] = { ...word, binding: word.binding.filter((each) => !gone.has(each)) }
}

/** Marks what holds no longer, since a sentence of the text takes its place; gives the sentences. */
export function supersedeWords(words: UserMessage[], text: string): readonly string[] {
  const sentences = findSentences(text)
  const recent = words.slice(-CHANGED_MESSAGES)
  const before = recent.flatMap((word) => word.sentences ?? []).slice(-MOST_SENTENCES)
  const over = findSuperseded(sentences.slice(-MOST_SENTENCES), before)
  if (over.size === 0) return sentences
  const from = words.length - recent.length
  for (const [at, word] of recent.entries()) {
    const gone = (word.sentences ?? []).filter((each) => over.has(each))
    if (gone.length > 0) words[from + at] = { ...word, over: [...(word.over ?? []), ...gone] }
  }
  return sentences
}
