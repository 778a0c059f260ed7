// A conversation begun on one provider goes on with every other: real SDKs, real HTTP, a strict server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Composed } from '../../src/compose.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { collectAnswer } from '../../src/core/model.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { result, system, user } from '../say.ts'
import { composedWith } from './composed.ts'

const READ = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const MODELS = ['anthropic/claude-fable-5', 'openai/gpt-5', 'openai-chat/gpt-5', 'ollama/qwen3']

let server: DevModel
beforeAll(async () => {
  server = await startDevModel()
})
afterAll(() => server.close())

/** One answer of `model` to the thread as it stands, appended to it. */
async function answer({ threads, models }: Composed, id: string, model: string): Promise<string[]> {
  const resolved = await (await models()).resolve(model)
  const { system: prompts, messages, problems } = await threads.messages(id)
  expect(problems).toEqual([])
  const frames = resolved.provider.stream({
    model: resolved.model,
    system: prompts,
    messages,
    tools: [READ],
    toolChoice: 'auto',
    maxOutputTokens: 4_000,
    thinking: { effort: 'low', budgetTokens: 1_024 },
    cache: true,
  })
  const { answer: given, calls } = await collectAnswer(resolved.ref, frames)
  const drafts: EventDraft[] = [
    { type: 'AGENT_MESSAGE', data: given },
    ...calls.map((call): EventDraft => ({ type: 'TOOL_CALL', data: { ...call, answer: 0 } })),
  ]
  await threads.append(id, drafts)
  return calls.map((call) => call.id)
}

/** A question, a tool round and an answer, all by one model. */
async function round(opened: Composed, id: string, model: string, path: string): Promise<void> {
  await opened.threads.append(id, [user(`read ${path}`)])
  const calls = await answer(opened, id, model)
  expect(calls, `${model} calls the tool`).toHaveLength(1)
  await opened.threads.append(
    id,
    calls.map((call) => result(call, `the text of ${path}`)),
  )
  expect(await answer(opened, id, model)).toEqual([])
}

describe.each(MODELS)('a conversation begun on %s', (first) => {
  it.each(MODELS.filter((model) => model !== first))('goes on with %s', async (second) => {
    const opened = composedWith(server)
    const id = await opened.threads.create()
    await opened.threads.append(id, [system('You are brief.')])
    await round(opened, id, first, 'a.txt')
    await round(opened, id, second, 'b.txt')
    await opened.threads.compact(id, 'trim-tool-results')
    await round(opened, id, first, 'c.txt')
    const events = await opened.threads.getEvents(id)
    const models = events.flatMap((event) =>
      event.type === 'AGENT_MESSAGE' ? [event.data.model] : [],
    )
    expect(models).toEqual([first, first, second, second, first, first])
    await opened.close()
  })
})

it('a round begun elsewhere goes on behind words that Anthropic once said in another talk [VALID-A22]', async () => {
  const reading = { text: 'Reading.', calls: [{ name: 'read_file', arguments: { path: 'a' } }] }
  const talkative = await startDevModel({
    script: ({ turns }) =>
      turns.length < 3 ? { thinking: 'Hm.', ...reading } : { thinking: 'So.', text: 'Done.' },
  })
  const opened = composedWith(talkative)
  for (const first of ['anthropic/claude-fable-5-1', 'openai/gpt-5']) {
    const id = await opened.threads.create()
    await opened.threads.append(id, [system('You are brief.'), user('go')])
    const calls = await answer(opened, id, first)
    await opened.threads.append(
      id,
      calls.map((call) => result(call, 'r')),
    )
    expect(await answer(opened, id, 'anthropic/claude-fable-5-1')).toEqual([])
  }
  await opened.close()
  await talkative.close()
})
