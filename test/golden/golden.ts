// Golden files: compares a value with the readable JSON under `files/`. `npx vitest run test/golden -u` renews them.
import { createHash } from 'node:crypto'
import { expect } from 'vitest'

const LINE_CHARS = 110
const SHORT_CHARS = 24
const LONG_CHARS = 240
const SHOWN_CHARS = 80

export async function expectGolden(name: string, value: unknown): Promise<void> {
  await expect(readable(value)).toMatchFileSnapshot(`files/${name}.json`)
}

/** What `act` returns, or the error that it throws. */
export function outcomeOf<T>(act: () => T): T | { readonly threw: unknown } {
  try {
    return act()
  } catch (error) {
    return { threw: error }
  }
}

export async function settledOf<T>(promise: Promise<T>): Promise<T | { readonly threw: unknown }> {
  return promise.catch((error: unknown) => ({ threw: error }))
}

/** A long text as its beginning, its length and a digest. */
export function shortened(text: string): string {
  if (text.length <= LONG_CHARS) return text
  return `${text.slice(0, SHOWN_CHARS)}… (${text.length} chars, ${digestOf(text)})`
}

export function digestOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function readable(value: unknown): string {
  return `${written(plain(value), '')}\n`
}

/** Whatever fits stands on one line. */
function written(value: unknown, indent: string): string {
  const flat = JSON.stringify(value) ?? 'null'
  if (flat.length + indent.length <= LINE_CHARS || typeof value !== 'object' || value === null)
    return flat
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const rows = value.map((each) => written(each, inner))
    return `[\n${inner}${filled(rows, inner)}\n${indent}]`
  }
  const rows = Object.entries(value).map(
    ([key, each]) => `${inner}${JSON.stringify(key)}: ${written(each, inner)}`,
  )
  return `{\n${rows.join(',\n')}\n${indent}}`
}

/** Short values side by side, as many as fit on a line. */
function filled(rows: readonly string[], indent: string): string {
  let line = 0
  return rows.reduce((text, row) => {
    const isShort = row.length <= SHORT_CHARS && line + row.length + indent.length < LINE_CHARS
    line = isShort && line > 0 ? line + row.length + 2 : row.length
    if (text === '') return row
    return line > row.length ? `${text}, ${row}` : `${text},\n${indent}${row}`
  }, '')
}

function plain(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Error) return plain({ ...value, message: value.message, cause: undefined })
  if (value instanceof Map) return [...value].map(plain)
  if (value instanceof Set) return [...value].map(plain)
  if (Array.isArray(value)) return value.map(plain)
  const fields = Object.entries(value).filter(
    ([, each]) => each !== undefined && typeof each !== 'function',
  )
  return Object.fromEntries(fields.map(([key, each]) => [shortened(key), plain(each)]))
}
