// Thinking survives where it is valid and nowhere else, against a server that binds it to its prefix.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Composed, compose } from '../../src/compose.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { collectAnswer, type ModelRequest } from '../../src/core/model.ts'
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
  hints: Pick<ModelRequest, 'dropStaleThinking'> = {},
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
    cache: true,
    ...hints,
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

/** The same with a second round whose call waits for its result; the id of that call. */
async function beginTwice(opened: Composed): Promise<{ id: string; call: string }> {
  const id = await begin(opened)
  await opened.threads.append(id, [user('read two.txt')])
  const [call = ''] = await ask(opened, id)
  return { id, call }
}

async function thoughts({ threads }: Composed, id: string): Promise<number> {
  const { messages } = await threads.messages(id)
  return messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'thinking').length
}

function lastRequest() {
  const { body, headers } = server.requests.at(-1) ?? {}
  return { body: JSON.stringify(body), betas: headers?.['anthropic-beta'] ?? '' }
}

const DROP = '"prefix_mismatch_behavior":"drop_block"'

describe('thinking', () => {
  it('goes back unchanged as long as nothing before it changed, and is hidden by a rewrite', async () => {
    const opened = open()
    const { id, call } = await beginTwice(opened)
    expect(await thoughts(opened, id)).toBe(3)
    await opened.threads.append(id, [result(call, 'the second line\n'.repeat(50))])
    await ask(opened, id)
    expect(lastRequest().body).not.toContain(DROP)
    expect((await opened.threads.compact(id, 'trim-tool-results')).committed).toBe(true)
    expect(await thoughts(opened, id)).toBe(0)
    await opened.threads.append(id, [user('anything else?')])
    await ask(opened, id)
    expect(lastRequest().body).not.toContain(DROP)
    await opened.close()
  })

  const STATES: readonly (readonly [string, (opened: Composed, id: string) => Promise<unknown>])[] =
    [
      ['compacted', ({ threads }, id) => threads.compact(id, 'trim-tool-results')],
      [
        'compacted and restored',
        async ({ threads }, id) => {
          await threads.compact(id, 'trim-tool-results')
          await threads.undo(id)
        },
      ],
      [
        'compacted, restored and compacted again',
        async ({ threads }, id) => {
          await threads.compact(id, 'trim-tool-results')
          await threads.undo(id)
          await threads.redo(id)
        },
      ],
      [
        'given another system prompt',
        ({ threads }, id) => threads.append(id, [system('Be long.')]),
      ],
    ]
  describe.each(STATES)('of an open round, in a thread that is %s', (_, change) => {
    it.each(['before', 'after'])(
      'is no reason to refuse it, %s the result came [VALID-A22]',
      async (when) => {
        const opened = open()
        const { id, call } = await beginTwice(opened)
        if (when === 'before') await change(opened, id)
        await opened.threads.append(id, [result(call, 'x')])
        if (when === 'after') await change(opened, id)
        expect(await thoughts(opened, id)).toBeGreaterThanOrEqual(1)
        await ask(opened, await opened.threads.fork(id))
        await ask(opened, id)
        await opened.threads.append(id, [user('read three.txt')])
        await ask(opened, id)
        await opened.close()
      },
    )
  })

  it('is safe: stripped by a rewrite but for the open round, dropped where asked, told to nobody [NEED-03]', async () => {
    const opened = open()
    const { id, call } = await beginTwice(opened)
    expect((await opened.threads.messages(id)).staleThinking).toBe(false)
    await opened.threads.compact(id, 'trim-tool-results')
    const { messages, staleThinking } = await opened.threads.messages(id)
    const thinking = messages.map(({ parts }) => parts.some(({ type }) => type === 'thinking'))
    expect(thinking.lastIndexOf(true)).toBe(thinking.indexOf(true))
    expect(messages[thinking.indexOf(true)]?.parts).toContainEqual(
      expect.objectContaining({ type: 'tool_call', id: call }),
    )
    expect(staleThinking).toBe(true)

    await opened.threads.append(id, [result(call, 'x')])
    await ask(opened, id, { dropStaleThinking: true })
    expect(lastRequest().body).toContain(DROP)
    expect(lastRequest().betas).toContain('thinking-binding-controls-2026-08-01')

    const before = server.requests.length
    const outcome = await opened.threads.compact(id, 'summarize', {
      provider: opened.model,
      minTokens: 1e9,
    })
    expect(outcome.committed).toBe(true)
    expect(await thoughts(opened, id)).toBe(0)
    const asked = JSON.stringify(server.requests.slice(before).map(({ body }) => body))
    expect(asked).toContain('headings')
    expect(asked).not.toContain(SECRET)
    await opened.close()
  })

  it('behind a changed past stops the request where the caller wants nothing dropped [VALID-A22]', async () => {
    const opened = open()
    const { id, call } = await beginTwice(opened)
    await opened.threads.compact(id, 'trim-tool-results')
    await opened.threads.append(id, [result(call, 'x')])
    const before = server.requests.length
    await expect(ask(opened, id, { dropStaleThinking: false })).rejects.toMatchObject({
      code: 'invalid-request',
      details: { rule: 'VALID-A22' },
    })
    expect(server.requests).toHaveLength(before)
    await ask(opened, id)
    expect(lastRequest().body).toContain(DROP)
    await opened.close()
  })
})
