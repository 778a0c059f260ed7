// What a short answer of the user refers to
import { cutHead } from '../../core/window/tokens/cut.ts'

const SHORT_ANSWER_CHARS = 160
const REFERENT_CHARS = 160
const MOST_REFERENTS = 3

/** What a short answer of the user refers to: the items it names by number, or the last question. */
export function referentOf(words: string, asked: string): string | undefined {
  if (words.length > SHORT_ANSWER_CHARS || asked === '') return undefined
  const lines = asked.split('\n', 400).map((line) => line.trim())
  const named = new Set(
    [
      ...words.matchAll(
        /(?<![\w.#-])(?:option |step |item |point )?(\d{1,2}|[A-H])(?![\w-]|\.\d)/g,
      ),
    ].map(([, name]) => name),
  )
  const items = lines.filter((line) => {
    const name = /^(?:[-*#>|]+ *)?\**(?:Option |Step )?(\d{1,2}|[A-H])\**[.):—|-]/i.exec(line)?.[1]
    return name !== undefined && named.has(name)
  })
  const question = lines.findLast((line) => /\?[*_)"'`]*$/.test(line))
  const found = items.length > 0 ? items.slice(0, MOST_REFERENTS) : question ? [question] : []
  if (found.length === 0) return undefined
  return found
    .map((line) => (line.length > REFERENT_CHARS ? `${cutHead(line, REFERENT_CHARS)}…` : line))
    .join(' / ')
}
