// Words in what was removed, found as Recall finds them: whole, or as one part of an identifier

/** Letters with two cases; others are written without blanks between words. */
const CASED = /^[\p{Lu}\p{Ll}\p{N}_]/u

/** The words of a query, without the marks around them: `--port` is `port`. */
export function soughtWords(query: string): string[] {
  const words = query
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, ''))
  return [...new Set(words.filter(Boolean))]
}

/** `port` is in `ports`, `server_port` and `serverPort`, and not in `import` or `report`. */
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
  /** Those with most of the words first, each in pieces: every second one is a word that was looked for. */
  readonly lines: readonly (readonly string[])[]
  /** How many lines there are. */
  readonly count: number
}

const SHOWN_LINES = 8

/** Undefined where the text does not have all of the words. */
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
