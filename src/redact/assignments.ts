// Secrets that can be told by the name they are assigned to: `password=…`, `"api_key": "…"`, `--token …`.
import type { Replace } from './redact.ts'

/** A name and what assigns to it, in code, JSON (also inside a string), YAML, a shell, or an address. */
const NAME =
  /(?<![A-Za-z0-9_.])(?<![A-Za-z0-9_.]-)(?<name>[A-Za-z_][\w.-]{2,80})(?:\\{0,3}["'`])?\]?(?<sign>[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8})|(?<=\s)--(?<flag>[a-z][a-z-]{2,40})[ \t]{1,4}(?!-)/g
const MAX_VALUE_CHARS = 300

export function redactAssignments(text: string, replace: Replace): string {
  const pieces: string[] = []
  let written = 0
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const {
      name,
      flag,
      sign = '',
    } = found.groups as { name?: string; flag?: string; sign?: string }
    const kind = kindOf(name ?? flag ?? '')
    if (kind === undefined) continue
    const value = valueAt(text, found.index + found[0].length)
    if (value === undefined) continue
    // In a shell or an address there is nothing but values; elsewhere it may be code.
    const isPlain = flag !== undefined || sign === '=' || /^[A-Z][A-Z0-9_]+$/.test(name ?? '')
    if (!isSecret(kind, value, isPlain)) continue
    pieces.push(text.slice(written, value.start), replace(kind))
    written = value.end
    NAME.lastIndex = value.end
  }
  return written === 0 ? text : [...pieces, text.slice(written)].join('')
}

type Kind = 'aws-secret' | 'password' | 'api-key' | 'token' | 'secret'

/** By the end of the name: `tokenizer` and `secretName` are no secrets. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['aws-secret', /secret_?access_?key$|aws_?secret(?:_?key)?$/i],
  ['password', /(?:passw(?:or)?d|passphrase|(?:^|[_.-])pwd|[_.-]pass)$/i],
  ['api-key', /(?:api|access|auth|private|secret|encryption|signing|account)[_-]?key$/i],
  ['token', /token$/i],
  ['secret', /(?:secret|credentials?)$/i],
]

function kindOf(name: string): Kind | undefined {
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0]
}

interface Value {
  readonly text: string
  readonly isQuoted: boolean
  readonly start: number
  readonly end: number
}

const QUOTE = /\\{0,3}["'`]/y
const BARE = /[^\s"'`,;<>(){}[\]&|\\]{1,300}/y

/** The literal that starts here; undefined where it is none: a call, an unfinished string, nothing. */
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
  if (inside === '' || /\s/.test(inside)) return undefined
  return { text: inside, isQuoted: true, start, end: start + length }
}

/** Not a value but what stands for one: a variable, a type, an example, a word of the same field. */
const STANDS_FOR =
  /^[<${%*[(#@]|^(?:null|none|nil|undefined|true|false|string|number|boolean|object|required|optional)\b|your|example|placeholder|change-?_?me|dummy|redacted|xxx|\.\.\.|…|\*\*\*|process\.env|environ|getenv|^[./~]|:\/\//i
/** The name again, as a parameter that is passed on. */
const SAME_WORD = /^(?:[a-z]+[_-]?)?(?:passw(?:or)?d|passphrase|secret|token|api_?key|key)\d?$/i

const SHORTEST_PASSWORD = 6
const SHORTEST_TOKEN = 16
const AWS_SECRET = /^[A-Za-z0-9/+]{40}$/

function isSecret(kind: Kind, { text, isQuoted }: Value, isPlain: boolean): boolean {
  if (kind === 'aws-secret' && AWS_SECRET.test(text)) return true
  if (STANDS_FOR.test(text) || SAME_WORD.test(text) || new Set(text).size < 4) return false
  const hasDigit = /\d/.test(text)
  const hasLetter = /[a-z]/i.test(text)
  if (kind === 'password') {
    if (text.length < SHORTEST_PASSWORD) return false
    // Letters alone are a word of the interface, a type or a variable, unless nothing else can stand there.
    return (hasLetter && (hasDigit || /[^\w.-]/.test(text))) || (isPlain && isShouted(text))
  }
  if (text.length < SHORTEST_TOKEN || !hasLetter || !hasDigit) return false
  const digits = text.match(/\d/g)?.length ?? 0
  return (isQuoted || isPlain || digits > 1) && text.split(/[-_.:]/).some(isRandomPiece)

  function isShouted(value: string): boolean {
    return !isQuoted && /^[A-Za-z]{12,}$/.test(value) && /[a-z][A-Z]|^[a-z]+$/.test(value)
  }
}

/** Letters and digits in one piece; `access-token-v2` has no such piece. */
function isRandomPiece(piece: string): boolean {
  return piece.length >= 8 && /\d/.test(piece) && /[a-z]/i.test(piece)
}
