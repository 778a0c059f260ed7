// The client of this page. Asks for a token once and keeps it while the tab is open.
import { type Client, createClient } from '../protocol/index.ts'
import { watchedFetch } from './connection.ts'

const KEY = 'precis-token'

export function openClient(): Client {
  const token = sessionStorage.getItem(KEY)
  return createClient({
    fetch: watchedFetch,
    baseUrl: window.location.origin,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        signal?.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve()
        })
      }),
    ...(token !== null && { token }),
  })
}

const FRAGMENT = /^#token=([\w-]+)$/

/**
 * Exchanges the token in the address printed by `precis serve` for a cookie that scripts cannot read. True if
 * there was one.
 */
export async function takeTokenOfAddress(): Promise<boolean> {
  const [, token] = FRAGMENT.exec(window.location.hash) ?? []
  if (token === undefined) return false
  // First remove it from the address bar and the history, whatever happens next.
  window.history.replaceState(null, '', window.location.pathname)
  sessionStorage.removeItem(KEY)
  const headers = { authorization: `Bearer ${token}` }
  // The page's first request notices a failure and asks for a token.
  await window.fetch('/api/session', { method: 'POST', headers }).catch(() => undefined)
  return true
}

export function hasToken(): boolean {
  return sessionStorage.getItem(KEY) !== null
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token)
}
