// What the agent used later and could only know from before the cut.
import type { ThreadEvent } from '../../src/core/log/event.ts'
import { textOfUserContent } from '../../src/core/view/content.ts'
import { leavesOf, plain } from './pieces.ts'
import { presenceIn, segmentAround } from './presence.ts'
import { quotesIn, type Token, tokensOf } from './terms.ts'
import { SHORTEST_PATTERN, VerbatimSearch } from './verbatim.ts'

/** What happened after the cut, in order: what the agent wrote, and what it was told meanwhile. */
export type Future = readonly (
  | { readonly by: 'agent'; readonly text: string; readonly arguments: readonly string[] }
  | { readonly by: 'others'; readonly text: string }
)[]

export interface Needs {
  /** Identifiers. */
  readonly terms: ReadonlySet<string>
  /** Several words that were quoted; they count among the identifiers. */
  readonly quotes: ReadonlySet<string>
  /** Identifiers with a neighbour, by `pairKey`, each with a stretch of the prefix that binds them. */
  readonly pairs: ReadonlyMap<string, string>
  /** Whole arguments of calls. */
  readonly arguments: ReadonlySet<string>
}

export function futureOf(events: readonly ThreadEvent[], turns: number): Future {
  const future: Future[number][] = []
  let answers = 0
  for (const event of events) {
    if (event.type === 'AGENT_MESSAGE') {
      answers += 1
      if (answers > turns) break
    }
    const step = stepOf(event)
    if (step) future.push(step)
  }
  return future
}

function stepOf(event: ThreadEvent): Future[number] | undefined {
  switch (event.type) {
    case 'AGENT_MESSAGE':
      return { by: 'agent', text: plain(event.data.content), arguments: [] }
    case 'TOOL_CALL': {
      const leaves = leavesOf(event.data.arguments).map(([, value]) => plain(value).trim())
      return { by: 'agent', text: leaves.join('\n'), arguments: leaves }
    }
    case 'TOOL_RESULT':
      return {
        by: 'others',
        text: plain(event.data.content.map(({ text }) => text ?? '').join('\n')),
      }
    case 'USER_MESSAGE':
      return { by: 'others', text: plain(textOfUserContent(event.data)) }
    case 'SYSTEM_REMINDER':
      return { by: 'others', text: plain(event.data) }
    default:
      return undefined
  }
}

/**
 * An identifier is needed where the agent wrote it, it stood in the prefix, and nothing told it to the
 * agent between the cut and its first use. What the system prompt says is never lost.
 */
export function needsOf(
  prefix: readonly string[],
  future: Future,
  system: readonly string[],
): Needs {
  const used = usedIn(future, system)
  const strings = new Set([...used.quotes, ...used.arguments])
  const present = presenceIn(prefix, { terms: used.terms, pairs: used.pairs, strings })
  return {
    terms: present.terms,
    quotes: both(used.quotes, present.strings),
    pairs: present.pairs,
    arguments: both(used.arguments, present.strings),
  }
}

function both(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...one].filter((member) => other.has(member)))
}

interface Used {
  readonly terms: Set<string>
  readonly quotes: Set<string>
  readonly pairs: Map<string, Set<string>>
  readonly arguments: Set<string>
}

function usedIn(future: Future, system: readonly string[]): Used {
  const used: Used = { terms: new Set(), quotes: new Set(), pairs: new Map(), arguments: new Set() }
  const told = toldBefore(future, system)
  future.forEach((step, index) => {
    if (step.by === 'others') return
    const isNew = (thing: string) => (told.get(thing) ?? Number.POSITIVE_INFINITY) > index
    for (const given of step.arguments)
      if (isArgument(given) && isNew(given)) used.arguments.add(given)
    for (const line of step.text.split('\n')) {
      for (const quote of quotesIn(line)) if (isNew(quote)) used.quotes.add(quote)
      collectTerms(line, used, isNew)
    }
  })
  return used
}

/** Words and numbers alone stand everywhere by chance. */
function isArgument(given: string): boolean {
  return given.length >= SHORTEST_PATTERN && /[^\p{L}\s]/u.test(given)
}

function collectTerms(line: string, used: Used, isNew: (term: string) => boolean): void {
  const tokens = tokensOf(line)
  tokens.forEach(({ term, isIdentifier }, index) => {
    if (!isIdentifier || !isNew(term)) return
    used.terms.add(term)
    for (const neighbour of neighboursOf(tokens, index)) {
      const known = used.pairs.get(term) ?? new Set()
      used.pairs.set(term, known.add(neighbour))
    }
  })
}

/**
 * The nearest word on each side says what an identifier is about. Another identifier does so only where
 * there is no word: else a list of identifiers would bind each to the next.
 */
function neighboursOf(tokens: readonly Token[], index: number): string[] {
  const others = [...segmentAround(tokens, index)]
  const words = others.filter(({ isIdentifier }) => !isIdentifier)
  const start = tokens[index]?.start ?? 0
  const sides = Map.groupBy(words.length > 0 ? words : others, (other) => other.start < start)
  return [...sides.values()].flatMap((side) => side.slice(0, 1).map(({ term }) => term))
}

/** The step at which each thing that the agent writes was first told to it; -1 where the system says it. */
function toldBefore(future: Future, system: readonly string[]): ReadonlyMap<string, number> {
  const strings = future.flatMap((step) =>
    step.by === 'others' ? [] : [...step.arguments, ...step.text.split('\n').flatMap(quotesIn)],
  )
  const search = new VerbatimSearch(strings)
  const first = new Map<string, number>()
  const tell = (text: string, at: number) => {
    const found = new Set<string>()
    search.collect(text, found)
    for (const line of text.split('\n'))
      for (const { term, isIdentifier } of tokensOf(line)) if (isIdentifier) found.add(term)
    for (const thing of found) if (!first.has(thing)) first.set(thing, at)
  }
  for (const text of system) tell(plain(text), -1)
  future.forEach((step, index) => {
    if (step.by === 'others') tell(step.text, index)
  })
  return first
}
