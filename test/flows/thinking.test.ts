// Thinking survives where it is valid and nowhere else, against a server that binds it to its prefix.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Composed, compose } from '../../src/compose.ts'
import type { EventDraft } from '../../src/core/event.ts'
import { collectAnswer } from '../../src/core/model.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { result, system, user } from '../say.ts'

const MODEL = 'anthropic/claude-fable-5-1'
const SECRET = 'the thought that nobody else may see'
const READ = { name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object' } }

let server: DevModel
beforeAll(async () => {
  server = await startDevModel({
    script: ({ turns }) => {
      const last = JSON.stringify(turns.at(-1))
      if (last.includes('headings')) return { text: 'Summary: two files were read.' }
      const path = /read (\w+\.txt)/.exec(last)?.[1]
      return path
        ? {
            thinking: SECRET,
            text: `Reading ${path}.`,
            calls: [{ name: 'read_file', arguments: { path } }],
          }
        : { thinking: SECRET, text: 'Read.' }
    },
  })
})
afterAll(() => server.close())

function open(): Composed {
  return compose({
    settings: { models: { default: MODEL }, providers: { anthropic: { baseUrl: server.url } } },
    environment: { ANTHROPIC_API_KEY: 'test' },
  })
}

/** One answer, appended; the ids of its calls. The server refuses the request where thinking is wrong. */
async function ask(
  { threads, models }: Composed,
  id: string,
  dropStale = false,
): Promise<string[]> {
  const { provider, model, ref } = await (await models()).resolve(MODEL)
  const { system: prompts, messages } = await threads.messages(id)
  const frames = provider.stream({
    model,
    system: prompts,
    messages,
    tools: [READ],
    toolChoice: 'auto',
    maxOutputTokens: 4_000,
    thinking: { effort: 'low', budgetTokens: 1_024 },
    dropStaleThinking: dropStale,
    cache: true,
  })
  const { answer, calls } = await collectAnswer(ref, frames)
  await threads.append(id, [
    { type: 'AGENT_MESSAGE', data: answer },
    ...calls.map((call): EventDraft => ({ type: 'TOOL_CALL', data: { ...call, answer: 0 } })),
  ])
  return calls.map((call) => call.id)
}

/** A thread with one finished round; the answers of it thought. */
async function begin(opened: Composed): Promise<string> {
  const id = await opened.threads.create()
  await opened.threads.append(id, [system('Be brief.'), user('read one.txt')])
  const [call = ''] = await ask(opened, id)
  await opened.threads.append(id, [result(call, 'the first line\n'.repeat(50))])
  await ask(opened, id)
  return id
}

async function thoughts({ threads }: Composed, id: string): Promise<number> {
  const { messages } = await threads.messages(id)
  return messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'thinking').length
}

describe('thinking', () => {
  it('goes back unchanged as long as nothing before it changed, and is hidden by a rewrite', async () => {
    const opened = open()
    const id = await begin(opened)
    await opened.threads.append(id, [user('read two.txt')])
    const [call = ''] = await ask(opened, id)
    expect(await thoughts(opened, id)).toBe(3)
    await opened.threads.append(id, [result(call, 'the second line\n'.repeat(50))])
    await ask(opened, id)
    expect((await opened.threads.compact(id, 'trim-tool-results')).committed).toBe(true)
    expect(await thoughts(opened, id)).toBe(0)
    await opened.threads.append(id, [user('anything else?')])
    await ask(opened, id)
    await opened.close()
  })

  it('stays in a round that is still open, and the provider is asked to drop what is stale', async () => {
    const opened = open()
    const id = await begin(opened)
    await opened.threads.append(id, [user('read two.txt')])
    const [call = ''] = await ask(opened, id)
    await opened.threads.compact(id, 'trim-tool-results')
    expect(await thoughts(opened, id)).toBe(1)
    await opened.threads.append(id, [result(call, 'x')])
    // The open round stands behind a changed prefix: refused as it is, accepted with the hint.
    await expect(ask(opened, id)).rejects.toMatchObject({ code: 'invalid-request' })
    await ask(opened, id, true)
    const { body, headers } = server.requests.at(-1) ?? {}
    expect(JSON.stringify(body)).toContain('"prefix_mismatch_behavior":"drop_block"')
    expect(JSON.stringify(headers)).toContain('thinking-binding-controls')
    await opened.close()
  })

  it('is never put into words for a summary', async () => {
    const opened = open()
    const id = await begin(opened)
    const before = server.requests.length
    const outcome = await opened.threads.compact(id, 'summarize', {
      provider: opened.model,
      minTokens: 1e9,
    })
    expect(outcome.committed).toBe(true)
    const asked = JSON.stringify(server.requests.slice(before).map(({ body }) => body))
    expect(asked).toContain('headings')
    expect(asked).not.toContain(SECRET)
    await opened.close()
  })
})
