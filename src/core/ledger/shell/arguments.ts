// The arguments of a program: options and operands
import type { Target } from '../operation.ts'
import { LONGEST_PATH_CHARS } from '../path.ts'
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
    for (const option of text.startsWith('--') ? [name] : [text, ...lettersOf(text)])
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
function lettersOf(text: string): string[] {
  return [...text.slice(1, 12)].map((letter) => `-${letter}`)
}

export function hasAny(options: ReadonlySet<string>, ...names: readonly string[]): boolean {
  return names.some((name) => options.has(name))
}

/** The paths among the words, and whether there are some that the text does not tell. */
export interface Targets {
  readonly targets: readonly Target[]
  readonly isUnclear: boolean
}

export function targetsOf(words: readonly ShellWord[]): Targets {
  const targets = words.flatMap((word) => targetOf(word) ?? [])
  return { targets, isUnclear: targets.length < words.length }
}

export function targetOf({ text, glob }: ShellWord): Target | undefined {
  if (text === undefined || text === '' || text.length > LONGEST_PATH_CHARS) return undefined
  if (text.includes('\0') || text.includes('\n')) return undefined
  return { name: text, ...(glob && { glob }) }
}
