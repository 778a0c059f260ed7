// The last use of each name by the user or the agent.
import type { EventAt } from '../../core/log/event.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import type { Item } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'

/** Limit per message or call. */
const READ_CHARS = 100_000

const NAME = /[\p{L}\p{N}_./@-]{3,}/gu

const LONGEST_NAME_CHARS = 300

/** Computed on first use. */
export class LaterNames {
  readonly #items: readonly Item[]
  readonly #eventAt: EventAt
  #lastAt: Map<string, number> | undefined

  constructor(items: readonly Item[], eventAt: EventAt) {
    this.#items = items
    this.#eventAt = eventAt
  }

  /** Whether a name in this line was used after the place `at`. */
  usesAny(line: string, at: number): boolean {
    this.#lastAt ??= this.#read()
    const lastAt = this.#lastAt
    for (const name of namesIn(line.slice(0, 4 * LONGEST_NAME_CHARS)))
      if ((lastAt.get(name) ?? -1) > at) return true
    return false
  }

  #read(): Map<string, number> {
    const lastAt = new Map<string, number>()
    for (const [at, item] of this.#items.entries())
      for (const text of authoredTexts(item, this.#eventAt))
        for (const name of namesIn(text.slice(0, READ_CHARS))) lastAt.set(name, at)
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

/** Names, not words: with a dot, slash, digit or camel case; of a path also the last part. */
function namesIn(text: string): string[] {
  const names: string[] = []
  for (const found of text.match(NAME) ?? []) {
    const name = withoutEdges(found.slice(0, LONGEST_NAME_CHARS))
    if (!isTelling(name)) continue
    names.push(name)
    const slash = name.lastIndexOf('/')
    if (slash >= 0 && name.length - slash > 3) names.push(name.slice(slash + 1))
  }
  return names
}

const TELLING = /[./_\d]|\p{Ll}\p{Lu}/u

const ASCII_END = 128

/** Equivalent to the expression. Nearly all names are ASCII, where checking characters is much faster. */
function isTelling(name: string): boolean {
  let isAfterLower = false
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at)
    if (code >= ASCII_END) return TELLING.test(name)
    if (code === DOT || code === SLASH || code === UNDERSCORE || isBetween(code, '0', '9'))
      return true
    if (isAfterLower && isBetween(code, 'A', 'Z')) return true
    isAfterLower = isBetween(code, 'a', 'z')
  }
  return false
}

const DOT = 46

const SLASH = 47

const UNDERSCORE = 95

function isBetween(code: number, first: string, last: string): boolean {
  return code >= first.charCodeAt(0) && code <= last.charCodeAt(0)
}

const EDGES = './@-'

function withoutEdges(name: string): string {
  let start = 0
  let end = name.length
  while (start < end && EDGES.includes(name.charAt(start))) start += 1
  while (end > start && EDGES.includes(name.charAt(end - 1))) end -= 1
  return end - start === name.length ? name : name.slice(start, end)
}
