// Questions that an agent could have asked: names that its context lost, and its own words where it used them.
import type { ThreadEvent } from '../../src/core/log/event.ts'
import type { Cut } from '../retention/cuts.ts'
import { leavesOf, type Piece, plain } from '../retention/pieces.ts'
import { presenceIn } from '../retention/presence.ts'
import { wantedOf } from '../retention/score.ts'
import { tokensOf } from '../retention/terms.ts'

export interface Query {
  readonly name: string
  /** Up to eight telling words around the first use, and never the name itself. */
  readonly words: readonly string[]
}

export interface LostNames {
  readonly needed: number
  readonly lost: number
  /** Names without two words around them cannot be asked for. */
  readonly queries: readonly Query[]
}

const MOST_WORDS = 8
const FEWEST_WORDS = 2

export function lostNames(cut: Cut, kept: readonly Piece[], futureTurns: number): LostNames {
  const texts = kept.map(({ text }) => text)
  const present = presenceIn(texts, wantedOf(cut.needs)).terms
  const lost = [...cut.needs.terms].filter((term) => !present.has(term))
  const answers = answersIn(cut.log.events.slice(cut.seq), futureTurns)
  const queries = lost.flatMap((name) => {
    const words = wordsAround(name, answers)
    return words.length < FEWEST_WORDS ? [] : [{ name, words }]
  })
  return { needed: cut.needs.terms.size, lost: lost.length, queries }
}

/** What the agent wrote in each answer: its text, then the arguments of each call. */
function answersIn(events: readonly ThreadEvent[], turns: number): string[][] {
  const answers: string[][] = []
  for (const event of events) {
    if (event.type === 'AGENT_MESSAGE') {
      if (answers.length === turns) break
      answers.push([plain(event.data.content)])
    } else if (event.type === 'TOOL_CALL') {
      const leaves = leavesOf(event.data.arguments).map(([, value]) => plain(value).trim())
      answers.at(-1)?.push(leaves.join('\n'))
    }
  }
  return answers
}

interface Place {
  readonly term: string
  readonly isName: boolean
  readonly at: number
}

/** The nearest on either side; where a call says too little, what the agent said before it. */
function wordsAround(name: string, answers: readonly (readonly string[])[]): string[] {
  for (const texts of answers)
    for (const [index, text] of texts.entries()) {
      const places = placesIn(text)
      const use = places.find(({ term, isName }) => isName && term === name)
      if (!use) continue
      const near = wordsIn(places, name)
        .map((place) => ({ ...place, distance: Math.abs(place.at - use.at) }))
        .toSorted((one, other) => one.distance - other.distance)
        .slice(0, MOST_WORDS)
        .toSorted((one, other) => one.at - other.at)
        .map(({ term }) => term)
      const before = texts.slice(0, index).flatMap((earlier) => wordsIn(placesIn(earlier), name))
      const said = [...new Set(before.map(({ term }) => term))].filter(
        (term) => !near.includes(term),
      )
      const room = MOST_WORDS - near.length
      return [...(room > 0 ? said.slice(-room) : []), ...near]
    }
  return []
}

function placesIn(text: string): Place[] {
  const places: Place[] = []
  let start = 0
  for (const line of text.split('\n')) {
    for (const token of tokensOf(line))
      places.push({ term: token.term, isName: token.isIdentifier, at: start + token.start })
    start += line.length + 1
  }
  return places
}

const LETTERS = /^\p{L}+$/u

/** Each once, where it stands first. */
function wordsIn(places: readonly Place[], name: string): Place[] {
  const words = new Map<string, Place>()
  for (const place of places) {
    const isWord = !place.isName && LETTERS.test(place.term) && place.term !== name.toLowerCase()
    if (isWord && !words.has(place.term)) words.set(place.term, place)
  }
  return [...words.values()]
}
