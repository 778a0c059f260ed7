// Half characters (lone surrogates) in any text of a message: no provider takes them.
import type { Json } from '../text/json.ts'
import { isWellFormed, wellFormed } from '../text/well-formed.ts'
import type { MessagePart } from '../view/message.ts'
import { type Changes, LEFT_OUT, type Turn, withParts } from './turn.ts'

/** Each becomes the replacement character. Signed thinking cannot be repaired: it is no longer what was signed. */
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
            `it has half a character, and cannot be sent as it was signed${LEFT_OUT}`,
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
