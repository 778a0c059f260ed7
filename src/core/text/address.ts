// Addresses of stores and servers, parsed so that they can be shown without a password.
// Makes hidden, moving and disguising characters of foreign text visible
import type { Json } from './json.ts'

/** Stands for what is not shown. */
const HIDDEN_PART = '…'
/** At least two letters, because `C:\logs` is a path. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i
const PERCENT = '%[0-9a-f]{2}'
/** RFC 3986, without any of the signs that could also be the end of a part: no `@`, `/`, `?` or `#`. */
const WORD = `(?:[\\w.~!$&'()*+,;=-]|${PERCENT})`
const HOST = '(?:[\\w.~-]+|\\[[0-9a-f:.]+\\])(?::\\d{0,5})?'
const ADDRESS = new RegExp(
  `^(postgres(?:ql)?|https?)://(?:(${WORD}*)(:(?:${WORD}|:)*)?@)?((?:${HOST}(?:,${HOST})*)?)((?:/(?:${WORD}|:)*)*)(?:\\?((?:${WORD}|[:/])*))?$`,
  'i',
)
const POSTGRES = /^postgres(?:ql)?$/i
/** One `name = value` of libpq; a value with spaces is in quotes, with \ before a quote. */
const PAIR = /\s*([a-z_]+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?=\s|$)/iy
const LOOKS_LIKE_PAIRS = /(?:^|\s)[a-z_]+\s*=/i

/** Parameters without a secret, and what their values look like. */
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
 * An address of a store or a server as people may see it: no password, and no parameter but those
 * that hold none. Of an address that cannot be parsed, only the scheme is shown.
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

/** Settings that are addresses, or hold some. In others an address is part of a text. */
const WITH_ADDRESSES: ReadonlySet<string> = new Set(['store', 'providers', 'catalogue'])

/** Whether a value of this setting may hold a password: a wrong one is not repeated in an error. */
export function mayHoldAddress(key: string): boolean {
  return WITH_ADDRESSES.has(key)
}

/** The value of a setting as people may see it. */
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
  const shownUser = user !== '' && POSTGRES.test(scheme) ? `${user}@` : ''
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

/** Undefined if the text is anything else. */
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

/** Not `me:secret@host/db`, an address whose scheme was forgotten. */
function isPath(text: string): boolean {
  return /^(?:[~.]{0,2}[/\\]|[a-z]:)/i.test(text) || !/[@?]|:\/\//.test(text)
}

/**
 * Whatever leaves no mark of its own: controls, formats, unassigned and private characters, half
 * characters, blanks that are not the blank, fillers. A line break is seen as one. So is whatever covers
 * other characters: marks that strike out or enclose, and marks piled on one letter, from the fifth on.
 */
const HIDDEN =
  /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|\p{Surrogate}|\p{Me}|[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]|(?<=\p{M}{4})\p{M}/gu

/**
 * Those that steer a terminal, turn the direction of what follows, or carry an unseen text. What scripts
 * and emoji need stays: joiners, variation selectors, the marks of a direction. So do tabs and line ends.
 */
const STEERING =
  /(?![\n\t]|\r\n)\p{Cc}|[\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** For what someone decides on, a command above all: every character is seen, by its number if need be. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, readNumber)
}

/** For what is read: nothing in it steers the terminal or the page. */
export function escapeSteering(text: string): string {
  return text.replace(STEERING, readNumber)
}

/** Every text in a value, the names of fields included. */
export function escapeTexts<T>(value: T): T {
  return escapedIn(value) as T
}

/** JSON that may be printed: a reader gets the same text, a terminal gets no control. */
export function printableJson(value: unknown, indent?: number): string {
  const text: string | undefined = JSON.stringify(value, undefined, indent)
  return (text ?? 'null').replace(STEERING, (character) =>
    character
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0)).toLowerCase()}`)
      .join(''),
  )
}

function escapedIn(value: unknown): unknown {
  if (typeof value === 'string') return escapeSteering(value)
  if (Array.isArray(value)) return value.map(escapedIn)
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [escapeSteering(field), escapedIn(inner)]),
  )
}

function readNumber(character: string): string {
  return `[U+${hex(character.codePointAt(0) ?? 0)}]`
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0')
}
