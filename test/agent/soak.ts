// A coding session of many turns in a small window, compacted in every way there is, and watched all the time.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import { bearsEntry, isChange, type ThreadEvent } from '../../src/core/log/event.ts'
import type { PresetId } from '../../src/core/window/presets.ts'
import { Random } from '../generate/random.ts'
import { until } from '../wait.ts'
import { Coder, MODULES, moduleFile } from './coder.ts'
import { runsIn } from './past.ts'
import { type AgentSetup, setUpAgent } from './setup.ts'
import { Watch } from './soak-watch.ts'

export interface SoakOptions {
  readonly turns: number
  readonly seed: number
}

export interface SoakReport {
  readonly events: number
  readonly requests: number
  readonly largestTokens: number // of a request, with the room for its answer
  /** Compactions that were committed: `summarize by auto` and so on. */
  readonly compactions: Readonly<Record<string, number>>
  readonly strategies: readonly string[] // those that were registered
}

const WINDOW_TOKENS = 10_000
const OUTPUT_TOKENS = 1_500
const MAX_CONSTRAINTS = 8
const PRESETS_IN_TURN: readonly PresetId[] = ['log', 'range', 'whole', 'precis', 'range', 'chat']
const PRESET_TURNS = 5
/** Alone these keep no conversation in its window for long: as rungs, as fallbacks and by hand they help. */
const NOT_ALONE: ReadonlySet<string> = new Set(['trim-tool-results', 'mask', 'prune', 'drop-turns'])
/** From here on the thread itself names the strategy; before, each preset has its own. */
const CHOSEN_FROM = 0.6

/** Throws where something is not as it should be, naming the turn and the seed. */
export async function soak({ turns, seed }: SoakOptions): Promise<SoakReport> {
  const coder = new Coder(seed)
  const setup = await setUpAgent({
    windowTokens: WINDOW_TOKENS,
    outputTokens: OUTPUT_TOKENS,
    auto: { cooldownMs: 0 },
    dev: { script: coder.script },
  })
  makeRepository(setup.folder)
  const session = new Session(setup, coder, seed, turns)
  for (let turn = 1; turn <= turns; turn += 1)
    await session.turn(turn).catch((cause: unknown) => {
      throw new Error(`turn ${turn} with seed ${seed} went wrong\n${tellLately(setup.frames)}`, {
        cause,
      })
    })
  const report = await session.report()
  await session.undoAll()
  return report
}

