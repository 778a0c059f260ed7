// Finds words in removed text as Recall does: whole, or as part of an identifier.

/** Letters with case; other scripts have no blanks between words. */
const CASED = /^[\p{Lu}\p{Ll}\p{N}_]/u

/** The words of a query without punctuation: `--port` is `port`. */
export function soughtWords(query: string): string[] {
  const words = query
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, ''))
  return [...new Set(words.filter(Boolean))]
}

/** `port` matches `ports`, `server_port` and `serverPort`, but not `import` or `report`. */
function wordPattern(word: string): string {
  const chars = [...word]
  const body = (some: readonly string[]) => some.map(anyCase).join('')
  const [first = ''] = chars
  if (!CASED.test(first)) return body(chars)
  const upper = escaped(first.toUpperCase())
  const starts = `(?:(?<![\\p{L}\\p{N}])${anyCase(first)}|(?<=[\\p{Ll}\\p{N}])${upper})`
  return `${starts}${body(chars.slice(1))}(?:e?s)?(?!\\p{Ll}|(?<=\\p{Lu})\\p{Lu})`
}

function anyCase(char: string): string {
  const [lower, upper] = [char.toLowerCase(), char.toUpperCase()]
  return lower === upper ? escaped(char) : `(?:${escaped(lower)}|${escaped(upper)})`
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

export interface FoundLines {
  /** Lines with most words first, split into pieces; every second piece is a match. */
  readonly lines: readonly (readonly string[])[]
  /** The number of matching lines. */
  readonly count: number
}

const SHOWN_LINES = 8

/** Undefined unless the text has all of the words. */
export function findLines(text: string, words: readonly string[]): FoundLines | undefined {
  const patterns = words.map((word) => new RegExp(wordPattern(word), 'u'))
  if (!patterns.every((pattern) => pattern.test(text))) return undefined
  const found = text
    .split('\n')
    .map((line) => ({ line, score: patterns.filter((pattern) => pattern.test(line)).length }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
  const split = new RegExp(`(${words.map(wordPattern).join('|')})`, 'u')
  const lines = found.slice(0, SHOWN_LINES).map(({ line }) => line.split(split))
  return { lines, count: found.length }
}
