// Random compactions: sound ones of many kinds, and some that the gate must refuse.
import type { Edit, EntryId, NewEntry, Put } from '../../src/core/change.ts'
import type { Item } from '../../src/core/entry.ts'
import { runsOf } from '../../src/core/run.ts'
import { roundsOf, seamsOf } from '../../src/core/seam.ts'
import type { Proposal } from '../../src/core/strategy.ts'
import type { Random } from './random.ts'
import type { TestLog } from './test-log.ts'

/** A compaction that the gate should let pass, of one of many kinds; undefined where nothing can be cut. */
export function randomProposal(log: TestLog, random: Random): Proposal | undefined {
  const items = log.context.items.toArray()
  const seams = seamsOf(items, log.context.open)
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
  if (kind === 'trim') return { edits: rewrites(items, random) }
  if (kind === 'whole')
    return { edits: [edit(log, items, 0, places.at(-1) as number, [summary(random)])] }
  if (kind === 'broken') return { edits: [carelessEdit(log, items, places, random)] }
  const cuts = pickCuts(places, kind === 'several' ? random.int(1, 3) : 1, random)
  return {
    edits: cuts.map(([start, end]) => {
      if (kind === 'remove') return edit(log, items, start, end, [])
      const put: Put[] = [summary(random)]
      if (kind === 'keep')
        for (const keep of keptRounds(log, items, start, end, random)) put.push({ keep })
      return edit(log, items, start, end, put)
    }),
  }
}

/** Cuts anywhere, or keeps anything: what the gate is there to refuse. */
function carelessEdit(
  log: TestLog,
  items: readonly Item[],
  places: readonly number[],
  random: Random,
): Edit {
  if (random.chance(0.5)) {
    const start = random.int(0, items.length - 1)
    return edit(log, items, start, random.int(start + 1, items.length), [summary(random)])
  }
  const [start, end] = pickCuts(places, 1, random)[0] as [number, number]
  const kept = items.slice(start, end).filter(() => random.chance(0.5))
  return edit(log, items, start, end, [summary(random), ...kept.map((item) => ({ keep: item.id }))])
}

function edit(
  log: TestLog,
  items: readonly Item[],
  start: number,
  end: number,
  put: readonly Put[],
): Edit {
  return { covers: runsOf(items.slice(start, end), log.eventAt), put }
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
  log: TestLog,
  items: readonly Item[],
  start: number,
  end: number,
  random: Random,
): EntryId[] {
  const rounds = roundsOf(items, log.context.open)
  const inRound = new Set(
    rounds.flatMap((round) => items.slice(round.start, round.end).map((item) => item.id)),
  )
  return items
    .slice(start, end)
    .filter((item) => !inRound.has(item.id) && random.chance(0.4))
    .map((item) => item.id)
}

function rewrites(items: readonly Item[], random: Random): Edit[] {
  return items
    .filter((item) => item.kind === 'result' && random.chance(0.6))
    .map((item): Edit => {
      const id = item.calls?.[0]
      const data = {
        ...(id !== undefined && { id }),
        content: [{ type: 'text' as const, text: '[cut]' }],
        status: 'completed' as const,
      }
      return {
        covers: [item.id],
        put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: item.id }],
      }
    })
}

function summary(random: Random): NewEntry {
  const text = `summary ${random.int(0, 999)}`
  return random.chance(0.5)
    ? { type: 'USER_MESSAGE', data: text, label: 'summary' }
    : { type: 'AGENT_MESSAGE', data: { content: text, calls: [] }, label: 'summary' }
}
