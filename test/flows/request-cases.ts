// Random threads, cut and compacted in every way, written for every provider, and checked by its rules.

import type { Json } from '../../src/core/json.ts'
import type { ModelRequest } from '../../src/core/model.ts'
import type { ModelPort } from '../../src/core/ports.ts'
import { runsOf } from '../../src/core/run.ts'
import { seamsOf } from '../../src/core/seam.ts'
import type { Strategy } from '../../src/core/strategy.ts'
import { wireOf } from '../../src/providers/anthropic/body.ts'
import { aiSummarize } from '../../src/strategies/ai-summarize.ts'
import { summarize } from '../../src/strategies/summarize.ts'
import { trimToolResults } from '../../src/strategies/trim-tool-results.ts'
import { PROFILES } from '../../src/validate/profiles.ts'
import type { Profile } from '../../src/validate/rule.ts'
import { validate } from '../../src/validate/validate.ts'
import {
  type ChatProfile,
  COMPATIBLE_CHAT,
  OPENAI_CHAT,
} from '../../src/wire/openai-chat/profile.ts'
import { writeChat } from '../../src/wire/openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../../src/wire/openai-responses/profile.ts'
import { writeResponses } from '../../src/wire/openai-responses/write.ts'
import type { TestLog } from '../generate/test-log.ts'
import { generateThread } from '../generate/thread.ts'

interface Target {
  readonly name: string
  readonly profile: Profile
  write(request: ModelRequest): Json
}

const ignore = () => undefined
const anthropic = (name: string, profile: Profile): Target => ({
  name,
  profile,
  write: (request) => wireOf(request, { provider: 'anthropic', thinkingStyle: 'adaptive' }).body,
})
const chat = (name: string, profile: Profile, writer: ChatProfile): Target => ({
  name,
  profile,
  write: (request) => writeChat(request, writer, ignore).body,
})

const TARGETS: readonly Target[] = [
  anthropic('anthropic', PROFILES.anthropic),
  anthropic('anthropic-legacy', PROFILES['anthropic-legacy']),
  chat('openai-chat', PROFILES['openai-chat'], OPENAI_CHAT),
  chat('mistral', PROFILES.mistral, { ...COMPATIBLE_CHAT, backend: 'mistral' }),
  chat('deepseek', PROFILES.deepseek, { ...COMPATIBLE_CHAT, backend: 'deepseek' }),
  chat('kimi', PROFILES.kimi, { ...COMPATIBLE_CHAT, backend: 'deepseek' }),
  chat('qwen', PROFILES.qwen, { ...COMPATIBLE_CHAT, backend: 'qwen' }),
  {
    name: 'openai-responses',
    profile: PROFILES['openai-responses'],
    write: (request) => writeResponses(request, OPENAI_RESPONSES, ignore).body,
  },
]

const TOOLS = ['read', 'bash', 'edit'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))
const STEPS = 20

/** Checks one random thread everywhere and returns how many requests that were. Throws on a violation. */
export async function checkThread(seed: number): Promise<number> {
  let cases = 0
  const check = (log: TestLog, targets: readonly Target[], where: string) => {
    for (const target of targets) cases += checkRequest(log, target, `seed ${seed}, ${where}`)
  }
  let step = 0
  const { log } = generateThread(seed, STEPS, (generated, did) => {
    step += 1
    check(generated.log, [TARGETS[step % TARGETS.length] as Target], `step ${step} (${did})`)
  })
  atEverySeam(log, (place) => check(log, TARGETS, `cut at ${place}`))
  for (const strategy of inOrder(seed)) {
    await compactBy(strategy, log)
    check(log, TARGETS, `after ${strategy.id}`)
  }
  return cases
}

/** A request is made only when every call has its result, and only where something was said. */
function checkRequest(log: TestLog, target: Target, where: string): 0 | 1 {
  const { system, messages } = log.build()
  if (log.context.open.size > 0 || messages.length === 0) return 0
  const request: ModelRequest = {
    model: 'some-model',
    system,
    messages: endingWithUser(messages),
    tools: TOOLS,
    toolChoice: 'auto',
    maxOutputTokens: 1_000,
    cache: true,
  }
  const violations = validate(target.profile, target.write(request))
  if (violations.length === 0) return 1
  throw new Error(`${where}, ${target.name}: ${JSON.stringify(violations.slice(0, 3))}`)
}

/** A turn is asked for: without something new from the user there is no request. */
function endingWithUser(messages: ModelRequest['messages']): ModelRequest['messages'] {
  return messages.at(-1)?.role === 'user'
    ? messages
    : [...messages, { role: 'user', parts: [{ type: 'text', text: 'go on' }] }]
}

/** A recorded conversation, cut at up to `most` seams, for every provider; how many requests that were. */
export function checkCuts(log: TestLog, name: string, most: number): number {
  let cases = 0
  atEverySeam(
    log,
    (place) => {
      for (const target of TARGETS) cases += checkRequest(log, target, `${name}, cut at ${place}`)
    },
    most,
  )
  return cases
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
  ask: async () => ({ text: 'Summary: they worked on the parser.', stopReason: 'end' }),
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

/** The strategies there are, in an order that the seed decides. */
function inOrder(seed: number): Strategy[] {
  const all = [trimToolResults, aiSummarize, summarize, trimToolResults]
  return [...all.slice(seed % all.length), ...all.slice(0, seed % all.length)]
}
