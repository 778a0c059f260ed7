// SHA-256 of a text: the host's fast implementation if there is one, otherwise our own.

interface Hashing {
  hash(algorithm: 'sha256', text: string, encoding: Encoding): string
}

type Encoding = 'hex' | 'base64'

let chosen: ((text: string, encoding: Encoding) => string) | undefined

export function sha256(text: string, encoding: Encoding = 'hex'): string {
  chosen ??= hostSha256() ?? computeSha256
  return chosen(text, encoding)
}

/** Looked up on first use, not imported: a browser has neither, and loading it takes time. */
function hostSha256(): typeof chosen {
  const host = globalThis.process?.getBuiltinModule?.('node:crypto') as Hashing | undefined
  const isThere = typeof host?.hash === 'function'
  return isThere ? (text, encoding) => host.hash('sha256', text, encoding) : undefined
}

/** FIPS 180-4. Lone surrogates count as U+FFFD, as in UTF-8 everywhere. */
export function computeSha256(text: string, encoding: Encoding = 'hex'): string {
  const bytes = new TextEncoder().encode(text)
  const padded = new Uint8Array((((bytes.length + 8) >> 6) << 6) + 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000))
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0)
  const state = new Uint32Array(START)
  const words = new Uint32Array(64)
  for (let at = 0; at < padded.length; at += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(at + index * 4)
    mix(state, words)
  }
  if (encoding === 'hex')
    return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
  const inBytes = [...state].flatMap((word) =>
    [24, 16, 8, 0].map((shift) => (word >>> shift) & 255),
  )
  return btoa(String.fromCharCode(...inBytes))
}

/** The first bits of the fractions of square and cube roots of the first primes. */
const PRIMES = firstPrimes(64)
const START = PRIMES.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)))
const ROUNDS = PRIMES.map((prime) => fractionBits(Math.cbrt(prime)))

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let next = 2; primes.length < count; next += 1)
    if (primes.every((prime) => next % prime !== 0)) primes.push(next)
  return primes
}

function fractionBits(value: number): number {
  return ((value - Math.floor(value)) * 0x100000000) >>> 0
}

function mix(state: Uint32Array, words: Uint32Array): void {
  const word = (index: number) => words[index] ?? 0
  for (let index = 16; index < 64; index += 1) {
    const [early, late] = [word(index - 15), word(index - 2)]
    const one = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const other = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[index] = word(index - 16) + one + word(index - 7) + other
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index += 1) {
    const first = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g))
    const one = (h + first + (ROUNDS[index] ?? 0) + word(index)) | 0
    const other = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + other) | 0]
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries())
    state[index] = (state[index] ?? 0) + value
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}