/** Every strategy had its turn, and so had everybody who may run one. */
export function expectEveryWay({ compactions, strategies }: SoakReport): void {
  const ways = Object.keys(compactions)
  for (const strategy of strategies) expect(ways).toContain(`${strategy} by command`)
  for (const strategy of ['checkpoint-range', 'whole-summary'])
    for (const trigger of ['tool', 'command']) expect(ways).toContain(`${strategy} by ${trigger}`)
  const automatic = Object.entries(compactions).filter(([way]) =>
    / by (?:auto|background)$/.test(way),
  )
  expect(automatic.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(3)
}

/** A repository with a few modules, and a test that can be run. */
export function makeRepository(folder: string): void {
  const files = [
    ...Array.from({ length: MODULES }, (_, index) => moduleFile(index)),
    { path: 'test.sh', content: 'for f in src/*.ts; do grep -c value $f; done\necho all passed\n' },
  ]
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('init', '-q')
  git('config', 'user.email', 'coder@example.com')
  git('config', 'user.name', 'Coder')
  git('add', '-A')
  git('commit', '-qm', 'begin')
}

class Session {
  readonly #setup: AgentSetup
  readonly #coder: Coder
  readonly #random: Random
  readonly #turns: number
  readonly #watch: Watch
  #strategies = 0

  constructor(setup: AgentSetup, coder: Coder, seed: number, turns: number) {
    this.#setup = setup
    this.#coder = coder
    this.#random = new Random(seed)
    this.#turns = turns
    this.#watch = new Watch(setup, WINDOW_TOKENS)
  }

  async turn(turn: number): Promise<void> {
    const random = this.#random
    await this.#choose(turn)
    const isPlanting = this.#watch.constraints < MAX_CONSTRAINTS && random.chance(0.3)
    const rule = `Rule ${turn}: “never” touch \\${random.int(0, 1e9)}\\ — not even\tonce.`
    const { message } = this.#coder.taskOf(turn)
    const text = isPlanting ? `${message}\n${rule}` : message
    await this.#say(text)
    expect(this.#coder.hasDone(turn), `task ${turn} was done`).toBe(true)
    await this.#watch.afterTurn()
    if (isPlanting) await this.#plant(rule)
    else if (random.chance(0.1)) await this.#plantResult()
    await this.#compact(turn)
    if (random.chance(0.15)) await this.#undoAndRedo()
    await this.#watch.afterTurn()
  }

  /** Where a compaction in the background is just being applied, the message waits for it. */
  async #say(text: string): Promise<void> {
    const { agent, threadId, frames } = this.#setup
    const start = frames.length
    const outcome = await agent.sendMessage(threadId, text)
    const ended = () => frames.slice(start).find((frame) => frame.type === 'turn-end')
    if (outcome.status === 'queued') await until('the end of the turn', ended)
    const { end, error } = ended() ?? {}
    expect(['done', 'waiting'], `${end}: ${error?.message}`).toContain(end)
  }

  /** Presets take turns, then strategies that the thread itself names. */
  async #choose(turn: number): Promise<void> {
    if (turn % PRESET_TURNS !== 1) return
    const preset = PRESETS_IN_TURN[Math.floor(turn / PRESET_TURNS) % PRESETS_IN_TURN.length]
    await this.#command(`/preset ${preset}`)
    if (turn > this.#turns * CHOSEN_FROM) {
      let strategy = this.#nextStrategy()
      while (NOT_ALONE.has(strategy)) strategy = this.#nextStrategy()
      await this.#command(`/strategy ${strategy}`)
    }
  }

  /** By hand as well, in each of the ways there are; what it does depends on the preset. */
  async #compact(turn: number): Promise<void> {
    const { agent, threadId } = this.#setup
    const place = turn % PRESET_TURNS
    if (place !== 0 && place !== 3) return
    await this.#quiet() // it would join one in the background
    if (place === 0)
      return this.#command(this.#random.pick(['/compact', '/compact keep the names of files']))
    const result = await agent.compact(threadId, { strategy: this.#nextStrategy() })
    expect(result.error).toBeUndefined()
  }

  #nextStrategy(): string {
    const ids = this.#setup.threads.strategyIds()
    this.#strategies += 1
    return ids[this.#strategies % ids.length] ?? ''
  }

  /** What was said is pinned: by its text, or where it stands. */
  async #plant(rule: string): Promise<void> {
    const { threads, threadId, eventsOf } = this.#setup
    const said = (await eventsOf('USER_MESSAGE')).findLast(({ data }) =>
      String(data).includes(rule),
    )
    const items = (await threads.context(threadId)).items.toArray()
    const entry = items.find(({ id }) => id === `e${said?.seq}`)
    if (entry && this.#random.chance(0.5)) await threads.pin(threadId, { entries: [entry.id] })
    else await this.#command(`/pin ${rule}`)
    // A text that a compaction has swallowed before it was pinned comes back with the next one.
    if (entry) this.#watch.plant(rule)
  }

  /** Pins a result where it stands, with the round it belongs to. */
  async #plantResult(): Promise<void> {
    const { threads, threadId, eventsOf } = this.#setup
    const items = (await threads.context(threadId)).items.toArray()
    // With others beside it, all of them would be held.
    const item = items.findLast(
      ({ kind, id, tokens }, at) =>
        kind === 'result' &&
        id.startsWith('e') &&
        tokens < 200 &&
        items[at - 1]?.calls?.length === 1,
    )
    if (!item || this.#watch.constraints >= MAX_CONSTRAINTS) return
    const result = (await eventsOf('TOOL_RESULT')).find(({ seq }) => `e${seq}` === item.id)
    const text = result?.data.content[0]?.text ?? ''
    await threads.pin(threadId, { entries: [item.id] })
    this.#watch.plant(text)
  }

  async #undoAndRedo(): Promise<void> {
    const { threads, threadId } = this.#setup
    await this.#quiet()
    const before = await threads.messages(threadId)
    if ((await threads.context(threadId)).active.length === 0) return
    await this.#command('/undo')
    await this.#command('/redo')
    expect(await threads.messages(threadId)).toEqual(before)
  }

  /** Waits until no compaction is under way in the background. */
  async #quiet(): Promise<void> {
    const count = (type: AgentFrame['type']) =>
      this.#setup.frames.filter((frame) => frame.type === type).length
    const isQuiet = () => count('COMPACTION_START') === count('COMPACTION_COMPLETE')
    await until('the end of the compaction in the background', isQuiet)
  }

  async #command(text: string): Promise<void> {
    const outcome = await this.#setup.agent.sendMessage(this.#setup.threadId, text)
    const reply = outcome.status === 'command' ? outcome.reply : undefined
    expect(reply, `${text}: ${reply?.text}`).toMatchObject({ ok: true })
  }

  async report(): Promise<SoakReport> {
    await this.#quiet()
    await this.#watch.afterTurn()
    const compactions: Record<string, number> = {}
    for (const { success, trigger, strategy } of runsIn(this.#setup.frames)) {
      const name = `${strategy} by ${trigger}`
      if (success) compactions[name] = (compactions[name] ?? 0) + 1
    }
    const events = (await this.#setup.events()).length
    const { requests, largestTokens } = this.#watch
    const strategies = this.#setup.threads.strategyIds()
    return { events, requests, largestTokens, compactions, strategies }
  }

  /** Newest first, until nothing is left to undo: then every entry that ever was is in view. */
  async undoAll(): Promise<void> {
    const { threads, threadId, events } = this.#setup
    for (let tries = 0; tries < 100 && (await this.#hasToUndo()); tries += 1)
      await this.#command('/undo 1000')
    const entries = (await events()).filter((event: ThreadEvent) => bearsEntry(event))
    const { items, ignored } = await threads.context(threadId)
    expect(items.toArray().map(({ id }) => id)).toEqual(entries.map(({ seq }) => `e${seq}`))
    expect(items.toArray().filter(({ hide }) => hide)).toEqual([])
    expect(ignored).toEqual([])
  }

  /** The first compactions may have changed nothing: they stay where nothing below them is undone. */
  async #hasToUndo(): Promise<boolean> {
    const { threads, threadId, events } = this.#setup
    const active = new Set((await threads.context(threadId)).active)
    return (await events()).some(
      (event) => active.has(event.seq) && isChange(event) && event.data.edits.length > 0,
    )
  }
}

/** The latest that was said to have happened, for whoever has to find out why. */
export function tellLately(frames: readonly AgentFrame[]): string {
  const told = frames.filter(({ type }) => !/delta|progress|^tool/.test(type))
  return told.slice(-25).map(inShort).join('\n')
}

function inShort(frame: AgentFrame): string {
  return JSON.stringify(frame, (key, value: unknown) => {
    if (['timestamp', 'threadId', 'event'].includes(key)) return undefined
    return value instanceof Error ? value.message : value
  })
}
