// Connection status, from the latest request; streams reconnect by themselves.
import { useSyncExternalStore } from 'react'

let isReachable = true

let failures = 0

let isLocked = false

const listeners = new Set<() => void>()

/** The browser's fetch; each outcome updates the connection status. */
export async function watchedFetch(request: Request): Promise<Response> {
  const before = failures
  try {
    const response = await window.fetch(request)
    // Ignore a success that started before another request failed.
    if (failures === before) tell(true)
    if (response.status === 401) lock(true)
    else if (response.ok && !request.url.endsWith('/api/health')) lock(false)
    return response
  } catch (error) {
    if (!request.signal.aborted) {
      failures += 1
      tell(false)
    }
    throw error
  }
}

/** Whether the server wants a token this page lacks, for example after a restart. */
export function useLocked(): boolean {
  return useSyncExternalStore(listen, () => isLocked)
}

function lock(now: boolean): void {
  if (now === isLocked) return
  isLocked = now
  for (const changed of listeners) changed()
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
  window.addEventListener('offline', probe)
  window.addEventListener('online', probe)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('offline', probe)
    window.removeEventListener('online', probe)
  }
}

/** A broken stream is noticed late, and a local server works without a network: so ask. */
function probe(): void {
  const asked = new Request('/api/health', { method: 'HEAD', cache: 'no-store' })
  watchedFetch(asked).catch(() => undefined) // the wrapper records the failure
}
