// Finds and replaces lone surrogates in JSON of any shape.
import type { Json } from './json.ts'

/** Checks a value of any depth without recursion. Runs for every request, so it copies nothing. */
export function isWellFormed(value: Json): boolean {
  const waiting: Json[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string' && !next.isWellFormed()) return false
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      for (const item of next) waiting.push(item)
      continue
    }
    const fields = next as { readonly [key: string]: Json }
    for (const key of Object.keys(fields)) {
      if (!key.isWellFormed()) return false
      waiting.push(fields[key] ?? null)
    }
  }
  return true
}

/** A copy with U+FFFD for each lone surrogate. */
export function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  const mended: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value)) {
    let name = key.toWellFormed()
    // Two repaired names may collide; neither value may be lost.
    while (Object.hasOwn(mended, name)) name += '_'
    mended[name] = wellFormed(item)
  }
  return mended
}
