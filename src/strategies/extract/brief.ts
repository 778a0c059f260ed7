// The brief as text: what the user said, what code knows, and the chosen lines under the refs of their entries.
import { quoted, quotedBehind } from '../summary/as-data.ts'
import { OPENING, type Title } from './brief-frame.ts'
import { listedFile, shortHead } from './candidates.ts'
import { type Digest, type Group, refOf } from './digest.ts'
import { inert, inertLine } from './inert.ts'
import type { Line } from './line.ts'
import type { NamesAt } from './names.ts'
import { stretchesOf } from './stretches.ts'
import type { ShownWords } from './words.ts'

export interface BriefParts {
  /** Inert already: what is elided of them carries a ref. */
  readonly words: readonly ShownWords[]
  readonly constraints: readonly string[]
  readonly stated: readonly string[]
  /** All that could be stated, whether it is or not. */
  readonly known: readonly string[]
  /** Lines of the digest, by number. */
  readonly decisions: readonly number[]
  readonly excerpts: readonly number[]
  readonly names: readonly NamesAt[]
}

export function briefText(digest: Digest, parts: BriefParts): string {
  const goal = parts.words.filter(({ isGoal }) => isGoal)
  const others = parts.words.filter(({ isGoal }) => !isGoal)
  const names = parts.names.map(
    ({ ref, names: found }) => `[ref:${ref}] ${inertLine(found.join(', '))}`,
  )
  return [
    OPENING,
    ...section('Goal', goal.map(wordsLine)),
    ...section('Constraints', parts.constraints.map(inert)),
    ...section('The user said', others.map(wordsLine)),
    ...section('State', withLists(parts.stated, parts.known).map(inertLine)),
    ...section('Decisions', excerptLines(digest, parts.decisions)),
    ...section('Excerpts', excerptLines(digest, parts.excerpts)),
    ...section('Names', names),
  ]
    .join('\n')
    .toWellFormed()
}

function section(title: Title, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines]
}

/** Files of one state are in one line, which says whether there are others. */
function withLists(stated: readonly string[], known: readonly string[]): string[] {
  const all = listsIn(known)
  const lists = [...listsIn(stated)].map(([state, names]) => {
    const others = (all.get(state)?.length ?? 0) > names.length ? ', among others' : ''
    return `${state}${others}: ${names.join(', ')}`
  })
  return [...stated.filter((line) => listedFile(line) === undefined), ...lists]
}

function listsIn(stated: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, string[]>()
  for (const line of stated) {
    const file = listedFile(line)
    if (file === undefined) continue
    const names = lists.get(file.state)
    if (names) names.push(file.name)
    else lists.set(file.state, [file.name])
  }
  return lists
}

function wordsLine({ ref, text }: ShownWords): string {
  return `[ref:${ref}] ${text}`
}

function excerptLines(digest: Digest, indices: readonly number[]): string[] {
  const byGroup = new Map<number, number[]>()
  for (const index of indices.toSorted((a, b) => a - b)) {
    const { group } = digest.lines[index] as Line
    const others = byGroup.get(group)
    if (others) others.push(index)
    else byGroup.set(group, [index])
  }
  return [...byGroup.keys()]
    .sort((a, b) => a - b)
    .flatMap((group) => groupLines(digest, group, byGroup.get(group) ?? []))
}

function groupLines(digest: Digest, number: number, indices: readonly number[]): string[] {
  const group = digest.groups[number] as Group
  const ref = `[ref:${refOf(group)}]`
  if (group.head === '') {
    const [first = '', ...others] = stretchesOf(digest, indices)
    return [quotedBehind(`${ref} ${SPEAKERS[group.speaker]}:`, first), ...others.map(quoted)]
  }
  const others = indices.filter((index) => index !== group.headLine)
  const head = others.length < indices.length ? group.head : shortHead(group.head)
  const status = group.status === 'completed' ? '' : ` (${group.status})`
  return [`${ref} ${inertLine(head)}${status}`, ...stretchesOf(digest, others).map(quoted)]
}

/** A result without its call, and what a client put in, are the words of neither side. */
const SPEAKERS = {
  user: 'user',
  agent: 'assistant',
  call: 'assistant',
  reminder: 'client',
  result: 'result',
} as const
