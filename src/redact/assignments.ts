// Removes secrets by their names: assigned (`password=`, `"api_key":`), or in a field, a tag or a word beside them
import type { Replace } from './replace.ts'

/** A name and its assignment in code, JSON (also inside a string), YAML, a shell, or an address. */
const NAME =
  /(?<![A-Za-z0-9_.])(?<![A-Za-z0-9_.]-)(?<!\[redacted:)(?<name>[A-Za-z_][\w.-]{2,80})(?:\\{0,3}["'`])?\]?(?<sign>[ \t]{0,8}(?::=|=>|=|:(?![:?]))[ \t]{0,8})|(?<=\s)--(?<flag>[a-z][a-z-]{2,40})[ \t]{1,4}(?!-)/g
const MAX_VALUE_CHARS = 300

type AssignedName =
  | { readonly name: string; readonly flag: undefined; readonly sign: string }
  | { readonly name: undefined; readonly flag: string; readonly sign: undefined }

export function redactAssignments(text: string, replace: Replace): string {
  const pieces: string[] = []
  let written = 0
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const assigned = found.groups as unknown as AssignedName
    const { name, flag } = assigned
    const kind = readKind(name ?? flag)
    if (kind === undefined || isVerb(text, found.index, name)) continue
    const value = valueAt(text, found.index + found[0].length)
    if (value === undefined) continue
    // `exports.readToken = readToken` only passes something on.
    if (name?.endsWith(value.text) || !isSecret(kind, value, buildStyle(assigned))) continue
    pieces.push(text.slice(written, value.start), replace(buildPlaceholder(kind)))
    written = value.end
    NAME.lastIndex = value.end
  }
  return [...pieces, text.slice(written)].join('')
}

const WHAT_PASSES =
  /(?:^|[^\w])(?:tests?|checks?|specs?|cases?|suites?|builds?|all|they|it|both|these) $/i

/** `tests pass: python3 -m pytest` is a sentence. */
function isVerb(text: string, at: number, name: string | undefined): boolean {
  return name?.toLowerCase() === 'pass' && WHAT_PASSES.test(text.slice(Math.max(0, at - 12), at))
}

/** The kind of secret in a field with this name, if any: as in JSON, but without quotes. */
export function readSecretKind(name: string, text: string): string | undefined {
  const kind = readKind(name)
  if (kind === undefined || text.length > MAX_VALUE_CHARS || /\s/.test(text)) return undefined
  const value = { text, isQuoted: true, start: 0, end: text.length }
  return isSecret(kind, value, 'code') ? buildPlaceholder(kind) : undefined
}

/** In a shell or an address only values occur; elsewhere unquoted text may be code. */
type Style = 'variable' | 'plain' | 'listed' | 'code'

function buildStyle({ name, sign }: AssignedName): Style {
  if (name === undefined) return 'plain'
  if (sign === '=') return /^[A-Z][A-Z0-9_]+$/.test(name) ? 'variable' : 'plain'
  return /^:[ \t]+$/.test(sign) ? 'listed' : 'code'
}

type Kind =
  | 'aws-secret'
  | 'password'
  | 'api-key'
  | 'private-key'
  | 'basic-auth'
  | 'token'
  | 'secret'
  | 'near-secret'

/** By the end of the name: `tokenizer` and `secretName` are not secrets. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['aws-secret', /secret_?access_?key$|aws_?secret(?:_?key)?$/i],
  ['password', /(?:passw(?:or)?d|passphrase|(?:^|[_.-])pwd?|(?:^|[_.-])pass|(?:^|[_.-])psk)$/i],
  [
    'api-key',
    /(?:api|access|auth|private|secret|encryption|signing|account|master|app|license|hmac|webhook|shared)[_-]?key$|secret_?key_?base$|^[A-Z][A-Za-z]+-Key$/i,
  ],
  ['private-key', /client-key-data$/i],
  ['basic-auth', /(?:^|[_.-])_?auth$/i],
  ['token', /(?:token|[_-]pat)$/i],
  ['secret', /(?:secret|credentials?)$/i],
]
/** Names that mention a secret elsewhere than at the end; the value must then look secret. */
const NEAR_SECRET =
  /(?:secret|passw|credential|api[_-]?key|(?:auth|access|bearer|refresh|session)[_-]?token)/i
/** Properties of a secret. */
const ABOUT =
  /(?:id|ids|hash|digest|name|url|uri|path|file|type|count|length|size|field|label|version|ref|at|expires?|ttl|arn)$/i

/** The encoding of its bytes. */
const FORM = /[_-](?:base64|b64|hex)$/i

function readKind(name: string): Kind | undefined {
  const kind = KINDS.find(([, pattern]) => pattern.test(name.replace(FORM, '')))?.[0]
  return kind ?? (NEAR_SECRET.test(name) && !ABOUT.test(name) ? 'near-secret' : undefined)
}

function buildPlaceholder(kind: Kind): string {
  return kind === 'near-secret' ? 'secret' : kind
}

interface Value {
  readonly text: string
  readonly isQuoted: boolean
  readonly start: number
  readonly end: number
}

const QUOTE = /\\{0,3}["'`]/y
/** Ends at any other character, except for base64 padding. */
const BARE = /[^\s"'`,;<>(){}[\]&|\\=]{1,300}={0,2}/y

/** The literal that starts here; undefined for a call or an unfinished string. */
function valueAt(text: string, at: number): Value | undefined {
  QUOTE.lastIndex = at
  const quote = QUOTE.exec(text)?.[0]
  if (quote === undefined) {
    BARE.lastIndex = at
    const bare = BARE.exec(text)?.[0]
    const end = at + (bare?.length ?? 0)
    if (bare === undefined || '([{<'.includes(text[end] ?? ' ')) return undefined
    return { text: bare, isQuoted: false, start: at, end }
  }
  const start = at + quote.length
  const rest = text.slice(start, start + MAX_VALUE_CHARS)
  const length = rest.indexOf(quote)
  const inside = rest.slice(0, Math.max(0, length))
  if (/\s/.test(inside)) return undefined
  return { text: inside, isQuoted: true, start, end: start + length }
}

/** A placeholder instead of a value: a variable, a type, an example, a word of the field. */
const STANDS_FOR =
  /^[<${%*[(#@]|^(?:null|none|nil|undefined|true|false|string|number|boolean|object|required|optional|u?int\d*|float\d*|\w*array)\b|your|example|placeholder|change-?_?me|dummy|redacted|xxx|\.\.\.|…|\*\*\*|process\.env|environ|getenv|^[./~]|:\/\//i
/** The name again, as a passed parameter. */
const SAME_WORD = /^(?:[a-z]+[_-]?)?(?:passw(?:or)?d|passphrase|secret|token|api_?key|key)\d?$/i

const SHORTEST_PASSWORD = 6
const SHORTEST_TOKEN = 16
const AWS_SECRET = /^[A-Za-z0-9/+]{40}$/

function isSecret(kind: Kind, { text, isQuoted }: Value, style: Style): boolean {
  if (kind === 'aws-secret' && AWS_SECRET.test(text)) return true
  if (kind === 'private-key') return text.length >= 40
  if (kind === 'basic-auth') return isNameAndPassword(text)
  if ((STANDS_FOR.test(text) && !isBytes(text)) || SAME_WORD.test(text) || new Set(text).size < 4)
    return false
  if (!isQuoted && isCode(text, style)) return false
  const digits = text.match(/\d/g)?.length ?? 0
  if (kind === 'password') {
    if (text.length < SHORTEST_PASSWORD || !/[a-z]/i.test(text)) return false
    // Letters alone are a type or interface word, unless only a value can occur there.
    return (
      digits > 0 ||
      /[^\w.-]/.test(text) ||
      (style === 'variable' && text.length >= 8) ||
      (text.length >= 10 && isMixing(text))
    )
  }
  if (text.length < SHORTEST_TOKEN) return false
  if (kind === 'near-secret') return isHighEntropy(text)
  const isValue =
    isQuoted || style === 'variable' || style === 'plain' || digits > 1 || isChanging(text)
  return isValue && text.split(/[-_.:]/).some(isRandomPiece)
}

/** Random bytes in base64 may start like a path. */
export function isBytes(text: string): boolean {
  if (!/^\/[A-Za-z0-9+/]{31,}={0,2}$/.test(text)) return false
  return /[+=]/.test(text) || text.split('/').some((part) => part.length >= 20 && isMixed(part))
}

function isMixed(text: string): boolean {
  return /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)
}

/** Base64 of `name:password`, as registries write it. */
function isNameAndPassword(text: string): boolean {
  if (text.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false
  return /^[\x20-\x7e]{1,100}:[\x20-\x7e]{3,300}$/.test(
    Buffer.from(text, 'base64').toString('latin1'),
  )
}

const LEAST_BITS = 3.3

/** Bits per character: words have fewer. */
function isHighEntropy(text: string): boolean {
  if (text.length < 20) return false
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return (
    bits >= LEAST_BITS &&
    text.split(/[-_.:]/).some((piece) => piece.length >= 16 && isRandomPiece(piece))
  )
}

/** A member access, or a name where names are assigned. */
function isCode(text: string, style: Style): boolean {
  const isField = /^[A-Za-z_$][\w$]*(?:(?:[?!]?\.|::)[A-Za-z_$][\w$]*)+[!;]?$/.test(text)
  if (isField) return !text.split('.').some((piece) => isMixed(piece) && isChanging(piece))
  return style === 'code' && /^[A-Za-z_$][A-Za-z_$]*\d{0,2}[!;]?$/.test(text)
}

/** Letters and digits in one piece; `access-token-v2` has no such piece. */
function isRandomPiece(piece: string): boolean {
  return piece.length >= 8 && /[a-z]/i.test(piece) && (/\d/.test(piece) || isChanging(piece))
}

/** Alternating character kinds, unlike names, which have one capital per word. */
function isChanging(text: string): boolean {
  return text.length >= SHORTEST_TOKEN && isMixing(text)
}

function isMixing(text: string): boolean {
  const changes = text.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g)?.length ?? 0
  return changes * 3 >= text.length
}

const MARK = String.raw`(?:\\{0,3}["'])?`
const SIGN = String.raw`${MARK}[ \t]{0,4}[:=][ \t]{0,4}${MARK}`
const PAIR_NAME = String.raw`(?<name>[A-Za-z_][\w.-]{2,80})`
const PATTERNS: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:name|key)${SIGN}${PAIR_NAME}${MARK}(?:[\s,]|\\[rn]){1,40}${MARK}value${SIGN}(?<secret>[^\s"'<>,;\\]{6,300})`,
    'gi',
  ),
  new RegExp(
    String.raw`<(?:[\w:-]{1,40} (?:name|key)=["'])?${PAIR_NAME}["']?>(?<secret>[^\s<>]{6,300})</`,
    'g',
  ),
  // Arguments of a call, a variable with its default, and words of a command.
  new RegExp(
    String.raw`["']${PAIR_NAME}["'][ \t]{0,4},[ \t]{0,4}["'](?<secret>[^\s"'<>,;\\]{6,300})["']`,
    'g',
  ),
  new RegExp(
    String.raw`\bvariable[ \t]{1,4}["']?${PAIR_NAME}["']?[ \t]{0,4}\{[^{}]{0,300}?\bdefault[ \t]{0,20}=[ \t]{0,4}["'](?<secret>[^\s"'<>,;\\]{6,300})["']`,
    'g',
  ),
  /\b(?<name>[a-z][a-z_]{0,40}_(?:key|token|secret|password))[ \t]{1,4}(?<secret>[^\s"'<>,;:=\\]{16,300})/gi,
]

export function redactPairs(text: string, replace: Replace): string {
  return PATTERNS.reduce(
    (rest, pattern) =>
      rest.replace(pattern, (match, ...found) => {
        const { name, secret } = found.at(-1) as { name: string; secret: string }
        const kind = secret.includes('[redacted') ? undefined : readSecretKind(name, secret)
        if (kind === undefined) return match
        const start = match.lastIndexOf(secret)
        return match.slice(0, start) + replace(kind) + match.slice(start + secret.length)
      }),
    text,
  )
}

/** The name listed next to a field `value`, otherwise its own. */
export function readFieldName(field: string, siblings: Readonly<Record<string, unknown>>): string {
  if (field.toLowerCase() !== 'value') return field
  const names = [siblings.name, siblings.Name, siblings.key, siblings.Key]
  return names.find((name) => typeof name === 'string') ?? field
}
