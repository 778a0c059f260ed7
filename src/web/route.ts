// The thread or view in the address bar, the only state outside the threads.
import { useSyncExternalStore } from 'react'

const PREFIX = '#/threads/'
/** The sessions of this machine. */
export const SESSIONS_ADDRESS = '#/sessions'

export interface Route {
  readonly threadId?: string
  readonly isSessions?: boolean
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(listen, () => window.location.hash)
  if (hash === SESSIONS_ADDRESS) return { isSessions: true }
  const threadId = hash.startsWith(PREFIX) ? decoded(hash.slice(PREFIX.length)) : undefined
  return threadId === undefined ? {} : { threadId }
}

export function readAddress(threadId: string): string {
  return `${PREFIX}${encodeURIComponent(threadId)}`
}

export function goTo(threadId: string | undefined): void {
  window.location.hash = threadId === undefined ? '' : readAddress(threadId)
}

function listen(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

/** A typed address may be invalid. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
