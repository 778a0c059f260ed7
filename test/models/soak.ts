// A long coding session in one preset with one character of model, watched at every request.
import { expect } from 'vitest'
import type { Clock } from '../../src/core/ports.ts'
import { weightOf } from '../../src/core/view/context.ts'
import type { PresetId } from '../../src/core/window/presets.ts'
import type { AnswerCall, Asked, ScriptedAnswer } from '../../src/dev-model/index.ts'
import { systemClock } from '../../src/system.ts'
import { asksForSummary, Coder } from '../agent/coder.ts'
import { type Run, runsIn } from '../agent/past.ts'
import { type AgentSetup, setUpAgent } from '../agent/setup.ts'
import { makeRepository, tellLately } from '../agent/soak.ts'
import { Watch } from '../agent/soak-watch.ts'
import { until } from '../wait.ts'
import type { Character } from './characters.ts'
import { asksForCall, summaryOf, textSent } from './doors.ts'

export interface LongSession {
  readonly preset: PresetId
  readonly character: Character
  readonly turns: number
  readonly seed: number
}

export interface LongSessionReport {
  readonly turns: number
  readonly requests: number
  readonly refusals: number
  readonly compactions: number
  readonly unasked: number // of these: neither a person nor the model asked for them
  readonly mostOfTurn: number // runs, with those that failed, without calls of the agent that were refused
  readonly leastFreed: number // tokens, by one that was not asked for; the window where there is none
  readonly refusedOwn: number // summaries of the agent's own that were of no use
  readonly failed: number // other compactions that committed nothing
  readonly keptTokens: number // on average, after a compaction
  readonly largestTokens: number // of a request, with the room for its answer
}

export const WINDOW_TOKENS = 16_000
const OUTPUT_TOKENS = 1_500
/** Longer than the cooldown of any preset. */
const TURN_MS = 61_000
/** Where nothing is compacted by itself, a person does it at this share of the window. */
const BY_HAND = 0.5
const BY_HAND_EVERY = 10
/** The agent is told what to write; it can do better the next time, and the automatic compaction needs none of it. */
const REFUSED_OWN = /The summary says nothing of the \d+ tokens/

/** Throws where something is not as it should be, naming the turn and the seed. */
export async function runLongSession(session: LongSession): Promise<LongSessionReport> {
  const { preset, character, turns, seed } = session
  const coder = new Coder(seed)
  let turn = 0
  const clock: Clock = {
    now: () => new Date(systemClock.now().getTime() + turn * TURN_MS),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  }
  const script = (asked: Asked): ScriptedAnswer | undefined => {
    if (asksForSummary(asked) || asksForCall(asked)) return summaryOf(character, asked)
    const answer = coder.script(asked)
    // It compacts what the coder would, and in its own words.
    const calls = answer?.calls?.map((call) =>
      call.name === 'compact' ? inOwnWords(call, character.summary(textSent(asked))) : call,
    )
    return answer && calls ? { ...answer, calls } : answer
  }
  const setup = await setUpAgent({
    preset,
    windowTokens: WINDOW_TOKENS,
    outputTokens: OUTPUT_TOKENS,
    clock,
    dev: { script },
  })
  makeRepository(setup.folder)
  const conversation = new Conversation(setup, coder, preset)
  for (turn = 1; turn <= turns; turn += 1)
    await conversation.turn(turn).catch((cause: unknown) => {
      const where = `turn ${turn} of «${character.name}» in ${preset} with seed ${seed}`
      throw new Error(`${where} went wrong\n${tellLately(setup.frames)}`, { cause })
    })
  return conversation.report(turns)
}

function inOwnWords(call: AnswerCall, summary: string): AnswerCall {
  const { replacements, ...rest } = call.arguments as { replacements?: readonly object[] }
  const args = replacements
    ? { replacements: replacements.map((each) => ({ ...each, summary })) }
    : { ...rest, summary }
  return { ...call, arguments: args }
}

class Conversation {
  readonly #setup: AgentSetup
  readonly #coder: Coder
  readonly #preset: PresetId
  readonly #watch: Watch
  /** By new sessions. */
  readonly #kept: number[] = []
  #threadId: string

  constructor(setup: AgentSetup, coder: Coder, preset: PresetId) {
    this.#setup = setup
    this.#coder = coder
    this.#preset = preset
    this.#watch = new Watch(setup, WINDOW_TOKENS, { overflows: 0, runsOfTurn: 2 })
    this.#threadId = setup.threadId
  }

  async turn(turn: number): Promise<void> {
    const { message } = this.#coder.taskOf(turn)
    this.#watch.setCurrent(message)
    const { agent, threads, frames } = this.#setup
    const start = frames.length
    const outcome = await agent.sendMessage(this.#threadId, message)
    if (outcome.status === 'queued')
      await until('the end of the turn', () =>
        frames.slice(start).some(({ type }) => type === 'turn-end'),
      )
    else expect(['done', 'waiting'], JSON.stringify(outcome)).toContain(outcome.status)
    expect(this.#coder.hasDone(turn), `task ${turn} was done`).toBe(true)
    await this.#quiet()
    await this.#watch.afterTurn()
    this.#watch.setAnswered()
    const { tokens = 0 } = await threads.reading(this.#threadId)
    const isFull = this.#preset === 'fresh' && tokens > BY_HAND * WINDOW_TOKENS
    if (isFull || turn % BY_HAND_EVERY === 0) await this.#compact()
  }

  async #compact(): Promise<void> {
    const { agent, threads } = this.#setup
    const outcome = await agent.sendMessage(this.#threadId, '/compact')
    if (outcome.status !== 'command') throw new Error(outcome.status)
    const { ok, text, threadId } = outcome.reply
    if (!ok) expect(text).toMatch(REFUSED_OWN)
    await this.#watch.afterTurn()
    if (threadId === undefined || threadId === this.#threadId) return
    this.#threadId = threadId
    this.#watch.moveTo(threadId)
    this.#kept.push(weightOf(await threads.context(threadId)))
  }

  /** Waits until no compaction is under way in the background. */
  async #quiet(): Promise<void> {
    const count = (type: string) => this.#setup.frames.filter((frame) => frame.type === type).length
    await until(
      'the end of the compaction in the background',
      () => count('COMPACTION_START') === count('COMPACTION_COMPLETE'),
    )
  }

  report(turns: number): LongSessionReport {
    const runs = runsIn(this.#setup.frames)
    const committed = runs.filter(({ success }) => success)
    const unasked = committed.filter(isUnasked)
    const kept = [...this.#kept, ...committed.flatMap(({ after }) => after?.tokens ?? [])]
    const refusedOwn = runs.filter(({ error }) => REFUSED_OWN.test(error?.message ?? '')).length
    const { requests, largestTokens, overflows, mostOfTurn } = this.#watch
    return {
      turns,
      requests,
      refusals: overflows,
      compactions: committed.length,
      unasked: unasked.length,
      mostOfTurn,
      leastFreed: Math.min(WINDOW_TOKENS, ...unasked.map(({ tokensSaved = 0 }) => tokensSaved)),
      refusedOwn,
      failed: runs.length - committed.length - refusedOwn,
      keptTokens: Math.round(kept.reduce((sum, tokens) => sum + tokens, 0) / kept.length),
      largestTokens,
    }
  }
}

function isUnasked({ trigger }: Run): boolean {
  return trigger !== 'command' && trigger !== 'tool'
}
