// Removes tokens that are recognisable by their form
import type { Replace } from './replace.ts'
import { TOKEN_FORMS } from './token-forms.ts'

export function redactTokens(text: string, replace: Replace): string {
  return TOKEN_FORMS.reduce(
    (rest, { kind, pattern, accepts }) =>
      rest.replace(pattern, (...found) => {
        const [match] = found as [string]
        const groups = found.at(-1) as { secret?: string; user?: string } | string
        const { secret = match, user } = typeof groups === 'object' ? groups : {}
        if (isPlaceholder(match) || secret === user || !accepts(secret)) return match
        // The secret is the last group of its match, so its last place is its own.
        const start = match.lastIndexOf(secret)
        return match.slice(0, start) + replace(kind) + match.slice(start + secret.length)
      }),
    text,
  )
}

/** What an earlier pass left, or a text that was redacted before. */
function isPlaceholder(match: string): boolean {
  return match.includes('[redacted')
}
