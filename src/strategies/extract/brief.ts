// The brief as text: the user's words, the known state, and selected lines under their refs.

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
  /** Already escaped; elisions carry refs. */
  readonly words: readonly ShownWords[]
  readonly constraints: readonly string[]
  readonly stated: readonly string[]
  /** All possible statements, used or not. */
  readonly known: readonly string[]
  /** Earlier summaries by a model, as far as they fit. */
  readonly summaries: readonly StandingSummary[]
  /** A model's part of this brief. */
  readonly prose?: string
  /** Numbers of lines in the digest. */
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

/** The initial request was answered, and another one followed. */
function isOver({ settledAt }: Digest, goal: ShownWords | undefined): boolean {
  return goal?.isFormer === true && parseEntryId(goal.ref).seq < settledAt
}

function section(title: Title, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines]
}

/** Files with the same state share a line that says whether there are more. */
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

/** An earlier brief's summaries share its ref. */
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

/** A result without its call, and a client's text, belong to neither side. */
const SPEAKERS = {
  user: 'user',
  task: 'task',
  agent: 'assistant',
  call: 'assistant',
  reminder: 'client',
  result: 'result',
} as const
