// The client of this page. A token is asked for once and kept for as long as the tab is open.
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

export function hasToken(): boolean {
  return sessionStorage.getItem(KEY) !== null
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token)
}
