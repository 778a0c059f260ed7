// Half characters (lone surrogates) in any text of a message: no provider takes them.
import type { Json } from '../json.ts'
import type { MessagePart } from '../message.ts'
import { type Changes, type Turn, withParts } from './turn.ts'

/** Each becomes the replacement character. Signed thinking cannot be mended: it is no longer what was signed. */
export function mendCharacters(turns: readonly Turn[], changes: Changes): Turn[] {
  return turns.map((turn) =>
    withParts(
      turn,
      turn.parts.flatMap((placed) => {
        const { part, at } = placed
        if (isWellFormed(part as unknown as Json)) return [placed]
        if (part.type === 'thinking' || part.type === 'redacted_thinking') {
          changes.add(
            'thinking',
            at,
            'thinking with half a character cannot be sent as it was signed',
          )
          return []
        }
        changes.add('lone-surrogate', at, 'half a character; it became the replacement character')
        return [{ part: wellFormed(part as unknown as Json) as unknown as MessagePart, at }]
      }),
    ),
  )
}

export function mendSystem(system: readonly string[], changes: Changes): readonly string[] {
  const mended = system.flatMap((text, index) => {
    const at = `system[${index}]`
    if (text.trim() === '') {
      changes.add('blank-text', at, 'a blank system prompt')
      return []
    }
    if (text.isWellFormed()) return [text]
    changes.add('lone-surrogate', at, 'half a character; it became the replacement character')
    return [text.toWellFormed()]
  })
  return mended.length === system.length && mended.every((text, index) => text === system[index])
    ? system
    : mended
}

/** Looks through a value of any depth without recursion. */
function isWellFormed(value: Json): boolean {
  const waiting: Json[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string' && !next.isWellFormed()) return false
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) for (const item of next) waiting.push(item)
    else
      for (const [key, item] of Object.entries(next)) {
        if (!key.isWellFormed()) return false
        waiting.push(item ?? null)
      }
  }
  return true
}

function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  const mended: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value)) {
    let name = key.toWellFormed()
    // Two broken names may become one; neither value may be lost.
    while (Object.hasOwn(mended, name)) name += '_'
    mended[name] = wellFormed(item)
  }
  return mended
}
