// One session asked: for each cut, the names that the context lost, and which search brings them back.
import { PrecisError } from '../../src/core/errors.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { extract } from '../../src/strategies/extract/extract.ts'
import { type Cut, cutsOf } from '../retention/cuts.ts'
import { COUNTERS, newestWithin, type Piece, piecesOf } from '../retention/pieces.ts'
import type { Session } from '../retention/session.ts'
import { ARMS, type ArmName, armsOf } from './arms.ts'
import { lostNames, type Query } from './queries.ts'

export interface AskedSession {
  readonly id: string
  readonly format: string
  /** Of what is called alike the two halves of the corpus are made. */
  readonly repository: string
  readonly needed: number
  readonly lost: number
  readonly asked: number
  readonly arms: Readonly<Record<ArmName, ArmCounts>>
}

export interface ArmCounts {
  /** Questions whose answer shows the name. */
  readonly shown: number
  /** Questions whose first five finds have it somewhere. */
  readonly within: number
  readonly tokens: number // of all answers
  readonly mostTokens: number
}

const CUTS = { futureTurns: 40, minTokens: 2_000, minNeeds: 5 } as const
const KEPT_SHARE = 0.05
const NONE: ArmCounts = { shown: 0, within: 0, tokens: 0, mostTokens: 0 }
const NO_ARMS = Object.fromEntries(ARMS.map((arm) => [arm, NONE])) as Record<ArmName, ArmCounts>

/** With `mostQuestions`, so many of each cut, spread over all of them. */
export async function askSession(
  session: Session,
  repository: string,
  mostQuestions = Number.POSITIVE_INFINITY,
): Promise<AskedSession> {
  const total = { needed: 0, lost: 0, asked: 0 }
  const arms = { ...NO_ARMS }
  for (const cut of await cutsOf(session, CUTS, COUNTERS.estimate)) {
    const asked = await askCut(cut, mostQuestions)
    total.needed += asked.needed
    total.lost += asked.lost
    total.asked += asked.asked
    for (const arm of ARMS) arms[arm] = add(arms[arm], asked.arms[arm])
  }
  return { id: session.id, format: session.format, repository, ...total, arms }
}

async function askCut(cut: Cut, mostQuestions: number) {
  const { threads, store } = cut.session
  const whole = await threads.fork(cut.log.threadId, cut.seq)
  const compacted = await threads.fork(cut.log.threadId, cut.seq)
  try {
    const kept = await compact(cut, compacted)
    if (kept === undefined) return { needed: 0, lost: 0, asked: 0, arms: NO_ARMS }
    const { needed, lost, queries } = lostNames(cut, kept, CUTS.futureTurns)
    const events = cut.log.events.slice(0, cut.seq)
    const searches = armsOf({ threads, store, whole, compacted, events })
    const step = Math.max(1, queries.length / mostQuestions)
    const chosen = queries.filter((_, index) => Math.floor(index % step) === 0)
    const arms = {} as Record<ArmName, ArmCounts>
    for (const arm of ARMS) {
      arms[arm] = NONE
      for (const query of chosen)
        arms[arm] = add(arms[arm], judge(query, await searches[arm](query.words)))
    }
    return { needed, lost, asked: chosen.length, arms }
  } finally {
    await threads.delete(whole)
    await threads.delete(compacted)
  }
}

/** Undefined where what must stay is more than that. */
async function compact(
  { session: { threads }, tokens }: Cut,
  threadId: string,
): Promise<Piece[] | undefined> {
  const budgetTokens = Math.floor(tokens * KEPT_SHARE)
  const context = await threads.context(threadId)
  const targetTokens = weightOf(context) - context.tokens + budgetTokens
  try {
    await threads.compact(threadId, extract, { targetTokens })
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'irreducible') return undefined
    throw error
  }
  const { messages } = await threads.messages(threadId)
  return newestWithin(piecesOf(messages, COUNTERS.estimate), budgetTokens, COUNTERS.estimate)
}

function judge(
  { name }: Query,
  { shown, entries }: { readonly shown: string; readonly entries: readonly string[] },
): ArmCounts {
  const tokens = estimateTokens(shown)
  const isShown = has(shown, name)
  const isWithin = isShown || entries.some((text) => has(text, name))
  return { shown: Number(isShown), within: Number(isWithin), tokens, mostTokens: tokens }
}

const LETTER = /[\p{L}\p{N}_]/u

/** As it was written, also at the end of a longer path; never within a longer word. */
export function has(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!LETTER.test(text[at - 1] ?? ' ') && !LETTER.test(text[at + name.length] ?? ' '))
      return true
  return false
}

function add(one: ArmCounts, other: ArmCounts): ArmCounts {
  return {
    shown: one.shown + other.shown,
    within: one.within + other.within,
    tokens: one.tokens + other.tokens,
    mostTokens: Math.max(one.mostTokens, other.mostTokens),
  }
}
