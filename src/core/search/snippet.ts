// One line of a text around the search words, with their positions
import { cutHead, cutTail } from '../window/tokens/cut.ts'
import { isAsked, type QueryWord, wordsOf } from './words.ts'

export interface Snippet {
  readonly text: string
  /** From the first character to behind the last one of each word that was looked for. */
  readonly marks: readonly (readonly [start: number, end: number])[]
}

/** The stretch with the most different words; of equals the first. */
export function snippetOf(text: string, asked: readonly QueryWord[], maxChars: number): Snippet {
  const places = [...wordsOf(text)].filter(({ word }) => isAsked(word, asked))
  let best = { start: places[0]?.start ?? 0, words: 0 }
  for (const [index, { start }] of places.entries()) {
    const words = new Set<string>()
    for (let next = index; next < places.length; next += 1) {
      const place = places[next]
      if (!place || place.end > start + maxChars / 2) break
      words.add(place.word)
    }
    if (words.size > best.words) best = { start, words: words.size }
  }
  return marked(lineAt(text, best.start, maxChars), asked)
}

function lineAt(text: string, at: number, maxChars: number): string {
  const before = cutTail(text.slice(Math.max(0, at - maxChars), at), maxChars / 3)
  const after = cutHead(text.slice(at, at + maxChars), maxChars - before.length)
  const start = before.length < at ? '…' : ''
  const end = at + after.length < text.length ? '…' : ''
  return `${start}${`${before}${after}`.replace(/\s+/g, ' ').trim()}${end}`
}

/** Words within words (`config` in `parseConfig`) give one mark, the longest. */
function marked(text: string, asked: readonly QueryWord[]): Snippet {
  const marks: [number, number][] = []
  for (const { word, start, end } of wordsOf(text)) {
    if (!isAsked(word, asked)) continue
    const last = marks.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else marks.push([start, end])
  }
  return { text, marks }
}
