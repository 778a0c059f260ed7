// Addresses of stores and servers, parsed to be shown without passwords.
import type { Json } from './json.ts'

/** Replaces hidden parts. */
const HIDDEN_PART = '…'
/** At least two letters, because `C:\logs` is a path. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i
const PERCENT = '%[0-9a-f]{2}'
/** RFC 3986 without characters that may end a part: no `@`, `/`, `?` or `#`. */
const WORD = `(?:[\\w.~!$&'()*+,;=-]|${PERCENT})`
const HOST = '(?:[\\w.~-]+|\\[[0-9a-f:.]+\\])(?::\\d{0,5})?'
const ADDRESS = new RegExp(
  `^(postgres(?:ql)?|https?)://(?:(${WORD}*)(:(?:${WORD}|:)*)?@)?((?:${HOST}(?:,${HOST})*)?)((?:/(?:${WORD}|:)*)*)(?:\\?((?:${WORD}|[:/])*))?$`,
  'i',
)
const POSTGRES = /^postgres(?:ql)?$/i
/** One libpq pair `name = value`; values with spaces are quoted, with \ before a quote. */
const PAIR = /\s*([a-z_]+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?=\s|$)/iy
const LOOKS_LIKE_PAIRS = /(?:^|\s)[a-z_]+\s*=/i

/** Parameters without secrets, and the form of their values. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  host: /^[\w.,:/-]{1,250}$/,
  hostaddr: /^[\w.,:]{1,250}$/,
  port: /^[\d,]{1,50}$/,
  dbname: /^[\w.-]{1,63}$/,
  user: /^[\w.-]{1,63}$/,
  schema: /^[a-z0-9_]{1,48}$/,
  sslmode: /^(?:disable|allow|prefer|require|verify-ca|verify-full|no-verify)$/,
}

/**
 * A store's or server's address for display: no password, and only harmless parameters. Of an unparsable
 * address only the scheme is shown.
 */
export function shownAddress(address: string): string {
  const text = address.trim()
  const scheme = SCHEME.exec(text)?.[0] ?? ''
  if (LOOKS_LIKE_PAIRS.test(text)) return shownPairs(text) ?? `${scheme}${HIDDEN_PART}`
  if (scheme === '') return isPath(text) ? address : HIDDEN_PART
  if (/^sqlite:$/i.test(scheme) && isPath(text.slice(scheme.length))) return address
  if (text === scheme) return address
  return shownUrl(text) ?? `${scheme}${text.startsWith(`${scheme}//`) ? '//' : ''}${HIDDEN_PART}`
}

/** Settings that are or contain addresses. In others an address is part of a text. */
const WITH_ADDRESSES: ReadonlySet<string> = new Set(['store', 'providers', 'catalogue'])

/** Whether this setting may contain a password, so an error must not repeat a wrong value. */
export function mayHoldAddress(key: string): boolean {
  return WITH_ADDRESSES.has(key)
}

/** A setting's value for display. */
export function shownSetting(key: string, value: Json): Json {
  return WITH_ADDRESSES.has(key) ? withShownAddresses(value) : value
}

function withShownAddresses(value: Json): Json {
  if (typeof value === 'string') return shownAddress(value)
  if (Array.isArray(value)) return value.map(withShownAddresses)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withShownAddresses(inner)]),
  )
}

function shownUrl(text: string): string | undefined {
  const found = ADDRESS.exec(text)
  if (!found) return undefined
  const [, scheme = '', user = '', , hosts = '', path = '', query] = found
  // Elsewhere a name alone may be the secret: `https://TOKEN@host`.
  // With a colon that is encoded, what is meant as the password is a part of the name.
  const isName = user !== '' && POSTGRES.test(scheme) && !/%3a/i.test(user)
  const shownUser = isName ? `${user}@` : ''
  const pairs = (query ?? '').split('&').flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=')
    return isPlain(name, rest.join('=')) ? [pair] : []
  })
  const parameters = pairs.length === 0 ? '' : `?${pairs.join('&')}`
  return `${scheme}://${shownUser}${hosts}${path}${parameters}`
}

function shownPairs(text: string): string | undefined {
  return findPairs(text)
    ?.flatMap(([name, value]) => (isPlain(name, value) ? [`${name}=${value}`] : []))
    .join(' ')
    .replace(/^$/, HIDDEN_PART)
}

/** Undefined for anything else. */
function findPairs(text: string): (readonly [string, string])[] | undefined {
  const pairs: (readonly [string, string])[] = []
  PAIR.lastIndex = 0
  let end = 0
  for (let found = PAIR.exec(text); found; found = PAIR.exec(text)) {
    pairs.push([(found[1] ?? '').toLowerCase(), found[2] ?? ''])
    end = PAIR.lastIndex
  }
  return pairs.length > 0 && text.slice(end).trim() === '' ? pairs : undefined
}

function isPlain(name: string, value: string): boolean {
  return Object.hasOwn(PLAIN, name) && (PLAIN[name]?.test(value) ?? false)
}

/** Not `me:secret@host/db`, an address without its scheme. */
function isPath(text: string): boolean {
  return /^(?:[~.]{0,2}[/\\]|[a-z]:)/i.test(text) || !/[@?]|:\/\//.test(text)
}
