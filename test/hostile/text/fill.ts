// Fills templates with values from a seed, so that no file holds anything that looks like a key.
import { createHash } from 'node:crypto'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALPHABETS: Record<string, string> = {
  b62: LOWER + UPPER + DIGITS,
  b64: `${LOWER + UPPER + DIGITS}+/`,
  b64u: `${LOWER + UPPER + DIGITS}-_`,
  b32: `${UPPER}234567`,
  dig: DIGITS,
  hex: '0123456789abcdef',
  HEX: '0123456789ABCDEF',
  low: LOWER + DIGITS,
  up: UPPER + DIGITS,
}
const WORDS =
  'copper lantern violet harbour quartz meadow falcon ginger anchor walnut tundra maple'.split(' ')

/** A text made of a template, and the values in it that are secret. */
export type Filled = { text: string; secrets: string[] }

/**
 * `{kind:length}` becomes a value, `{!kind:length}` a value that is secret. Kinds: the alphabets above,
 * `pw` (what people choose), `phrase`, `uuid`, `jwt`, `basic` (base64 of name:password), `pem`.
 */
export function fill(template: string, seed: string): Filled {
  const secrets: string[] = []
  let count = 0
  const text = template.replace(/\{(!?)([A-Za-z0-9]+)(?::(\d+))?\}/g, (_, mark, kind, length) => {
    const value = valueFor(kind, Number(length ?? 0), `${seed}/${template}/${count++}`)
    if (mark === '!') secrets.push(value)
    return value
  })
  return { text, secrets }
}

function valueFor(kind: string, length: number, seed: string): string {
  const next = numbers(seed)
  const from = (alphabet: string, count: number) =>
    Array.from({ length: count }, () => alphabet[next() % alphabet.length]).join('')
  const word = () => WORDS[next() % WORDS.length] ?? 'copper'
  const named = (name: string, count: number) => from(ALPHABETS[name] ?? LOWER, count)
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  switch (kind) {
    case 'pw':
      return `${word()[0]?.toUpperCase()}${named('b62', Math.max(6, length) - 4)}${'!#%^*'[next() % 5]}${named('dig', 2)}`
    case 'phrase':
      return `${word()}-${word()}-${word()}-${named('dig', 2)}`
    case 'cut': // parts a word that must not stand in a file of the project
      return ''
    case 'uuid':
      return [8, 4, 4, 4, 12].map((count) => named('hex', count)).join('-')
    case 'jwt':
      return [`{"alg":"HS256","typ":"JWT"}`, `{"sub":"${named('dig', 8)}","role":"service"}`]
        .map((part) => Buffer.from(part).toString('base64url'))
        .concat(named('b64u', 43))
        .join('.')
    case 'basic':
      return base64(`${word()}:${named('b62', 18)}`)
    case 'pem':
      return Array.from({ length: 4 }, () => named('b64', 64)).join('\n')
    default:
      return named(kind, length)
  }
}

/** Numbers that depend on the seed alone. */
function numbers(seed: string): () => number {
  let block = Buffer.alloc(0)
  let round = 0
  let at = 0
  return () => {
    if (at + 2 > block.length) {
      block = createHash('sha256').update(`${seed}#${round++}`).digest()
      at = 0
    }
    const value = block.readUInt16BE(at)
    at += 2
    return value
  }
}
