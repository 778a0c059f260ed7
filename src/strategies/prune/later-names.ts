// Which names the user or the agent wrote, and where last: what was used again is worth keeping.
import { textOfUserContent } from '../../core/content.ts'
import type { Item } from '../../core/entry.ts'
import { contentOf } from '../../core/entry-content.ts'
import type { EventAt } from '../../core/event.ts'

/** More of one message, or of the arguments of one call, is not looked at. */
const READ_CHARS = 100_000
const NAME = /[\p{L}\p{N}_./@-]{3,}/gu
const LONGEST_NAME_CHARS = 300

/** Read once, when it is first asked. */
export class LaterNames {
  readonly #items: readonly Item[]
  readonly #eventAt: EventAt
  #lastAt: Map<string, number> | undefined

  constructor(items: readonly Item[], eventAt: EventAt) {
    this.#items = items
    this.#eventAt = eventAt
  }

  /** Whether a name in this line was written by somebody after the place `at`. */
  usesAny(line: string, at: number): boolean {
    this.#lastAt ??= this.#read()
    const lastAt = this.#lastAt
    const names = namesIn(line.slice(0, 4 * LONGEST_NAME_CHARS))
    return names.some((name) => (lastAt.get(name) ?? -1) > at)
  }

  #read(): Map<string, number> {
    const lastAt = new Map<string, number>()
    this.#items.forEach((item, at) => {
      for (const text of authoredTexts(item, this.#eventAt))
        for (const name of namesIn(text.slice(0, READ_CHARS))) lastAt.set(name, at)
    })
    return lastAt
  }
}

function authoredTexts({ id, kind }: Item, eventAt: EventAt): string[] {
  if (kind !== 'user' && kind !== 'answer') return []
  const content = contentOf(id, eventAt)
  if (content?.kind === 'user') return [textOfUserContent(content.content)]
  if (content?.kind !== 'answer') return []
  const { answer, calls } = content
  return [answer.content, ...calls.map(({ arguments: given }) => JSON.stringify(given))]
}

/** Names, not words: with a dot, a slash, a digit or a hump in them; of a path also its last part. */
function namesIn(text: string): string[] {
  const names: string[] = []
  for (const found of text.match(NAME) ?? []) {
    const name = withoutEdges(found.slice(0, LONGEST_NAME_CHARS))
    if (!TELLING.test(name)) continue
    names.push(name)
    const slash = name.lastIndexOf('/')
    if (slash >= 0 && name.length - slash > 3) names.push(name.slice(slash + 1))
  }
  return names
}

const TELLING = /[./_\d]|\p{Ll}\p{Lu}/u
const EDGES = './@-'

function withoutEdges(name: string): string {
  let start = 0
  let end = name.length
  while (start < end && EDGES.includes(name.charAt(start))) start += 1
  while (end > start && EDGES.includes(name.charAt(end - 1))) end -= 1
  return end - start === name.length ? name : name.slice(start, end)
}
