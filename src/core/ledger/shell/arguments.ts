// The arguments of a program: options and operands
import { LONGEST_PATH_CHARS, type Target } from '../operation.ts'
import type { ShellWord } from './text.ts'

export interface Arguments {
  readonly options: ReadonlySet<string>
  /** Values of the options that take one, by the option. */
  readonly values: ReadonlyMap<string, ShellWord>
  readonly rest: readonly ShellWord[]
  /** What stands behind `--`, where that is there. */
  readonly behindDashes?: readonly ShellWord[]
}

/** `withValue` names the options whose value is the next word. Short options may stand together. */
export function readArguments(
  words: readonly ShellWord[],
  withValue: readonly string[] = [],
): Arguments {
  const options = new Set<string>()
  const values = new Map<string, ShellWord>()
  const rest: ShellWord[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as ShellWord
    const text = word.text ?? ''
    if (text === '--') {
      const behindDashes = words.slice(at + 1)
      return { options, values, rest: [...rest, ...behindDashes], behindDashes }
    }
    if (!text.startsWith('-') || text === '-') {
      rest.push(word)
      continue
    }
    const [name = text] = text.startsWith('--') ? text.split('=', 1) : [text]
    for (const option of text.startsWith('--') ? [name] : [text, ...countLetters(text)])
      options.add(option)
    const value = words[at + 1]
    if (withValue.includes(name) && value !== undefined) {
      values.set(name, value)
      at += 1
    } else if (text.includes('=')) {
      values.set(name, { raw: word.raw, text: text.slice(name.length + 1) })
    }
  }
  return { options, values, rest }
}

/** `-rf` is `-r` and `-f`. */
function countLetters(text: string): string[] {
  return [...text.slice(1, 12)].map((letter) => `-${letter}`)
}

export function hasAny(options: ReadonlySet<string>, ...names: readonly string[]): boolean {
  return names.some((name) => options.has(name))
}

/** The paths among the words, and whether there are some that the text does not tell. */
interface Targets {
  readonly targets: readonly Target[]
  readonly isUnclear: boolean
}

export function findTargets(words: readonly ShellWord[]): Targets {
  const targets = words.flatMap((word) => targetOf(word) ?? [])
  return { targets, isUnclear: targets.length < words.length }
}

export function targetOf({ text, glob }: ShellWord): Target | undefined {
  if (text === undefined || text === '' || text.length > LONGEST_PATH_CHARS) return undefined
  if (text.includes('\0') || text.includes('\n')) return undefined
  return { name: text, ...(glob && { glob }) }
}

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
