// The text being typed: the draft of each thread, completions for commands and files.
import { useCallback, useEffect, useState } from 'react'
import { type Client, completeCommand } from '../protocol/index.ts'

interface Offer {
  /** The content of the field after choosing it. */
  readonly text: string
  readonly name: string
  readonly description: string
}

const MOST = 8
const WAIT_MS = 150
/** An @ at the start of a word, and the text after it. */
const FILE = /(?:^|\s)@([^\s@]*)$/

export function useOffers(client: Client, threadId: string, text: string): readonly Offer[] {
  const [files, setFiles] = useState<readonly string[]>([])
  const typed = FILE.exec(text)?.[1]
  useEffect(() => {
    let isOver = false
    setFiles([])
    if (typed === undefined) return undefined
    const timer = setTimeout(() => {
      client.files(threadId, typed).then(
        (found) => {
          if (!isOver) setFiles(found.slice(0, MOST))
        },
        () => undefined, // without completion the path is typed by hand
      )
    }, WAIT_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, threadId, typed])
  if (typed !== undefined) {
    const before = text.slice(0, text.length - typed.length)
    return files.map((name) => ({ text: `${before}${name}`, name, description: '' }))
  }
  return completeCommand(text)
    .slice(0, MOST)
    .map(({ text: line, description }) => ({ text: line, name: line, description }))
}

const drafts = new Map<string, string>()
const pastes = new Map<string, readonly string[]>()
const followers = new Set<() => void>()

/** Appends to the typed text what somebody else may have written: it does not bind. The field gets the focus. */
export function addToDraft(threadId: string, text: string): void {
  pastes.set(threadId, [...(pastes.get(threadId) ?? []), text])
  const typed = drafts.get(threadId)
  drafts.set(threadId, typed === undefined ? text : `${typed}\n${text}`)
  for (const follow of followers) follow()
}

/** The draft message of each thread, kept while the page is open. */
interface Draft {
  readonly text: string
  set(text: string): void
  /** Restores text that could not be sent, unless something else was typed. */
  giveBack(text: string): void
  /** Remembers what was pasted into it, also where it is given back: that does not bind. */
  addPastes(...texts: readonly string[]): void
  takePastes(): readonly string[]
}

/** `threadId` must stay the same while the component is mounted. */
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
  useEffect(() => {
    const follow = () => {
      show(drafts.get(threadId) ?? '')
      document.querySelector<HTMLElement>('.composer textarea')?.focus()
    }
    followers.add(follow)
    return () => {
      followers.delete(follow)
    }
  }, [threadId])
  const giveBack = useCallback(
    (typed: string) => {
      if (!drafts.has(threadId)) set(typed)
    },
    [threadId, set],
  )
  const addPastes = (...texts: readonly string[]) => {
    pastes.set(threadId, [...(pastes.get(threadId) ?? []), ...texts])
  }
  const takePastes = () => {
    const taken = pastes.get(threadId) ?? []
    pastes.delete(threadId)
    return taken
  }
  return { text, set, giveBack, addPastes, takePastes }
}
