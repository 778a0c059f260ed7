// Golden: messages and requests of random threads and samples, and what repair says of damaged ones.
import { describe, it } from 'vitest'
import type { ModelRequest } from '../../src/core/model.ts'
import { STRICT_PROFILE } from '../../src/core/repair/profile.ts'
import { repair } from '../../src/core/repair/repair.ts'
import { ageImages } from '../../src/core/view/media.ts'
import { PROFILES } from '../../src/validate/validate.ts'
import { wireMessages } from '../../src/wire/anthropic/write.ts'
import { GEMINI, writeGemini } from '../../src/wire/gemini/write.ts'
import { OLLAMA, writeOllama } from '../../src/wire/ollama/write.ts'
import { OPENAI_CHAT } from '../../src/wire/openai-chat/profile.ts'
import { writeChat } from '../../src/wire/openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../../src/wire/openai-responses/items.ts'
import { writeResponses } from '../../src/wire/openai-responses/write.ts'
import { prepareRequest } from '../../src/wire/prepare.ts'
import { repairProfile, type WireProfile } from '../../src/wire/repair/profile.ts'
import { damage } from '../generate/damage.ts'
import { Random } from '../generate/random.ts'
import { generateConversation, generateThread } from '../generate/thread.ts'
import { expectGolden } from './golden.ts'
import { messageLines, openSample, SAMPLES, seeds } from './subjects.ts'

type Note = (problem: string) => void
interface Wire {
  readonly profile: WireProfile
  readonly provider: string
  write(request: ModelRequest, note: Note): unknown
}

const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: {
    profile: PROFILES.anthropic,
    provider: 'anthropic',
    write: ({ messages }, note) => wireMessages(messages, note),
  },
  'openai-chat': {
    profile: PROFILES['openai-chat'],
    provider: OPENAI_CHAT.provider,
    write: (request, note) => writeChat(request, OPENAI_CHAT, note).body,
  },
  'openai-responses': {
    profile: PROFILES['openai-responses'],
    provider: OPENAI_RESPONSES.provider,
    write: (request, note) => writeResponses(request, OPENAI_RESPONSES, note).body,
  },
  gemini: {
    profile: PROFILES.gemini,
    provider: GEMINI.provider,
    write: (request, note) => writeGemini(request, GEMINI, note).body,
  },
  ollama: {
    profile: { ...PROFILES['openai-chat'], strict: true },
    provider: OLLAMA.provider,
    write: (request, note) => writeOllama(request, OLLAMA, note).body,
  },
}

const TOOLS = ['read', 'bash', 'edit'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))

function requestsOf(view: Pick<ModelRequest, 'system' | 'messages'>) {
  const request: ModelRequest = {
    model: 'some-model',
    tools: TOOLS,
    toolChoice: 'auto',
    maxOutputTokens: 1_000,
    cache: true,
    ...view,
  }
  return Object.fromEntries(
    Object.entries(WIRES).map(([name, { profile, provider, write }]) => {
      const prepared = prepareRequest(request, profile, provider)
      const notes: string[] = []
      const body = write(prepared.request, (problem) => notes.push(problem))
      return [name, { problems: prepared.problems, notes, body }]
    }),
  )
}

const { images: _, ...PLAIN } = STRICT_PROFILE
/** The rules of each provider, with and without what a request may say besides. */
const REPAIRS = [
  STRICT_PROFILE,
  { ...PLAIN, hasTools: false },
  repairProfile(PROFILES.anthropic, { toolNames: ['read'], dropsStaleThinking: true }),
  repairProfile(PROFILES['anthropic-legacy'], { provider: 'anthropic', hasTools: false }),
  repairProfile(PROFILES.mistral, { toolNames: ['a very long name', 'read'] }),
  repairProfile(PROFILES['openai-responses'], { provider: 'openai' }),
  repairProfile(PROFILES.gemini),
  { ...STRICT_PROFILE, images: { maxImages: 1, maxSidePx: 50 } },
]

describe('messages', () => {
  it.each(seeds(3))('are written for every provider from random thread %i', async (seed) => {
    const { log } = generateThread(seed + 100, 7)
    const { system, messages, problems } = log.build()
    const lines = messageLines(messages)
    const view = { system, messages }
    const requests = requestsOf(view)
    await expectGolden(`messages-thread-${seed}`, { system, lines, problems, requests })
  })

  it.each(SAMPLES)('are built from the sample %s', async (name) => {
    const { log } = await openSample(name)
    const { system, messages, problems } = log.build()
    const requests = name === 'session' ? undefined : requestsOf({ system, messages })
    await expectGolden(`messages-sample-${name}`, {
      system,
      lines: messageLines(messages),
      problems,
      requests,
    })
  })

  it.each(seeds(10))('are repaired after damage, seeds %i to 50', async (first) => {
    const rows = [0, 10, 20, 30, 40].map((more) => {
      const seed = first + more
      const { system, messages } = generateConversation(seed, 5).log.build()
      const damaged = damage(messages, new Random(seed))
      const profile = REPAIRS[seed % REPAIRS.length]
      const repaired = repair(damaged.messages, system, profile)
      return {
        seed,
        did: damaged.did,
        before: messageLines(damaged.messages),
        changes: repaired.changes.map(({ what, where, why }) => `${what}, ${where}: ${why}`),
        system: repaired.system,
        after: messageLines(repaired.messages),
        names: repaired.names,
      }
    })
    await expectGolden(`messages-repaired-${first}`, rows)
  })

  it('lose their oldest images where there are too many', async () => {
    const rows = seeds(6).map((seed) => {
      const { messages } = generateConversation(seed + 200, 30).log.build()
      const { aged } = ageImages(messages, { maxImages: seed - 1, maxImageBytes: 60 })
      return { seed, aged }
    })
    await expectGolden('messages-images', rows)
  })
})
