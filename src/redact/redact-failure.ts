// Keys out of what is said about a failure. There a word too many is taken out rather than one too few:
// servers quote keys in part, and nobody works on with the text.
import { redactKnown, type Secret } from './known.ts'
import { redactText } from './redact.ts'
import { aroundPlaceholders, Placeholders } from './replace.ts'

/** What looks like a key although nobody named it: a part of one, or that of someone else. */
const LOOKS_LIKE_A_KEY: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|csk|fw|r8|github_pat|key)[-_][\w*.…-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<=\/\/)[^/\s@]{1,300}(?=@)/g, // user and password in an address
  /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi,
]

export function redactFailure(text: string, secrets: readonly Secret[]): string {
  const { replace } = new Placeholders()
  const known = redactText(redactKnown(text, secrets, replace), [], replace)
  return LOOKS_LIKE_A_KEY.reduce(
    (rest, pattern) =>
      aroundPlaceholders(rest)
        .map((piece, at) => (at % 2 === 0 ? piece.replace(pattern, () => replace('key')) : piece))
        .join(''),
    known,
  )
}
