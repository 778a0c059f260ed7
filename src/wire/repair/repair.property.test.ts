// Whatever is done to a history, its repair can be sent, loses no words, and needs no second repair.
import { describe, expect, it } from 'vitest'
import { damage } from '../../../test/generate/damage.ts'
import { Random } from '../../../test/generate/random.ts'
import { generateThread } from '../../../test/generate/thread.ts'
import { seeds } from '../../../test/scale.ts'
import type { ModelRequest } from '../../core/model.ts'
import { type LooseMessage, repair } from '../../core/repair/repair.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { wireMessages } from '../anthropic/write.ts'
import { COMPATIBLE_CHAT, OPENAI_CHAT } from '../openai-chat/profile.ts'
import { writeChat } from '../openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../openai-responses/items.ts'
import { writeResponses } from '../openai-responses/write.ts'
import { type RequestFacts, repairProfile } from './profile.ts'

interface View {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
}
type Write = (view: View, note: (problem: string) => void) => Json

const TOOL = { name: 'read', description: 'reads', inputSchema: { type: 'object' } } as const

const writeAnthropic: Write = ({ system, messages }, note) => ({
  model: 'test',
  max_tokens: 100,
  system: system.map((text) => ({ type: 'text', text })),
  tools: [{ name: TOOL.name, input_schema: TOOL.inputSchema }],
  messages: wireMessages(messages, note),
})

function readRequest({ system, messages }: View): ModelRequest {
  return {
    model: 'test',
    system,
    messages,
    tools: [TOOL],
    toolChoice: 'auto',
    maxOutputTokens: 100,
    cache: false,
  }
}

const chat =
  (backend?: 'mistral' | 'deepseek' | 'qwen'): Write =>
  (view, note) => {
    const profile = backend ? { ...COMPATIBLE_CHAT, backend } : OPENAI_CHAT
    return writeChat(readRequest(view), profile, note).body
  }

interface Target {
  readonly name: string
  readonly profile: Profile
  readonly facts?: RequestFacts
  readonly write: Write
  readonly count: number
}

/** Every profile that has a writer, and how many histories are broken for it. */
const TARGETS: readonly Target[] = [
  { name: 'anthropic', profile: PROFILES.anthropic, write: writeAnthropic, count: 1_000 },
  {
    name: 'anthropic with thinking enabled',
    profile: { ...PROFILES.anthropic, thinkingEnabled: true },
    write: writeAnthropic,
    count: 300,
  },
  {
    name: 'anthropic without tools',
    profile: PROFILES.anthropic,
    facts: { hasTools: false },
    write: (view, note) => ({ ...(writeAnthropic(view, note) as object), tools: [] }),
    count: 300,
  },
  {
    name: 'anthropic-legacy',
    profile: PROFILES['anthropic-legacy'],
    write: writeAnthropic,
    count: 300,
  },
  { name: 'bedrock', profile: PROFILES.bedrock, write: writeAnthropic, count: 300 },
  { name: 'openai-chat', profile: PROFILES['openai-chat'], write: chat(), count: 200 },
  { name: 'mistral', profile: PROFILES.mistral, write: chat('mistral'), count: 200 },
  { name: 'deepseek', profile: PROFILES.deepseek, write: chat('deepseek'), count: 200 },
  { name: 'kimi', profile: PROFILES.kimi, write: chat('deepseek'), count: 100 },
  { name: 'qwen', profile: PROFILES.qwen, write: chat('qwen'), count: 200 },
  {
    name: 'openai-responses',
    profile: PROFILES['openai-responses'],
    write: (view, note) => writeResponses(readRequest(view), OPENAI_RESPONSES, note).body,
    count: 200,
  },
]

describe.each(TARGETS)('a broken history for $name', ({ profile, facts, write, count }) => {
  const all = seeds(count)
  const rules = repairProfile(profile, facts)

  it(`can be sent once it is repaired (${all.length} histories) [NEED-02]`, () => {
    for (const seed of all) {
      const { messages, system, did } = brokenHistory(seed)
      const repaired = repair(messages, system, rules)
      const notes: string[] = []
      const request = write(repaired, (note) => notes.push(note))
      const story = `seed ${seed}: ${did.join(', ')}`
      expect(validate(profile, request), story).toEqual([])
      if (profile.wire === 'anthropic') {
        // The writer of the same family has nothing left to leave out or to add.
        expect(notes, story).toEqual([])
        expect(request, story).toHaveProperty('messages.length', repaired.messages.length)
      }
      expect(lostMarks(messages, repaired.messages, repaired.system), story).toEqual([])
      const again = repair(repaired.messages, repaired.system, rules)
      expect(again.changes, story).toEqual([])
      expect(again.messages, story).toBe(repaired.messages)
      if (repaired.changes.length === 0) expect(repaired.messages, story).toBe(messages)
    }
  })
})

/** Threads cost more to make than to break: each is broken in several ways, for every profile. */
const THREADS = 150
const threads = new Map<number, { messages: readonly Message[]; system: readonly string[] }>()

function thread(seed: number) {
  const known = threads.get(seed)
  if (known) return known
  const { messages, system } = generateThread(seed, 30).log.build()
  const made = { messages: marked(messages), system }
  threads.set(seed, made)
  return made
}

function brokenHistory(seed: number) {
  const { messages, system } = thread(seed % THREADS)
  const random = new Random(seed)
  const { messages: broken, did } = damage(messages, random)
  const prompts = random.chance(0.1) ? [...system, ' ', 'half \ud83d'] : system
  return { messages: broken, system: prompts, did }
}

/** With a mark in everything that is said, so that nothing can get lost unseen. */
function marked(messages: readonly Message[]): Message[] {
  let count = 0
  const mark = () => {
    count += 1
    return `⟦${count}⟧`
  }
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part): MessagePart => {
      if (part.type === 'text') return { ...part, text: `${part.text}${mark()}` }
      if (part.type === 'tool_call') return { ...part, arguments: { mark: mark() } }
      if (part.type !== 'tool_result') return part
      return {
        ...part,
        content: part.content.map((block) =>
          block.type === 'text' ? { ...block, text: `${block.text}${mark()}` } : block,
        ),
      }
    }),
  }))
}

function lostMarks(
  before: readonly LooseMessage[],
  after: readonly Message[],
  system: readonly string[],
): string[] {
  const said = JSON.stringify([after, system])
  const marks = JSON.stringify(before).match(/⟦\d+⟧/g) ?? []
  return marks.filter((mark) => !said.includes(mark))
}
