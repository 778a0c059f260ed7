// Values that are known to be secret, in every form in which they could be quoted.
import { seen, withoutDisguised } from './disguised.ts'
import { aroundPlaceholders, type Replace } from './replace.ts'

/** A value that is known to be secret, under the name by which people know it. */
export interface Secret {
  readonly name: string
  readonly value: string
}

const SECRET_NAME =
  /(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|_pass|_pwd|_auth|_dsn)$/i
/** A file, a reference to the secret, or a switch: none is one. */
const NO_SECRET =
  /^(?:(?:~|\.{1,2})?(?:\/[\w.@ -]+)+\/?|[a-z]:\\.*|\$\{?\w+\}?|%\w+%|<.*>|true|false|none|null|disabled|enabled|required|optional|placeholder|changeme|your[-_].*)$/i
/** One that begins with a slash looks like a file. */
const AWS_SECRET = /^[A-Za-z0-9/+]{40}$/

/** The secrets of an environment, by the names that people give them. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): Secret[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) && isSecret(value.trim())
      ? [{ name, value }]
      : [],
  )
}

function isSecret(value: string): boolean {
  return AWS_SECRET.test(value) || !NO_SECRET.test(value)
}

/** Shorter values are switches and placeholders (`true`, `none`, `ollama`), and parts of other words. */
const SHORTEST_CHARS = 8
const LONGEST_NAME_CHARS = 60

/** The longest first: one may be the beginning of another. What was taken out before stays as it is. */
export function redactKnown(text: string, secrets: readonly Secret[], replace: Replace): string {
  const forms = secrets
    .flatMap(({ name, value }) => formsOf(value).map((form) => ({ name, form })))
    .sort((a, b) => b.form.length - a.form.length)
  const clean = forms.reduce(
    (rest, { name, form }) =>
      rest.includes(form)
        ? aroundPlaceholders(rest)
            .map((piece, at) =>
              at % 2 === 0 ? piece.replaceAll(form, () => replace(readKind(name))) : piece,
            )
            .join('')
        : rest,
    text,
  )
  if (forms.length === 0) return clean
  const looked = seen(clean)
  return secrets.reduce(
    (rest, { name, value }) =>
      withoutDisguised(rest, looked, value.trim(), () => replace(readKind(name))),
    clean,
  )
}

/** As it is, as JSON writes or may write it, as an address does, and in base 64, alone and within something. */
function formsOf(value: string): string[] {
  const plain = value.trim()
  if (plain.length < SHORTEST_CHARS) return []
  const bytes = Buffer.from(plain)
  return [
    ...new Set([
      value,
      plain,
      JSON.stringify(plain).slice(1, -1),
      encodeURIComponent(plain.toWellFormed()),
      bytes.toString('base64'),
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      ...escapedChars(plain),
      ...[0, 1, 2].flatMap((offset) => withinBase64(bytes, offset)),
    ]),
  ]
}

/** Every character by its number, as some write JSON. */
function escapedChars(text: string): string[] {
  const codes = text.split('').map((char) => char.charCodeAt(0).toString(16).padStart(4, '0'))
  const lower = codes.map((code) => `\\u${code}`).join('')
  return [lower, codes.map((code) => `\\u${code.toUpperCase()}`).join('')]
}

/** Characters in base 64 that hold bits of what stands before, by how many bytes of it come too many. */
const SHARED_CHARS = [0, 2, 3]

/** Of `Bearer …` or `user:…` in base 64: what its characters are that hold the secret alone. */
function withinBase64(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
  const own = padded
    .toString('base64')
    .slice(SHARED_CHARS[offset], Math.floor((padded.length * 8) / 6))
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
}

function readKind(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, LONGEST_NAME_CHARS)
}
