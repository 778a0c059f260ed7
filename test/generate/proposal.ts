// Random compactions: sound ones of many kinds, and some that the gate must refuse.
import type { Edit, EntryId, NewEntry, Put } from '../../src/core/edit/change.ts'
import type { Proposal } from '../../src/core/edit/strategy.ts'
import type { EventAt } from '../../src/core/log/event.ts'
import type { Context } from '../../src/core/view/context.ts'
import type { Item } from '../../src/core/view/entry.ts'
import { contentOf } from '../../src/core/view/entry-content.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { roundsOf, seamsOf } from '../../src/core/view/seam.ts'
import type { Random } from './random.ts'

/** What a proposal is made from: a log in memory, or what a strategy is handed. */
export interface View {
  readonly context: Context
  readonly eventAt: EventAt
}

/** A compaction that the gate should let pass, of one of many kinds; undefined where nothing can be cut. */
export function randomProposal(view: View, random: Random): Proposal | undefined {
  const items = view.context.items.toArray()
  if (view.context.open.size > 0 && random.chance(0.5)) return closing(view, items, random)
  const seams = seamsOf(items, view.context.open)
  const places = seams.flatMap((seam, place) => (seam ? [place] : []))
  if (places.length < 2) return undefined
  const kind = random.weighted({
    range: 4,
    whole: 2,
    remove: 2,
    keep: 3,
    several: 3,
    trim: 3,
    none: 1,
    broken: 2,
  })
  if (kind === 'none') return { edits: [] }
  if (kind === 'trim') return { edits: rewrites(view, items, random) }
  if (kind === 'whole')
    return { edits: [edit(view, items, 0, places.at(-1) as number, [summary(random)])] }
  if (kind === 'broken') return { edits: [carelessEdit(view, items, places, random)] }
  const cuts = pickCuts(places, kind === 'several' ? random.int(1, 3) : 1, random)
  return {
    edits: cuts.map(([start, end]) => {
      if (kind === 'remove') return edit(view, items, start, end, [])
      const put: Put[] = [summary(random)]
      if (kind === 'keep')
        for (const keep of keptRounds(view, items, start, end, random)) put.push({ keep })
      return edit(view, items, start, end, put)
    }),
  }
}

/** Cuts anywhere, or keeps anything: what the gate is there to refuse. */
function carelessEdit(
  view: View,
  items: readonly Item[],
  places: readonly number[],
  random: Random,
): Edit {
  if (random.chance(0.5)) {
    const start = random.int(0, items.length - 1)
    return edit(view, items, start, random.int(start + 1, items.length), [summary(random)])
  }
  const [start, end] = pickCuts(places, 1, random)[0] as [number, number]
  const kept = items.slice(start, end).filter(() => random.chance(0.5))
  return edit(view, items, start, end, [
    summary(random),
    ...kept.map((item) => ({ keep: item.id })),
  ])
}

function edit(
  view: View,
  items: readonly Item[],
  start: number,
  end: number,
  put: readonly Put[],
): Edit {
  return { covers: runsOf(items.slice(start, end), view.eventAt), put }
}

function pickCuts(places: readonly number[], count: number, random: Random): [number, number][] {
  const chosen = [
    ...new Set(Array.from({ length: count * 2 }, () => random.pick(places))),
  ].toSorted((a, b) => a - b)
  const cuts: [number, number][] = []
  for (let at = 0; at + 1 < chosen.length; at += 2)
    cuts.push([chosen[at] as number, chosen[at + 1] as number])
  return cuts.length > 0 ? cuts : [[places[0] as number, places[1] as number]]
}

/** Whole rounds, or entries outside of rounds: what a summary may keep beside itself. */
function keptRounds(
  view: View,
  items: readonly Item[],
  start: number,
  end: number,
  random: Random,
): EntryId[] {
  const rounds = roundsOf(items, view.context.open)
  const inRound = new Set(
    rounds.flatMap((round) => items.slice(round.start, round.end).map((item) => item.id)),
  )
  return items
    .slice(start, end)
    .filter((item) => !inRound.has(item.id) && random.chance(0.4))
    .map((item) => item.id)
}

/** Ends an open call: with everything, as the agent's own compaction does, or by a rewrite of its answer. */
function closing(view: View, items: readonly Item[], random: Random): Proposal | undefined {
  const [call] = view.context.open
  const answer = items.findLast((item) => item.kind === 'answer')
  if (call === undefined || answer === undefined) return undefined
  if (view.context.open.size === 1 && random.chance(0.7))
    return { edits: [edit(view, items, 0, items.length, [summary(random)])], closes: [call] }
  return { edits: rewrittenAnswer(view, answer, random, call), closes: [call] }
}

function rewrites(view: View, items: readonly Item[], random: Random): Edit[] {
  return items.flatMap((item) => {
    if (item.kind === 'result' && random.chance(0.6)) return [rewrittenResult(item)]
    return item.kind === 'answer' && random.chance(0.2) ? rewrittenAnswer(view, item, random) : []
  })
}

function rewrittenResult(item: Item): Edit {
  const id = item.calls?.[0]
  const data = {
    ...(id !== undefined && { id }),
    content: [{ type: 'text' as const, text: '[cut]' }],
    status: 'completed' as const,
  }
  return { covers: [item.id], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: item.id }] }
}

/** The same answer with other words, its thinking as it was or gone; without one of its calls, if named. */
function rewrittenAnswer(view: View, item: Item, random: Random, without?: string): Edit[] {
  const said = contentOf(item.id, view.eventAt)
  if (said?.kind !== 'answer') return []
  const { parts, ...answer } = said.answer
  // Thinking that led to a call goes with it; without one it stays at times.
  const kept = without === undefined && random.chance(0.5) ? parts : undefined
  const data = {
    ...answer,
    content: `rewritten ${random.int(0, 99)}`,
    calls: answer.calls.filter((call) => call !== without),
    ...(kept && { parts: kept }),
  }
  const label = without === undefined ? 'repaired' : 'closed'
  return [{ covers: [item.id], put: [{ type: 'AGENT_MESSAGE', data, label, of: item.id }] }]
}

function summary(random: Random): NewEntry {
  const text = `summary ${random.int(0, 999)}`
  return random.chance(0.5)
    ? { type: 'USER_MESSAGE', data: text, label: 'summary' }
    : { type: 'AGENT_MESSAGE', data: { content: text, calls: [] }, label: 'summary' }
}
