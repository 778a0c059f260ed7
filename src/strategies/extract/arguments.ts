// A call's arguments as texts: short ones that name things, and long ones that are content.
import { isFields, type Json } from '../../core/text/json.ts'
import type { ToolCall } from '../../core/view/content.ts'

export interface CallArguments {
  readonly short: readonly string[]
  readonly long: readonly string[]
}

const LONGEST_SHORT_CHARS = 160
/** All short ones together: a call takes one line. */
const LONGEST_HEAD_CHARS = 400
const MOST_VALUES = 2_000

/** Strings and numbers at any depth, in order, each once. Keys and flags name nothing. */
export function readArguments(input: Json): CallArguments {
  const short: string[] = []
  const long: string[] = []
  let headChars = 0
  for (const value of new Set(findLeaves(input))) {
    const isShort = isShortLine(value) && headChars + value.length <= LONGEST_HEAD_CHARS
    if (isShort) headChars += value.length + 1
    ;(isShort ? short : long).push(value)
  }
  return { short, long }
}

export function isShortLine(value: string): boolean {
  return value.length <= LONGEST_SHORT_CHARS && !value.includes('\n')
}

export const FOLDER = /^(?:workdir|cwd)$/i

/** The folder named in a call. */
export function folderIn({ arguments: input }: Pick<ToolCall, 'arguments'>): string | undefined {
  const found = isFields(input) ? Object.entries(input).find(([key]) => FOLDER.test(key)) : []
  return typeof found?.[1] === 'string' ? withoutSlash(found[1]) : undefined
}

export function withoutSlash(folder: string): string {
  return folder.replace(/(?<=.)\/$/, '')
}

/** With its own stack: arguments may be nested to any depth. */
function findLeaves(input: Json): string[] {
  const found: string[] = []
  const stack: Json[] = [input]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (found.length >= MOST_VALUES) break
    if (typeof value === 'string') {
      if (value.trim() !== '') found.push(value)
    } else if (typeof value === 'number') found.push(String(value))
    else if (typeof value === 'object' && value !== null)
      for (const inner of Object.values<Json>(value).toReversed()) stack.push(inner)
  }
  return found
}
