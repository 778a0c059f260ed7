// Whether the server can be reached, as the latest request has found; streams try again by themselves.
import { useSyncExternalStore } from 'react'

let isReachable = true
const listeners = new Set<() => void>()

/** The browser's fetch, watched: a request that fails or comes through tells how things are. */
export async function watchedFetch(request: Request): Promise<Response> {
  try {
    const response = await window.fetch(request)
    tell(true)
    return response
  } catch (error) {
    if (!request.signal.aborted) tell(false)
    throw error
  }
}

export function useReachable(): boolean {
  return useSyncExternalStore(listen, () => isReachable)
}

function tell(now: boolean): void {
  if (now === isReachable) return
  isReachable = now
  for (const changed of listeners) changed()
}

function listen(changed: () => void): () => void {
  listeners.add(changed)
  const away = () => tell(false) // a stream that is cut off is noticed late
  window.addEventListener('offline', away)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('offline', away)
  }
}
