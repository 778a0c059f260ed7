// Takes keys out of whatever is said about a failure, in every form in which they could be quoted.

/** Its brackets cannot stand in a header, so no working key begins or ends with a piece of it. */
const MARK = '‹removed›'

/** Shorter «keys» are placeholders of local servers (`none`, `ollama`): ordinary words, not secrets. */
const SHORTEST_SECRET_CHARS = 8

/** What looks like a key although nobody named it: a part of one, or that of somebody else. */
const LOOKS_LIKE_A_KEY: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.…-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<=\/\/)[^/\s@]+(?=@)/g, // user and password in an address
  /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi,
]

export type Redact = (text: string) => string

/** Removes the secrets, and what looks like one. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const forms = secrets
    .flatMap((secret) => (secret === undefined ? [] : formsOf(secret)))
    .sort((a, b) => b.length - a.length)
  return (text) => {
    const named = forms.reduce((rest, form) => rest.replaceAll(form, MARK), text)
    return LOOKS_LIKE_A_KEY.reduce((rest, pattern) => rest.replace(pattern, MARK), named)
  }
}

/** As it is, as JSON quotes it, in an address, and in base 64. */
function formsOf(secret: string): string[] {
  const plain = secret.trim()
  if (plain.length < SHORTEST_SECRET_CHARS) return []
  const base64 = Buffer.from(plain).toString('base64')
  return [
    secret,
    plain,
    JSON.stringify(plain).slice(1, -1),
    encodeURIComponent(plain.toWellFormed()),
    base64,
    base64.replace(/=+$/, ''),
  ]
}
