// The command of a call, in the shapes in which agents hand one over.
import type { Fields, Json } from '../../text/json.ts'
import { listIn, textIn } from '../call-fields.ts'

/** A command as a text, as several, or as the words of one. */
export function commandIn(fields: Fields, input: Json): string | undefined {
  if (typeof input === 'string') return input
  const text = textIn(fields, 'command', 'cmd', 'script', 'code')
  if (text !== undefined) return text
  const several = listIn(fields, 'commands')
  if (several !== undefined) return several.filter(isText).join('\n')
  const words = listIn(fields, 'command', 'cmd')?.filter(isText)
  if (words === undefined) return undefined
  const [program = '', option = '', script] = words
  if (/(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(option)) return script
  return words.map(quoted).join(' ')
}

function isText(json: Json): json is string {
  return typeof json === 'string'
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
