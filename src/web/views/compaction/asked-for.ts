// Which kept lines of a preview match the typed instructions, best first.

/** Words that name actions, not things. */
const PLAIN = new Set(
  'keep kept hold remember retain preserve please need needs want must should also about with from that this these those them they what which when where every each everything anything only never drop remove most more important matters still number value name word line text exact exactly verbatim'.split(
    ' ',
  ),
)
const LEAST_CHARS = 3
const LINE_CHARS = 240
/** More words name more than one thing. */
const MOST_TOGETHER = 3

/** One word of the instructions, and how often the kept text contains it. */
export interface AskedFor {
  readonly word: string
  readonly count: number
  /** The line that best matches the request. */
  readonly line?: string
}

/** The searchable words of instructions; names and numbers stay whole. */
export function askedWords(instructions: string): string[] {
  const found = instructions.match(/[\p{L}\p{N}][\p{L}\p{N}_./:-]*[\p{L}\p{N}]|\p{N}/gu) ?? []
  const words = found
    .map((word) => word.toLowerCase())
    .filter((word) => /\p{N}/u.test(word) || (word.length >= LEAST_CHARS && !PLAIN.has(word)))
    .filter((word) => word !== 'the' && word !== 'all' && word !== 'and' && word !== 'not')
    .map((word) => (/\p{L}{4,}s$/u.test(word) ? word.slice(0, -1) : word))
    .filter((word) => !PLAIN.has(word))
  return [...new Set(words)]
}

/** A line that says it does not know the answer proves nothing. */
const DENIES =
  /\b(?:I|we)\b[^.;]{0,20}\b(?:not|cannot|can[\u2019']t|don[\u2019']t|didn[\u2019']t|couldn[\u2019']t|no longer|no)\b[^.;]{0,20}\b(?:see|find|know|have|recall|remember|access|context)\b|\b(?:not|no longer) in (?:my|the) context\b|\bI (?:have|see|find|know) no\b/i

/** The best line has a value: digits, or an assignment. Line numbers do not count. */
function scoreValue(line: string): number {
  if (/(?<![\p{L}\p{N}])\p{N}/u.test(line.replace(/^\s*\d+\b/, ''))) return 0.6
  return /[=:]/.test(line) ? 0.3 : 0
}

/** A line scores by the words it contains; a value scores more than a question. */
function computeScore(words: readonly string[], line: string): number {
  return words.length + scoreValue(line) - (line.endsWith('?') ? 1 : 0)
}

export interface Lost {
  readonly line: string
  /** Cut around the word if it is long. */
  readonly shown: string
}

/** The best matching line that would go, unless a kept line says as much. */
export function findLost(
  instructions: string,
  going: readonly string[],
  staying: readonly string[],
): Lost | undefined {
  const asked = askedWords(instructions)
  const best = (texts: readonly string[]) =>
    splitLines(texts)
      .map((line) => {
        const words = asked.filter((word) => buildStartPattern(word).test(line))
        return { line, words, score: words.length === 0 ? 0 : computeScore(words, line) }
      })
      .toSorted((a, b) => b.score - a.score || a.line.length - b.line.length)[0]
  const lost = best(going)
  if (!lost || lost.score <= (best(staying)?.score ?? 0)) return undefined
  return { line: lost.line, shown: cutAround(lost.line, lost.words[0] ?? '') }
}

/** Whether one kept line has all the words; a few words belong together. */
export function isTogether(instructions: string, staying: readonly string[]): boolean {
  const asked = askedWords(instructions)
  if (asked.length > MOST_TOGETHER) return true
  return splitLines(staying).some(
    (line) => !line.endsWith('?') && asked.every((word) => buildStartPattern(word).test(line)),
  )
}

function splitLines(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => text.split('\n').map((line) => line.trim()))
  return [...new Set(lines)].filter((line) => !DENIES.test(line))
}

/** For each word the line with most of the words, shortest first. Words match at their start. */
export function findAskedFor(instructions: string, texts: readonly string[]): AskedFor[] {
  const words = askedWords(instructions)
  const named = splitLines(texts).map((line) => {
    const has = words.filter((word) => buildStartPattern(word).test(line))
    return { line, words: has, score: computeScore(has, line) }
  })
  return words.map((word) => {
    const found = named
      .filter((each) => each.words.includes(word))
      .toSorted((a, b) => b.score - a.score || a.line.length - b.line.length)
    const [best] = found
    return { word, count: found.length, ...(best && { line: cutAround(best.line, word) }) }
  })
}

/** Matches at the start of a word: `port` is not in `import`, but in `ports`. */
function buildStartPattern(word: string): RegExp {
  const literal = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}`, 'iu')
}

/** Cuts a long line around the word. */
function cutAround(line: string, word: string): string {
  if (line.length <= LINE_CHARS) return line
  const from = Math.max(0, line.search(buildStartPattern(word)) - LINE_CHARS / 2)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + LINE_CHARS)}…`
}
