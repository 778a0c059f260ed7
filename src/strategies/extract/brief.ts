// The brief as text: what the user said, what code knows, and the chosen lines under the refs of their entries.
import { listedName, shortHead } from './candidates.ts'
import { type Digest, type Group, type Line, refOf, type UserWords } from './digest.ts'
import { inert } from './inert.ts'
import type { NamesAt } from './names.ts'

export interface BriefParts {
  /** Inert already: what is elided of them carries a ref. */
  readonly words: readonly UserWords[]
  readonly constraints: readonly string[]
  readonly stated: readonly string[]
  /** Lines of the digest, by number. */
  readonly decisions: readonly number[]
  readonly excerpts: readonly number[]
  readonly names: readonly NamesAt[]
}

const OPENING =
  '[Context note, not a request: what happened before, word for word from the log. Refs can be read again.]'

export function briefText(digest: Digest, parts: BriefParts): string {
  const isGoal = parts.words[0]?.seq === digest.words[0]?.seq
  const [goal, others] = isGoal
    ? [parts.words.slice(0, 1), parts.words.slice(1)]
    : [[], parts.words]
  const names = parts.names.map(
    ({ ref, names: found }) => `[ref:${ref}] ${inert(found.join(', '))}`,
  )
  return [
    OPENING,
    ...section('Goal', goal.map(wordsLine)),
    ...section('Constraints', parts.constraints.map(inert)),
    ...section('The user said', others.map(wordsLine)),
    ...section('State', withLists(parts.stated).map(inert)),
    ...section('Decisions', excerptLines(digest, parts.decisions)),
    ...section('Excerpts', excerptLines(digest, parts.excerpts)),
    ...section('Names', names),
  ]
    .join('\n')
    .toWellFormed()
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines]
}

/** Files of one state stand in one line. */
function withLists(stated: readonly string[]): string[] {
  const lists = new Map<string, string[]>()
  const lines: string[] = []
  for (const line of stated) {
    const name = listedName(line)
    if (name === undefined) lines.push(line)
    else {
      const title = line.slice(0, -name.length)
      lists.set(title, [...(lists.get(title) ?? []), name])
    }
  }
  return [...lines, ...[...lists].map(([title, names]) => `${title}${names.join(', ')}`)]
}

function wordsLine({ seq, text }: UserWords): string {
  return `[ref:e${seq}] ${text}`
}

function excerptLines(digest: Digest, indices: readonly number[]): string[] {
  const byGroup = new Map<number, Line[]>()
  for (const index of indices.toSorted((a, b) => a - b)) {
    const line = digest.lines[index] as Line
    const others = byGroup.get(line.group)
    if (others) others.push(line)
    else byGroup.set(line.group, [line])
  }
  return [...byGroup.keys()]
    .sort((a, b) => a - b)
    .flatMap((group) => groupLines(digest.groups[group] as Group, byGroup.get(group) ?? []))
}

function groupLines(group: Group, lines: readonly Line[]): string[] {
  const ref = `[ref:${refOf(group)}]`
  if (group.head === '') {
    const speaker = group.speaker === 'user' ? ' user:' : ''
    const [first = '', ...others] = lines.map(inertLine)
    return [`${ref}${speaker} ${first}`, ...others]
  }
  const head = lines.some(({ kind }) => kind === 'head') ? group.head : shortHead(group.head)
  const status = group.status === 'completed' ? '' : ` (${group.status})`
  const others = lines.filter(({ kind }) => kind !== 'head')
  return [`${ref} ${inert(head)}${status}`, ...others.map(inertLine)]
}

/** Briefs are written several times until they fit, and the lines are mostly the same. */
const inertLines = new WeakMap<Line, string>()

function inertLine(line: Line): string {
  const known = inertLines.get(line)
  if (known !== undefined) return known
  const text = inert(line.text)
  inertLines.set(line, text)
  return text
}
