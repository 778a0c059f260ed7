// Proposals that are applied late, among others, pins and new messages: each open request stands once, as does each line.
import { expect, it } from 'vitest'
import type { EntryId } from '../../src/core/edit/change.ts'
import type { Proposal, Strategy } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { checkpointRange, wholeSummary } from '../../src/strategies/ranges/agent-replacements.ts'
import { Random } from '../generate/random.ts'
import { TestLog } from '../generate/test-log.ts'
import { answer, result, user } from '../say.ts'
import { seeds } from '../scale.ts'
import { CHARACTERS, portOf } from './characters.ts'
import { inputFor, sentText } from './planted.ts'

/** A quote behind its ref, or how far the requests are answered. What is pinned later may be quoted as well. */
const NOTED = /^\[ref:\S+\] (?!Request)|^Requests are answered|^The requests? \[ref:/
const SEEDS = seeds(150, 40)
const LEAST_TOKENS = 2_000
const PAGE = 'What was looked at here is told in a few words of no weight. '
/** These say nothing of the request themselves. */
const QUIET = CHARACTERS.filter(({ name }) => ['terse', 'verbose', 'stops early'].includes(name))
const SUMMARY = 'We looked at `parseOrder` in src/orders.ts and kept port 8042 for it.'
const OWN: readonly Strategy[] = [
  checkpointRange([{ summary: SUMMARY }]),
  wholeSummary({ summary: SUMMARY, files: [] }),
]
const STRATEGIES: readonly Strategy[] = [
  ...DEFAULT_STRATEGIES.filter(({ id }) => id !== 'fresh-session'),
  ...OWN,
]

/** A session in which anything may come between a proposal and its commit. */
class Session {
  readonly log = new TestLog()
  readonly #random: Random
  #count = 0
  #message = ''
  request = ''
  committed = 0

  constructor(random: Random) {
    this.#random = random
  }

  ask(): void {
    this.#count += 1
    this.request = `Request ${this.#count}: rename \`name_${this.#count}\`,\n  and nothing else.`
    const [event] = this.log.append([user(this.request)])
    this.#message = `e${event?.seq}`
  }

  work(): void {
    this.#count += 1
    const id = `call_${this.#count}`
    this.log.append(answer(PAGE.repeat(this.#random.int(3, 30)), id))
    this.log.append([result(id, PAGE.repeat(this.#random.int(3, 30)))])
  }

  end(): void {
    this.log.append(answer(`Done. ${PAGE.repeat(this.#random.int(3, 20))}`))
  }

  pin(): void {
    const isThere = this.log.context.items.toArray().some(({ id }) => id === this.#message)
    if (isThere) this.log.pin({ entries: [this.#message as EntryId] })
  }

  undo(): void {
    if (this.log.context.stack.length > 0) this.log.undo()
  }

  /** With up to three steps between the two. */
  async compact(): Promise<void> {
    const basedOn = this.log.context.version
    const proposal = await this.#proposed()
    for (let step = this.#random.int(0, 3); step > 0; step -= 1)
      await this.#random.pick([
        () => this.work(),
        () => this.pin(),
        () => this.undo(),
        () => this.#commit(this.#random.pick(OWN)),
      ])()
    if (proposal && this.log.compact(proposal, 'auto', basedOn) === undefined) this.committed += 1
  }

  async #commit(strategy: Strategy): Promise<void> {
    const proposal = await this.#from(strategy)
    if (proposal && this.log.compact(proposal, 'tool') === undefined) this.committed += 1
  }

  #proposed(): Promise<Proposal | undefined> {
    return this.#from(this.#random.pick(STRATEGIES))
  }

  async #from(strategy: Strategy): Promise<Proposal | undefined> {
    const windowTokens = 16_000
    const provider = portOf(this.#random.pick(QUIET), windowTokens)
    const run = { threadId: this.log.threadId, provider, windowTokens }
    const targetTokens = Math.floor(weightOf(this.log.context) * this.#random.pick([0.4, 0.7]))
    try {
      return await strategy.propose(inputFor(this.log, { run, trigger: 'auto', targetTokens }))
    } catch (error) {
      if (PrecisError.is(error)) return undefined
      throw error
    }
  }
}

it('in any order, an open request is there once, and no line of a note twice [ALWAYS-23]', async () => {
  let committed = 0
  for (const seed of SEEDS) {
    const random = new Random(seed)
    const session = new Session(random)
    for (let turn = 0; turn < 4; turn += 1) {
      session.ask()
      for (let step = random.int(2, 5); step > 0; step -= 1) session.work()
      // Exact results hold below `gate.minTokens`: nothing is carried there.
      while (weightOf(session.log.context) < LEAST_TOKENS) session.work()
      await session.compact()
      const times = sentText(session.log).split(session.request).length - 1
      expect(times, `seed ${seed}, turn ${turn}:\n${sentText(session.log)}`).toBe(1)
      const noted = sentText(session.log)
        .split('\n')
        .filter((line) => NOTED.test(line))
      expect(noted, `seed ${seed}, turn ${turn}\n${sentText(session.log)}`).toEqual([
        ...new Set(noted),
      ])
      session.end()
    }
    committed += session.committed
  }
  expect(committed).toBeGreaterThan(SEEDS.length)
})
