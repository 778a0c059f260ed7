// Any history to any provider, over HTTP and through the real SDKs: a strict server takes all of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Composed } from '../../src/compose.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { type CollectedAnswer, collectAnswer, type ToolSchema } from '../../src/core/model.ts'
import type { LooseMessage } from '../../src/core/repair/repair.ts'
import type { Message, MessagePart } from '../../src/core/view/message.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { damage } from '../generate/damage.ts'
import { Random } from '../generate/random.ts'
import { generateThread } from '../generate/thread.ts'
import { result, system, user } from '../say.ts'
import { seeds } from '../scale.ts'
import { composedWith } from './composed.ts'

const MODELS = [
  'anthropic/claude-fable-5-1',
  'anthropic/claude-fable-5',
  'openai/gpt-5',
  'openai-chat/some-model',
  'ollama/some-model',
]
/** Two of these become one where characters are only replaced. */
const TOOLS: readonly ToolSchema[] = ['mcp.files/read', 'mcp/files.read', 'n'.repeat(150)].map(
  (name) => ({ name, description: 'Reads a file.', inputSchema: { type: 'object' } }),
)

let server: DevModel
beforeAll(async () => {
  server = await startDevModel({
    script: ({ turns, tools }) => {
      const call = /call (\d)/.exec(JSON.stringify(turns.at(-1)))?.[1]
      const name = call === undefined ? undefined : tools[Number(call)]?.name
      if (name === undefined) return { text: 'Done.' }
      return { thinking: 'Hm.', text: 'Calling.', calls: [{ name, arguments: { path: 'a' } }] }
    },
  })
})
afterAll(() => server.close())

async function send(
  { models }: Composed,
  name: string,
  view: { readonly system: readonly string[]; readonly messages: readonly Message[] },
  tools: readonly ToolSchema[] = TOOLS,
): Promise<CollectedAnswer> {
  const { provider, model, ref } = await (await models()).resolve(name)
  const { system: prompts, messages } = view
  const frames = provider.stream({
    model,
    system: prompts,
    messages,
    tools,
    toolChoice: 'auto',
    maxOutputTokens: 4_000,
    cache: true,
  })
  return collectAnswer(ref, frames)
}

describe('tools whose names no provider takes', () => {
  it.each(MODELS)(
    'are called under their own by %s, and their calls go on with all others',
    async (first) => {
      const opened = composedWith(server)
      const { threads } = opened
      const id = await threads.create()
      await threads.append(id, [system('Be brief.')])
      const round = async (name: string, tool: number) => {
        await threads.append(id, [user(`call ${tool}`)])
        const { answer, calls } = await send(opened, name, await threads.messages(id))
        expect(calls.map((call) => call.name)).toEqual([TOOLS[tool]?.name])
        await threads.append(id, [
          { type: 'AGENT_MESSAGE', data: answer },
          ...calls.map((call): EventDraft => ({ type: 'TOOL_CALL', data: { ...call, answer: 0 } })),
          ...calls.map((call) => result(call.id, 'the file')),
        ])
        const done = await send(opened, name, await threads.messages(id))
        await threads.append(id, [{ type: 'AGENT_MESSAGE', data: done.answer }])
      }
      await round(first, 2)
      for (const other of MODELS) await round(other, 1)
      await round(first, 0)
      await opened.close()
    },
  )

  it.each(MODELS)('leave a history that %s takes without any tools', async (name) => {
    const opened = composedWith(server)
    const { threads } = opened
    const id = await threads.create()
    await threads.append(id, [
      user('look'),
      { type: 'AGENT_MESSAGE', data: { content: '', calls: ['c 1'] } },
      {
        type: 'TOOL_CALL',
        data: { id: 'c 1', name: 'mcp.files/read', arguments: { path: 'a' }, answer: 0 },
      },
      result('c 1', 'the file'),
      user('and?'),
    ])
    const { answer } = await send(opened, name, await threads.messages(id), [])
    expect(answer.content).toBe('Done.')
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('the file')
    await opened.close()
  })
})

const SEEDS = seeds(40, 10)

describe.each(MODELS)('histories that are already broken, for %s', (name) => {
  it(`are taken, and every repair is said (${SEEDS.length} histories)`, async () => {
    const opened = composedWith(server)
    let repaired = 0
    for (const seed of SEEDS) {
      const { log } = generateThread(seed, 15)
      const { messages, system: prompts } = log.build()
      const { messages: broken, did } = damage(messages, new Random(seed))
      const sent = broken.filter(isNoSystem).map(withoutForgedThinking)
      if (sent.length === 0) continue
      const { repairs } = await send(opened, name, { system: prompts, messages: sent }).catch(
        (error: unknown) => {
          throw new Error(`seed ${seed}: ${did.join(', ')}`, { cause: error })
        },
      )
      if (repairs.length > 0) repaired += 1
    }
    expect(repaired).toBeGreaterThan(SEEDS.length / 2)
    await opened.close()
  }, 60_000)
})

function isNoSystem(message: LooseMessage): message is Message {
  return message.role !== 'system'
}

/** Nobody can sign for the provider: it refuses thinking that only looks like its own. */
function withoutForgedThinking({ role, parts }: Message): Message {
  const isForged = (part: MessagePart) =>
    (part.type === 'thinking' || part.type === 'redacted_thinking') &&
    part.model.startsWith('anthropic/')
  return { role, parts: parts.filter((part) => !isForged(part)) }
}
