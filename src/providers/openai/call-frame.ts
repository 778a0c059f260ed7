// Assembles a tool call from its argument pieces; marks it broken if they are not JSON
import type { ModelFrame } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'

/** Models without arguments to give send nothing at all, or null. */
export function callFrame(id: string, name: string, text: string): ModelFrame {
  const given = text.trim() === '' ? {} : parsed(text)
  return given === undefined
    ? { type: 'broken-call', id, name, text }
    : { type: 'call', id, name, arguments: given ?? {} }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
