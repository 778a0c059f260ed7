// After any compaction, by any strategy and whatever the model does: the last request, and results nobody has seen.
import { describe, expect, it } from 'vitest'
import { GATE_MIN_TOKENS } from '../../src/core/edit/gate.ts'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { findRequests } from '../../src/core/view/last-request.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { checkpointRange, wholeSummary } from '../../src/strategies/ranges/agent-replacements.ts'
import { standingAfter } from '../../src/strategies/summary/floor-text.ts'
import { Random } from '../generate/random.ts'
import { TestLog } from '../generate/test-log.ts'
import { answer, result, user } from '../say.ts'
import { seeds } from '../scale.ts'
import { CHARACTERS, portOf } from './characters.ts'
import { inputFor, sentText } from './planted.ts'

const SEEDS = seeds(60, 12)
const WORDS = 'alpha beta gamma delta epsilon zeta eta theta'.split(' ')

interface Talk {
  readonly log: TestLog
  /** The last one, and one before it that is not answered either. */
  readonly requests: readonly string[]
  /** A result that no answer has taken up; undefined where there is none. */
  readonly unseen: string | undefined
}

/** Requests, answers and rounds; it ends at any point of a turn. */
function talkOf(random: Random): Talk {
  const log = new TestLog()
  const page = () => `${random.pick(WORDS)} ${WORDS.join(' ')}.\n`.repeat(random.int(5, 40))
  let requests: string[] = []
  let unseen: string | undefined
  const turns = random.int(6, 16)
  for (let turn = 1; turn <= turns; turn += 1) {
    const work = (part: string) => {
      for (let step = random.int(0, 2); step > 0; step -= 1) {
        const id = `call_${turn}${part}_${step}`
        unseen = `result of ${id} ${random.pick(WORDS)}`
        log.append(answer(page(), id))
        log.append([result(id, unseen)])
      }
    }
    const request = `Request ${turn}: do \`task_${turn}\`,\n  but ${random.pick(WORDS)} first.`
    requests = [request]
    unseen = undefined
    log.append([user(request)])
    work('')
    if (random.chance(0.4)) {
      const steer = `By the way, on ${turn}:\n  use \`tabs_${turn}\`.`
      unseen = undefined
      log.append([user(steer)])
      work('b')
      requests = [request, steer]
    }
    if (turn === turns && random.chance(0.5)) break
    requests = requests.slice(-1)
    log.append(answer(`Done with ${turn}. ${page()}`))
    unseen = undefined
  }
  return { log, requests, unseen }
}

const OWN: readonly Strategy[] = [
  checkpointRange([{ summary: 'We did some work.' }]),
  checkpointRange([{ summary: '' }]),
  wholeSummary({ summary: 'We did some work.', files: [] }),
]

/** How much was replaced; 0 where nothing was committed. */
async function compact(log: TestLog, strategy: Strategy, random: Random): Promise<number> {
  const trigger = random.pick(['command', 'auto', 'overflow'] as const)
  const targetTokens = Math.floor(weightOf(log.context) * random.pick([0.4, 0.6, 0.8]))
  const provider = portOf(random.pick(CHARACTERS), 16_000)
  const run = { threadId: log.threadId, provider, windowTokens: 16_000 }
  try {
    const input = inputFor(log, { run, trigger, targetTokens })
    const proposal = await strategy.propose(input)
    const replaced = standingAfter(proposal.edits, input).goes
    if (proposal.fresh || log.compact(proposal, trigger) !== undefined) return 0
    return replaced.reduce((sum, { tokens }) => sum + tokens, 0)
  } catch (error) {
    if (PrecisError.is(error)) return 0
    throw error
  }
}

/** These rewrite results, of which the talks have short ones, or open a new thread. */
const REPLACES_NOTHING = new Set(['prune', 'trim-tool-results', 'mask', 'fresh-session'])

describe('after a compaction', () => {
  it.each([...DEFAULT_STRATEGIES, ...OWN].map((strategy) => [strategy.id, strategy] as const))(
    'by %s the last request is there word for word, and so are results nobody has seen [ALWAYS-23]',
    async (id, strategy) => {
      let committed = 0
      for (const seed of SEEDS) {
        const random = new Random(seed)
        const { log, requests, unseen } = talkOf(random)
        for (let time = 0; time < 3; time += 1) {
          const size = log.context.tokens
          const { isOpen } = findRequests(log.context.items.toArray(), log.eventAt)
          const replaced = await compact(log, strategy, random)
          // Of less, exactly what was proposed is left, but for a request that is open in a conversation.
          if (replaced > 0 && replaced < GATE_MIN_TOKENS && (!isOpen || size < GATE_MIN_TOKENS))
            break
          if (replaced > 0) committed += 1
          const text = sentText(log)
          for (const request of requests)
            expect(text, `seed ${seed}, time ${time}`).toContain(request)
          const isOwn = OWN.includes(strategy)
          if (unseen !== undefined && !isOwn)
            expect(text, `seed ${seed}, time ${time}`).toContain(unseen)
          if (random.chance(0.3)) break
        }
      }
      if (!REPLACES_NOTHING.has(id)) expect(committed).toBeGreaterThan(0)
    },
  )

  it('the new session has it, too [ALWAYS-23]', async () => {
    const [fresh] = DEFAULT_STRATEGIES.filter(({ id }) => id === 'fresh-session')
    for (const seed of SEEDS) {
      const random = new Random(seed)
      const { log, requests } = talkOf(random)
      const provider = portOf(CHARACTERS[0] as (typeof CHARACTERS)[number], 200_000)
      const run = { threadId: log.threadId, provider }
      const proposal = await fresh?.propose(inputFor(log, { run, trigger: 'command' }))
      for (const request of requests)
        expect(proposal?.fresh?.carried, `seed ${seed}`).toContain(request)
    }
  })
})
