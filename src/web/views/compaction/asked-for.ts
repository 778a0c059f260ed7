// What of a preview names the same things as the typed instructions: the lines that stay, the best first.

/** Words that say what to do, and not what with. */
const PLAIN = new Set(
  'keep kept hold remember retain preserve please need needs want must should also about with from that this these those them they what which when where every each everything anything only never drop remove most more important matters still'.split(
    ' ',
  ),
)
const LEAST_CHARS = 3
const MOST_SHOWN = 5
const LINE_CHARS = 240

export interface AskedFor {
  readonly words: readonly string[]
  readonly lines: readonly string[]
  readonly total: number
}

/** The words of instructions that can be looked for; names and numbers are whole. */
export function askedWords(instructions: string): string[] {
  const found = instructions.match(/[\p{L}\p{N}][\p{L}\p{N}_./:-]*[\p{L}\p{N}]|\p{N}/gu) ?? []
  const words = found
    .map((word) => word.toLowerCase())
    .filter((word) => /\p{N}/u.test(word) || (word.length >= LEAST_CHARS && !PLAIN.has(word)))
    .filter((word) => word !== 'the' && word !== 'all' && word !== 'and' && word !== 'not')
    .map((word) => (/\p{L}{4,}s$/u.test(word) ? word.slice(0, -1) : word))
  return [...new Set(words)]
}

/** Lines with the most of the words; the same line once. */
export function findAskedFor(instructions: string, texts: readonly string[]): AskedFor {
  const words = askedWords(instructions)
  const scored = new Map<string, number>()
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const shown = line.trim()
    const low = shown.toLowerCase()
    const score = words.filter((word) => low.includes(word)).length
    if (score > 0) scored.set(shown, score)
  }
  const best = Math.max(0, ...scored.values())
  const lines = [...scored].filter(([, score]) => score === best).map(([line]) => line)
  return {
    words,
    lines: lines.slice(0, MOST_SHOWN).map((line) => cutAround(line, words)),
    total: lines.length,
  }
}

/** A long line around the first of the words. */
function cutAround(line: string, words: readonly string[]): string {
  if (line.length <= LINE_CHARS) return line
  const low = line.toLowerCase()
  const first = Math.min(...words.map((word) => low.indexOf(word)).filter((at) => at >= 0))
  const from = Math.max(0, first - LINE_CHARS / 2)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + LINE_CHARS)}…`
}
