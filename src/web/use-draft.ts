// The draft message of each thread, kept while the page is open
import { useCallback, useState } from 'react'

const drafts = new Map<string, string>()

export interface Draft {
  readonly text: string
  set(text: string): void
  /** What could not be sent, unless something else was typed meanwhile. */
  giveBack(text: string): void
}

/** `threadId` stays the same for as long as the component is there. */
export function useDraft(threadId: string): Draft {
  const [text, show] = useState(() => drafts.get(threadId) ?? '')
  const set = useCallback(
    (typed: string) => {
      if (typed === '') drafts.delete(threadId)
      else drafts.set(threadId, typed)
      show(typed)
    },
    [threadId],
  )
  const giveBack = useCallback(
    (typed: string) => {
      if (!drafts.has(threadId)) set(typed)
    },
    [threadId, set],
  )
  return { text, set, giveBack }
}
