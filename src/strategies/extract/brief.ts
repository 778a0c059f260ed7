// The brief as text: what the user said, what code knows, and the chosen lines under the refs of their entries.

import { parseEntryId } from '../../core/view/entry.ts'
import { indented, indentedBehind } from '../summary/as-data.ts'
import { listedFile, shortHead } from './candidates.ts'
import type { Digest } from './digest.ts'
import { OPENING, PROSE_NOTE, SUMMARY_NOTE, type Title } from './earlier-brief.ts'
import { type Group, readRef } from './group.ts'
import { type Line, wholeSentence } from './lines.ts'
import { inert, type ShownWords } from './said-words.ts'
import type { StandingSummary } from './standing-summary.ts'
import { findStretches, inertLine } from './stretches.ts'

export interface BriefParts {
  /** Inert already: what is elided of them carries a ref. */
  readonly words: readonly ShownWords[]
  readonly constraints: readonly string[]
  readonly stated: readonly string[]
  /** All that could be stated, whether it is or not. */
  readonly known: readonly string[]
  /** What a model had summed up before, as far as it fits. */
  readonly summaries: readonly StandingSummary[]
  /** What a model wrote for this brief. */
  readonly prose?: string
  /** Lines of the digest, by number. */
  readonly decisions: readonly number[]
  /** What comes next. */
  readonly now: readonly string[]
  readonly excerpts: readonly number[]
}

export function briefText(digest: Digest, parts: BriefParts): string {
  const goal = parts.words.filter(({ isGoal }) => isGoal)
  const others = parts.words.filter(({ isGoal }) => !isGoal)
  return [
    OPENING,
    ...section(isOver(digest, goal[0]) ? 'First request' : 'Goal', goal.map(wordsLine)),
    ...section('Summary', [
      ...(parts.prose === undefined ? [] : [PROSE_NOTE, inert(parts.prose)]),
      ...parts.summaries.flatMap((summary, at) =>
        summaryLines(summary, parts.summaries[at - 1]?.ref),
      ),
    ]),
    ...section('Constraints', parts.constraints.map(inert)),
    ...section('The user said', others.map(wordsLine)),
    ...section('State', withLists(parts.stated, parts.known).map(inertLine)),
    ...section('Now', parts.now),
    ...section('Decisions', decidedLines(digest, parts.decisions)),
    ...section('Excerpts', excerptLines(digest, parts.excerpts)),
  ]
    .join('\n')
    .toWellFormed()
}

/** What began it all was answered, and something else was asked for since. */
function isOver({ settledAt }: Digest, goal: ShownWords | undefined): boolean {
  return goal?.isFormer === true && parseEntryId(goal.ref).seq < settledAt
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

/** An earlier brief may hold several summaries: they stand under its ref together. */
function summaryLines({ ref, text }: StandingSummary, before: string | undefined): string[] {
  return [...(ref === before ? [] : [`[ref:${ref}] ${SUMMARY_NOTE}`]), inert(text)]
}

function decidedLines({ lines, groups }: Digest, indices: readonly number[]): string[] {
  return indices
    .toSorted((a, b) => a - b)
    .map((index) => {
      const line = lines[index] as Line
      const ref = `[ref:${readRef(groups[line.group] as Group)}]`
      return `${ref} assistant: ${indentedBehind(inert(wholeSentence(line)))}`
    })
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
  const ref = `[ref:${readRef(group)}]`
  if (group.head === '') {
    const [first = '', ...others] = findStretches(digest, indices)
    const label = `${ref} ${SPEAKERS[group.speaker]}:`
    return [`${label} ${indentedBehind(first)}`, ...others.map(indented)]
  }
  const others = indices.filter((index) => index !== group.headLine)
  const head = others.length < indices.length ? group.head : shortHead(group.head)
  const status = group.status === 'completed' ? '' : ` (${group.status})`
  return [`${ref} ${inertLine(head)}${status}`, ...findStretches(digest, others).map(indented)]
}

/** A result without its call, and what a client put in, are the words of neither side. */
const SPEAKERS = {
  user: 'user',
  task: 'task',
  agent: 'assistant',
  call: 'assistant',
  reminder: 'client',
  result: 'result',
} as const
