// Random threads, cut and compacted in every way, written for every provider, and checked by its rules.
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { ModelRequest, ThinkingWish } from '../../src/core/model.ts'
import type { ModelPort } from '../../src/core/ports.ts'
import type { Json } from '../../src/core/text/json.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import type { Message } from '../../src/core/view/message.ts'
import { seamsOf } from '../../src/core/view/seam.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { validate } from '../../src/validate/validate.ts'
import { Random } from '../generate/random.ts'
import type { TestLog } from '../generate/test-log.ts'
import { generateThread } from '../generate/thread.ts'
import { exchangeOf } from './exchange.ts'
import { randomImages } from './random-images.ts'
import { randomTalk } from './random-talk.ts'
import { asOwn, type RequestTarget, type RequestView, TARGETS } from './request-targets.ts'

const TOOLS = ['read', 'bash', 'edit'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))
const STEPS = 16
const TURNS = 6
const STRATEGY_RUNS = 4

/** Checks one random thread everywhere and returns how many requests that were. Throws on a violation. */
export async function checkThread(seed: number): Promise<number> {
  const random = new Random(seed)
  let cases = 0
  const check = (log: TestLog, targets: readonly RequestTarget[], where: string) => {
    cases += checkRequests(log, targets, random, `seed ${seed}, ${where}`)
  }
  let step = 0
  const { log } = generateThread(seed, STEPS, (generated, did) => {
    step += 1
    check(generated.log, [random.pick(TARGETS)], `step ${step} (${did})`)
  })
  atEverySeam(log, (place) => check(log, TARGETS, `cut at ${place}`))
  if (random.chance(0.2)) log.append([{ type: 'USER_MESSAGE', data: randomImages(random) }])
  for (let run = 0; run < STRATEGY_RUNS; run += 1) {
    const strategy = random.pick(DEFAULT_STRATEGIES)
    await compactBy(strategy, log)
    check(log, TARGETS, `after ${strategy.id}, run ${run}`)
  }
  return random.chance(0.5) ? cases + checkTalk(seed, random) : cases
}

/** A recorded conversation, cut at up to `most` seams, for every provider; how many requests that were. */
export function checkCuts(log: TestLog, name: string, most: number): number {
  const random = new Random(most)
  let cases = 0
  const look = (place: number) => {
    cases += checkRequests(log, TARGETS, random, `${name}, cut at ${place}`)
  }
  atEverySeam(log, look, most)
  return cases
}

/** A request is made only when every call has its result, and only where something was said. */
function checkRequests(
  log: TestLog,
  targets: readonly RequestTarget[],
  random: Random,
  where: string,
): number {
  const built = log.build()
  if (log.context.open.size > 0 || built.messages.length === 0) return 0
  for (const target of targets) {
    const view = target.profile.prefill && random.chance(0.5) ? built : endingWithUser(built)
    const own = random.chance(0.5) ? asOwn(view, target) : view
    const request = target.begin().write({ ...own, ...settingsFrom(random) })
    requireValid(target, request, [], where)
  }
  return targets.length
}

/** Only these have rules that look back. */
const REMEMBERING = TARGETS.filter(({ profile }) =>
  ['anthropic', 'openai-responses'].includes(profile.wire),
)

/** One target for each conversation; the rules know what it was sent and what it answered. */
function checkTalk(seed: number, random: Random): number {
  const target = random.pick(REMEMBERING)
  const conversation = target.begin()
  const settings = settingsFrom(random)
  const earlier: Exchange[] = []
  let request: Json = null
  let cases = 0
  const view = (log: TestLog) => asOwn(log.build(), target)
  randomTalk(seed, TURNS, {
    asking(log, place) {
      request = conversation.write({ ...view(log), ...settings })
      requireValid(target, request, earlier, `seed ${seed}, talk, ${place}`)
      cases += 1
    },
    answered(log) {
      const { system, messages } = view(log)
      const answer = messages.at(-1)
      if (answer?.role !== 'assistant') return
      conversation.hear(answer)
      // As it came, whatever becomes of its thinking when it goes back.
      const asItCame = { system, messages, ...settings, dropStaleThinking: false }
      const withAnswer = target.begin().write(asItCame)
      const exchange = exchangeOf(request, withAnswer)
      if (exchange) earlier.push(exchange)
    },
  })
  return cases
}

