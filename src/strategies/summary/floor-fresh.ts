// The floor under a summary that opens a new thread: what follows it there, and what may take its place.

import type { NewEntry } from '../../core/edit/change.ts'
import { GATE_MIN_TOKENS } from '../../core/edit/gate.ts'
import type { StrategyInput } from '../../core/edit/strategy.ts'
import { refsElsewhere } from '../../core/view/request-note.ts'
import { runsOf } from '../../core/view/seam.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { countIn, factsIn, judgedBy } from './brief-instead.ts'
import { countKept, exactFacts } from './checks.ts'
import { factsRoom, poorer } from './floor.ts'
import {
  buildBrief,
  findCarried,
  floorText,
  type Standing,
  standingAfter,
  weigh,
} from './floor-text.ts'
import { worthless } from './worth.ts'

interface FreshFloor {
  readonly summary: string
  readonly carried?: string
  /** Why the brief took the place of the summary. */
  readonly why?: string
}

export async function floorForFresh(
  input: StrategyInput,
  summary: string,
  written: string,
): Promise<FreshFloor> {
  const standing = opening(summary, input)
  const { goes } = standing
  if (weigh(goes) < GATE_MIN_TOKENS) return { summary }
  const facts = factsIn(goes, input)
  const maxTokens = factsRoom(input, standing)
  const mostTokens = estimateTokens(summary) + maxTokens
  const wanted = exactFacts(await briefOf(standing, input, mostTokens))
  const carried = await floorText({ input, standing, maxTokens, wanted })
  const kept = countKept(facts, [summary, carried])
  const inBrief = countIn(facts, wanted)
  const useless = worthless({ written, ...judgedBy(goes, wanted, input) })
  if (useless === undefined && kept >= inBrief) return { summary, carried }
  const why =
    useless === undefined
      ? poorer({ of: facts.size, kept, inBrief })
      : `the summary is of no use: ${useless}`
  // Its own lines first; names that stand in none of them follow it, as they would follow a summary.
  const brief = await briefOf(standing, input, Math.floor(mostTokens * BRIEF_SHARE))
  const more = {
    input,
    standing: opening(brief, input),
    maxTokens: Math.floor(mostTokens * (1 - BRIEF_SHARE)),
    wanted,
    isNamesOnly: true,
  }
  return {
    summary: refsElsewhere(brief, input.run.threadId),
    carried: await floorText(more),
    why,
  }
}

const BRIEF_SHARE = 0.5

/** A new thread that this text opens. */
function opening(text: string, input: StrategyInput): Standing {
  const { context, eventAt } = input
  const entry: NewEntry = { type: 'USER_MESSAGE', data: text, label: 'summary' }
  return standingAfter([{ covers: runsOf(context.items.toArray(), eventAt), put: [entry] }], input)
}

function briefOf({ goes, stays }: Standing, input: StrategyInput, maxTokens: number) {
  const isSaid = findCarried(input)
  return buildBrief({ input, covered: goes, stays, said: [], isSaid, maxTokens })
}
