// The thread in the address bar, the only state outside the threads
import { useSyncExternalStore } from 'react'

const PREFIX = '#/threads/'

/** The id of the thread, or undefined. */
export function useRoute(): string | undefined {
  const hash = useSyncExternalStore(listen, () => window.location.hash)
  if (!hash.startsWith(PREFIX)) return undefined
  return decoded(hash.slice(PREFIX.length))
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

/** An address that someone typed may be no valid one. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