function requireValid(
  { name, profile }: RequestTarget,
  request: Json,
  earlier: readonly Exchange[],
  where: string,
): void {
  const violations = validate(profile, request, { earlier })
  if (violations.length > 0)
    throw new Error(`${where}, ${name}: ${JSON.stringify(violations.slice(0, 3))}`)
}

type Settings = Omit<ModelRequest, keyof RequestView>

const WISHES: readonly (ThinkingWish | undefined)[] = [
  undefined,
  {},
  { effort: 'low' },
  { effort: 'high', budgetTokens: 20_000 },
  { budgetTokens: 1 },
]

function settingsFrom(random: Random): Settings {
  const thinking = random.pick(WISHES)
  return {
    model: 'some-model',
    tools: random.chance(0.9) ? TOOLS : [],
    toolChoice: random.chance(0.9) ? 'auto' : 'none',
    maxOutputTokens: random.pick([1_000, 32_000]),
    cache: random.chance(0.8),
    ...(thinking && { thinking }),
  }
}

/** A turn is asked for: without something new from the user there is no request. */
function endingWithUser({ system, messages }: RequestView): RequestView {
  if (messages.at(-1)?.role === 'user') return { system, messages }
  const goOn: Message = { role: 'user', parts: [{ type: 'text', text: 'go on' }] }
  return { system, messages: [...messages, goOn] }
}

/** Everything before a seam becomes a summary, at odd places as the agent's word, else as the user's. */
function atEverySeam(
  log: TestLog,
  look: (place: number) => void,
  most = Number.POSITIVE_INFINITY,
): void {
  const items = log.context.items.toArray()
  const places = seamsOf(items, log.context.open).flatMap((seam, at) =>
    seam && at > 0 ? [at] : [],
  )
  const every = Math.max(1, Math.ceil(places.length / most))
  const chosen = places.filter((_, at) => at % every === 0)
  for (const place of chosen) {
    const covers = runsOf(items.slice(0, place), log.eventAt)
    const summary =
      place % 2 === 0
        ? ({ type: 'USER_MESSAGE', data: 'what was before', label: 'summary' } as const)
        : ({
            type: 'AGENT_MESSAGE',
            data: { content: 'what was before', calls: [] },
            label: 'summary',
          } as const)
    if (log.compact({ edits: [{ covers, put: [summary] }] }) !== undefined) continue
    look(place)
    log.undo()
  }
}

const model: ModelPort = {
  ask: async ({ messages }) => ({ text: summaryFor(messages), stopReason: 'end' }),
  async converse({ messages }) {
    const isWritten = messages.at(-1)?.parts.some(({ type }) => type === 'tool_result')
    if (isWritten) {
      const message = { role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] } as const
      return { message, calls: [], stopReason: 'end' }
    }
    const script = 'file /summary.md\ninsert_after <<END\nThey worked on the parser.\nEND'
    const call = { id: 'edit', name: 'edl', arguments: { script } }
    const message = { role: 'assistant', parts: [{ type: 'tool_call', ...call }] } as const
    return { message, calls: [call], stopReason: 'tool_use' }
  },
}

/** Under the headings that the request asks for. */
function summaryFor(messages: readonly Message[]): string {
  const asked = messages.at(-1)?.parts.at(-1)
  const headings = asked?.type === 'text' ? (asked.text.match(/^#+ .+$/gm) ?? []) : []
  return [...headings, 'Summary:']
    .map((heading) => `${heading}\nThey worked on the parser.`)
    .join('\n\n')
}

async function compactBy(strategy: Strategy, log: TestLog): Promise<void> {
  const { context, eventAt, threadId } = log
  log.compact(
    await strategy.propose({
      context,
      eventAt,
      run: { threadId, provider: model },
      trigger: 'command',
    }),
  )
}
