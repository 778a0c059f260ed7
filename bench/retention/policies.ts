// What can be done with what came before a cut: the baselines, and the product's own strategies.
import { pathToFileURL } from 'node:url'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { randomIds, systemClock } from '../../src/system.ts'
import { createThreads } from '../../src/threads/threads.ts'
import { BASELINES } from './baselines.ts'
import { usage } from './options.ts'
import { piecesOf, tokensIn } from './pieces.ts'
import type { Kept, Policy, Task } from './policy.ts'

/** All that can be measured, by name. `file` is a module whose exported strategies are measured, too. */
export async function policiesWith(file?: string): Promise<Readonly<Record<string, Policy>>> {
  const strategies = [...DEFAULT_STRATEGIES, ...(file === undefined ? [] : await exportedBy(file))]
  const alone: Strategy[] = []
  for (const strategy of strategies) if (await needsNoModel(strategy)) alone.push(strategy)
  return { ...BASELINES, ...Object.fromEntries(alone.map((one) => [one.id, running(one)])) }
}

async function exportedBy(file: string): Promise<Strategy[]> {
  const exported = await importOf(file)
  const strategies = Object.values(exported).filter(isStrategy)
  if (strategies.length === 0) throw usage(`${file} exports no strategy.`)
  return strategies
}

async function importOf(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw usage(`${file} cannot be imported: ${reason}`)
  }
}

function isStrategy(value: unknown): value is Strategy {
  return typeof value === 'object' && value !== null && 'id' in value && 'propose' in value
}

/** Strategies that need a model fail at once without one. */
async function needsNoModel(strategy: Strategy): Promise<boolean> {
  const threads = createThreads({ store: memoryStore(), clock: systemClock, ids: randomIds })
  const threadId = await threads.create({}, [
    { type: 'USER_MESSAGE', data: 'Hello.' },
    { type: 'AGENT_MESSAGE', data: { content: 'Hello.', calls: [] } },
    { type: 'USER_MESSAGE', data: 'Go on.' },
  ])
  try {
    await threads.prepare(threadId, strategy)
    return true
  } catch (error) {
    return !(PrecisError.is(error) && error.code === 'no-model')
  }
}

/** So often a strategy is asked for less where the budget is counted in another way than it counts. */
const OTHER_COUNTER_TRIES = 3

/** A strategy at work in a real thread: a fork of the session that ends at the cut. */
function running(strategy: Strategy): Policy {
  return async (task) => {
    const { budgetTokens, counter } = task
    const tries = counter.id === 'estimate' ? 1 : OTHER_COUNTER_TRIES
    let kept = await compactedBy(strategy, task, budgetTokens)
    for (let tried = 1, asked = budgetTokens; tried < tries; tried += 1) {
      const tokens = tokensIn(kept.pieces)
      if (tokens <= budgetTokens) break
      asked = Math.floor((asked * budgetTokens) / tokens)
      kept = await compactedBy(strategy, task, asked)
    }
    return kept
  }
}

async function compactedBy(
  strategy: Strategy,
  { cut, counter }: Task,
  askedTokens: number,
): Promise<Kept> {
  const { threads } = cut.session
  const fork = await threads.fork(cut.log.threadId, cut.seq)
  try {
    const context = await threads.context(fork)
    const options = { targetTokens: weightOf(context) - context.tokens + askedTokens }
    const outcome = await threads.compact(fork, strategy, options)
    const { messages } = await threads.messages(fork)
    const pieces = piecesOf(messages, counter)
    return outcome.committed ? { pieces } : { pieces, failure: outcome.refusal.message }
  } catch (error) {
    if (!PrecisError.is(error)) throw error
    return { pieces: cut.pieces, failure: error.message }
  } finally {
    await threads.delete(fork)
  }
}
