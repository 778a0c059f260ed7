// Brace expansion of a shell word
import type { ShellWord } from './text.ts'

const MOST_BRACED = 50

/** `src/{a,b}.ts` is two words. Braces in braces and quoted ones are left as they are. */
export function expandBraces(word: ShellWord): ShellWord[] {
  if (word.isQuoted || word.text === undefined || !word.text.includes('{')) return [word]
  const found = /^([^{}]{0,1024})\{([^{}]{1,1024})\}([^{}]{0,1024})$/.exec(word.text)
  const [, before = '', inside = '', after = ''] = found ?? []
  const parts = inside.includes(',') ? inside.split(',') : numbersIn(inside)
  // Too many to tell, or letters: more than one word, and none of them is there.
  if (parts.length === 0) return inside.includes('..') ? [{ raw: word.raw }] : [word]
  return parts.slice(0, MOST_BRACED).map((part) => ({
    ...word,
    text: `${before}${part}${after}`,
  }))
}

/** `1..3`; none where it is something else. */
function numbersIn(range: string): string[] {
  const [, from, to] = /^(0|[1-9]\d{0,5})\.\.(0|[1-9]\d{0,5})$/.exec(range) ?? []
  const count = Number(to) - Number(from) + 1
  if (!(count >= 1 && count <= MOST_BRACED)) return []
  return Array.from({ length: count }, (_, at) => String(Number(from) + at))
}
