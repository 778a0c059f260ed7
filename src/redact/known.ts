// Values that are known to be secret, in every form in which they could be quoted or disguised.
import { aroundPlaceholders, type Replace } from './replace.ts'

/** A known secret and its name. */
export interface Secret {
  readonly name: string
  readonly value: string
}

const SECRET_NAME =
  /(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|_pass|_pwd|_auth|_dsn)$/i
/** Files, references to secrets, and switches are not secrets. */
const NO_SECRET =
  /^(?:(?:~|\.{1,2})?(?:\/[\w.@ -]+)+\/?|[a-z]:\\.*|\$\{?\w+\}?|%\w+%|<.*>|true|false|none|null|disabled|enabled|required|optional|placeholder|changeme|your[-_].*)$/i
/** A value that starts with a slash looks like a file. */
const AWS_SECRET = /^[A-Za-z0-9/+]{40}$/

/** The secrets of an environment, by variable name. */
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

/** Longest first, since one may be the start of another. Earlier placeholders stay. */
export function redactKnown(text: string, secrets: readonly Secret[], replace: Replace): string {
  const forms = secrets
    .flatMap(({ name, value }) => listForms(value).map((form) => ({ name, form })))
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

/** As it is, in JSON and URL notation, and in base64, alone and inside other data. */
function listForms(value: string): string[] {
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
      bytes.toString('base64').replace(/=+/, ''),
      bytes.toString('base64url'),
      ...escapedChars(plain),
      ...[0, 1, 2].flatMap((offset) => withinBase64(bytes, offset)),
    ]),
  ]
}

/** Every character as a JSON escape. */
function escapedChars(text: string): string[] {
  const codes = text.split('').map((char) => char.charCodeAt(0).toString(16).padStart(4, '0'))
  const lower = codes.map((code) => `\\u${code}`).join('')
  return [lower, codes.map((code) => `\\u${code.toUpperCase()}`).join('')]
}

/** Base64 characters that contain bits of the preceding bytes, by the number of those. */
const SHARED_CHARS = [0, 2, 3]

/** For `Bearer …` or `user:…` in base64: the characters of the secret alone. */
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

/** Shorter values, and those without letters and digits, resemble ordinary words. */
const SHORTEST_DISGUISED = 12

/** A text prepared for this search, in linear time. */
export interface Seen {
  /** Unescaped, without blanks, in one case: contains any disguised secret. */
  readonly bare: string
  readonly isMasked: boolean
}

function seen(text: string): Seen {
  const bare = text
    .replace(/\\{1,4}u00([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    )
    .replace(/\s|\\{1,4}[nrt]/g, '')
    .toLowerCase()
  return { bare, isMasked: MASK.test(text) }
}

/** The text without this secret in any of these forms; `hide` returns the replacement. */
function withoutDisguised(
  text: string,
  { bare, isMasked }: Seen,
  value: string,
  hide: () => string,
): string {
  if (value.length < SHORTEST_DISGUISED || !/\d/.test(value) || !/[a-z]/i.test(value)) return text
  // A value with separators is not searched here: it was found as it is or not at all.
  const isSplit = !/[\s\\]/.test(value) && bare.includes(value.toLowerCase())
  const whole = isSplit ? inPieces(text, (piece) => piece.replace(splitPattern(value), hide)) : text
  return isMasked ? inPieces(whole, (piece) => withoutMasked(piece, value, hide)) : whole
}

/** Earlier placeholders stay. */
function inPieces(text: string, change: (piece: string) => string): string {
  return aroundPlaceholders(text)
    .map((piece, at) => (at % 2 === 0 ? change(piece) : piece))
    .join('')
}

/** What may separate two characters: a line break and the next line's indent. */
const BREAK = '(?:\\s|\\\\{1,4}[nrt]){0,40}'

function splitPattern(value: string): RegExp {
  const chars = value.split('').map((char) => {
    const hex = char.charCodeAt(0).toString(16).padStart(4, '0')
    return `(?:\\u${hex}|\\\\{1,4}u${hex})`
  })
  return new RegExp(chars.join(BREAK), 'gi')
}

/** How providers mask the middle of a key: stars, bullets, dots. */
const MASK = /[*•●]{2,}|…+|\.{3,}/
const LONGEST_END_CHARS = 200
const SEPARATOR = /[\s"'`,;:=()[\]{}<>*•●…]/
/** The start of a key is often the same for all keys of a provider. */
const SHORTEST_START_ALONE_CHARS = 16
const SHORTEST_END_ALONE_CHARS = 4
const SHORTEST_OF_BOTH_CHARS = [2, 3] as const

function withoutMasked(text: string, value: string, hide: () => string): string {
  const masks = [...text.matchAll(new RegExp(MASK, 'g'))]
  let shown = ''
  let from = 0
  let before = 0 // end of the previous mask: no word continues there
  for (const [at, { 0: mask, index }] of masks.entries()) {
    const end = index + mask.length
    const start = wordBefore(text, index, Math.max(from, before))
    const behind = wordBehind(text, end, masks[at + 1]?.index ?? text.length)
    before = end
    if (!buildIsMask(value, start, behind, mask)) continue
    shown += text.slice(from, index - start.length) + hide()
    from = end + behind.length
  }
  return shown + text.slice(from)
}

function buildIsMask(value: string, start: string, end: string, mask: string): boolean {
  if (start.length + end.length >= value.length) return false
  const [least, leastEnd] = SHORTEST_OF_BOTH_CHARS
  const hasStart = value.startsWith(start)
  const hasEnd = value.endsWith(end)
  if (hasStart && hasEnd && start.length >= least && end.length >= leastEnd) return true
  if (hasStart && end === '') return start.length >= SHORTEST_START_ALONE_CHARS
  // Dots before a word are an ellipsis.
  return hasEnd && start === '' && end.length >= SHORTEST_END_ALONE_CHARS && /[*•●]/.test(mask)
}

function wordBefore(text: string, end: number, from: number): string {
  const first = Math.max(from, end - LONGEST_END_CHARS)
  let at = end
  while (at > first && !SEPARATOR.test(text.charAt(at - 1))) at -= 1
  return text.slice(at, end)
}

/** Without the end of the sentence. */
function wordBehind(text: string, start: number, to: number): string {
  const last = Math.min(to, start + LONGEST_END_CHARS)
  let at = start
  while (at < last && !SEPARATOR.test(text.charAt(at))) at += 1
  return text.slice(start, at).replace(/[.!?]+$/, '')
}
