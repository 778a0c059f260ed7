// Whatever is done to a history, its repair can be sent, loses no words, and needs no second repair.
import { describe, expect, it } from 'vitest'
import { damage } from '../../../test/generate/damage.ts'
import { Random } from '../../../test/generate/random.ts'
import { generateThread } from '../../../test/generate/thread.ts'
import type { Json } from '../../core/json.ts'
import type { Message, MessagePart } from '../../core/message.ts'
import type { ModelRequest } from '../../core/model.ts'
import { type LooseMessage, repair } from '../../core/repair.ts'
import { imageSize } from '../../validate/anthropic/image-size.ts'
import { PROFILES } from '../../validate/profiles.ts'
import { validate } from '../../validate/validate.ts'
import { wireMessages } from '../anthropic/write.ts'
import { COMPATIBLE_CHAT, OPENAI_CHAT } from '../openai-chat/profile.ts'
import { writeChat } from '../openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../openai-responses/profile.ts'
import { writeResponses } from '../openai-responses/write.ts'
import { repairProfile } from './profile.ts'

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

function requestOf({ system, messages }: View): ModelRequest {
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
    return writeChat(requestOf(view), profile, note).body
  }

/** Every profile that has a writer, and how many threads are broken for it. */
const WRITERS: readonly (readonly [keyof typeof PROFILES, Write, number])[] = [
  ['anthropic', writeAnthropic, 1_000],
  ['anthropic-legacy', writeAnthropic, 300],
  ['bedrock', writeAnthropic, 300],
  ['openai-chat', chat(), 200],
  ['mistral', chat('mistral'), 200],
  ['deepseek', chat('deepseek'), 200],
  ['kimi', chat('deepseek'), 100],
  ['qwen', chat('qwen'), 200],
  [
    'openai-responses',
    (view, note) => writeResponses(requestOf(view), OPENAI_RESPONSES, note).body,
    200,
  ],
]

const FIRST_SEED = Number(process.env.PRECIS_SEED ?? 1)

describe.each(WRITERS)('a broken history for %s', (name, write, count) => {
  const profile = repairProfile(PROFILES[name], { sizeOf: imageSize })

  it(`can be sent once it is repaired (${count} histories) [NEED-02]`, () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed += 1) {
      const { messages, system, did } = brokenHistory(seed)
      const repaired = repair(messages, system, profile)
      const notes: string[] = []
      const request = write(repaired, (note) => notes.push(note))
      const story = `seed ${seed}: ${did.join(', ')}`
      expect(validate(PROFILES[name], request), story).toEqual([])
      // The writer of the same family has nothing left to leave out.
      if (PROFILES[name].wire === 'anthropic') expect(notes, story).toEqual([])
      expect(lostMarks(messages, repaired.messages, repaired.system), story).toEqual([])
      const again = repair(repaired.messages, repaired.system, profile)
      expect(again.changes, story).toEqual([])
      expect(again.messages, story).toBe(repaired.messages)
      if (repaired.changes.length === 0) expect(repaired.messages, story).toBe(messages)
    }
  })
})

function brokenHistory(seed: number) {
  const { log } = generateThread(seed, 30)
  const { messages, system } = log.build()
  const random = new Random(seed)
  const { messages: broken, did } = damage(marked(messages), random)
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
