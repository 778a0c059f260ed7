// The MCP server with the official client: every tool, the resources, the prompts, the borders.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { expect, it, onTestFinished } from 'vitest'
import { within } from '../wait.ts'
import { eachPlace, PRECIS, sample } from './place.ts'

const place = eachPlace()
const NAME = 'rollout-2026-03-01T09-00-00-c0de0000-0000-4000-8000-000000000001.jsonl'

/** Codex's sample as a session of the place, and one of another project. */
function putSessions(): void {
  const text = readFileSync(sample('sessions/codex.jsonl'), 'utf8')
  const rule = {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'Never push to main.' }],
  }
  const line = JSON.stringify({
    timestamp: '2026-03-01T10:00:00.000Z',
    type: 'response_item',
    payload: rule,
  })
  put(NAME, `${text.replaceAll('/kettle', place().folder)}${line}\n`)
  put(
    'rollout-2026-03-02T09-00-00-d0de0000-0000-4000-8000-000000000002.jsonl',
    text.replaceAll('kettle', 'samovar'),
  )
}

function put(name: string, text: string): void {
  const path = join(place().folder, '.codex/sessions/2026/03/01', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

function overStreams(...args: string[]): Promise<Client> {
  const env = place().environment() as Record<string, string>
  const command = process.execPath
  return connected(
    new StdioClientTransport({ command, args: [PRECIS, 'mcp', ...args], env, cwd: place().folder }),
  )
}

async function said(client: Client, name: string, given: object = {}): Promise<string> {
  const answer = await client.callTool({ name, arguments: { ...given } })
  const [first] = answer.content as { text: string }[]
  return `${answer.isError ? 'error: ' : ''}${first?.text ?? ''}`
}

it('lists and answers every tool, resource and prompt', async () => {
  putSessions()
  const client = await overStreams()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual([
    ...['compact', 'constraints', 'files', 'pins', 'recall', 'sessions', 'show'],
  ])
  const sessions = await said(client, 'sessions')
  const [threadId = ''] = /thr_\w+/.exec(sessions) ?? []
  expect(sessions.match(/thr_\w+/g)).toHaveLength(1)
  const found = await said(client, 'recall', { query: 'push main' })
  expect(found).toContain('Never push to main.')
  expect(found).toMatch(/^<transcript-data note=/)
  expect(await said(client, 'recall', { query: 'push main', limitt: 3 })).toMatch(
    /^error: .*"limitt"/,
  )
  const [, ref = ''] = /\[(thr_\w+:e\d+)\]/.exec(found) ?? []
  expect(await said(client, 'show', { ref })).toContain('Never push to main.')
  expect(await said(client, 'constraints')).toContain('Never push to main.')
  expect(await said(client, 'files')).toMatch(/\w/)
  await place().json(['pins', threadId, '--add', 'Port 4321.'])
  expect(await said(client, 'pins')).toContain('Port 4321.')
  expect(await said(client, 'compact', { session: threadId })).toMatch(/tokens/)
  expect(await said(client, 'recall', { query: 'samovar' })).toMatch(
    /Nothing was found in the \d+ sessions of the project \/.+\. Try other words, or the scope everything\./,
  )
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toContain(`precis://brief/${threadId}`)
  const { contents } = await client.readResource({ uri: `precis://brief/${threadId}` })
  expect((contents[0] as { text: string }).text).toMatch(
    /^<transcript-data note=[\s\S]*Port 4321\./,
  )
  const listed = await client.readResource({ uri: 'precis://sessions' })
  expect((listed.contents[0] as { text: string }).text).toMatch(/^<transcript-data note=/)
  const prompt = await client.getPrompt({ name: 'hand-over', arguments: {} })
  const [message] = prompt.messages
  expect(message?.content.type === 'text' && message.content.text).toMatch(
    /<transcript-data note=[\s\S]*Never push to main\.[\s\S]*<\/transcript-data>/,
  )
})

it('pins nothing for a model', async () => {
  putSessions()
  const client = await overStreams()
  await said(client, 'sessions')
  const { tools } = await client.listTools()
  const pins = tools.find(({ name }) => name === 'pins')
  expect(Object.keys(pins?.inputSchema.properties ?? {})).toEqual(['session'])
  expect(pins?.annotations?.readOnlyHint).toBe(true)
  expect(await said(client, 'pins', { add: 'Port 4321.' })).not.toContain('4321')
})

it('refuses an argument that a tool does not have, by its name', async () => {
  putSessions()
  const client = await overStreams('--no-sync')
  const { tools } = await client.listTools()
  for (const { name, inputSchema } of tools) {
    expect(inputSchema.additionalProperties, name).toBe(false)
    const needed = { recall: { query: 'x' }, show: { ref: 'e2' } }[name] ?? {}
    expect(await said(client, name, { ...needed, sesion: 'x' }), name).toMatch(/^error: .*sesion/s)
  }
})

it('reads the refs of a hook, and those of no other project where only this one is given out', async () => {
  putSessions()
  const file = join(place().folder, '.codex/sessions/2026/03/01', NAME)
  const input = { hook_event_name: 'SessionStart', transcript_path: file, cwd: place().folder }
  const { stdout } = await place().precis(['hook', 'codex'], { input: JSON.stringify(input) })
  const [, ref = ''] = /Never push to main\. \[([\w-]+:e\d+)\]/.exec(stdout) ?? []
  const client = await overStreams()
  expect(await said(client, 'show', { ref })).toContain('Never push to main.')
  expect(await said(client, 'show', { ref: `[ref:${ref}]` })).toContain('Never push to main.')
  const session = 'c0de0000'
  expect(await said(client, 'recall', { query: 'push main', session })).toContain('Never push')
  expect(await said(client, 'show', { ref: 'd0de:e2' })).toMatch(/^<transcript-data/)
  const narrow = await overStreams('--project-only')
  expect(await said(narrow, 'show', { ref })).toContain('Never push to main.')
  for (const other of [
    'd0de:e2',
    'ffff:e2',
    `${file}:e2`,
    'd0de0000-0000-4000-8000-000000000002:e2',
  ])
    expect(await said(narrow, 'show', { ref: other }), other).toMatch(/^error: .*not found/)
  expect(await said(client, 'show', { ref: `${file}:e2` })).toMatch(/^error: .*not found/)
})

it('imports a session once where several calls come at once', async () => {
  putSessions()
  await place().json(['sync'])
  const path = join(place().folder, '.codex/sessions/2026/03/01', NAME)
  const last = (line: string) => line + line.replace('push', 'merge')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/.*\n$/, last))
  const client = await overStreams()
  const calls = ['sessions', 'constraints', 'files', 'sessions', 'constraints']
  await Promise.all(calls.map((name) => said(client, name)))
  expect((await said(client, 'sessions')).match(/thr_\w+/g)).toHaveLength(1)
  expect(await said(client, 'constraints')).toContain('Never merge to main.')
})

it('finds what is in the project, however much others say of it', async () => {
  putSessions()
  const text = readFileSync(sample('sessions/codex.jsonl'), 'utf8')
  const [head = ''] = text.split('\n')
  const say = (words: string, at: number) =>
    JSON.stringify({
      timestamp: new Date(Date.UTC(2026, 2, 1, 10) + at * 1_000).toISOString(),
      type: 'response_item',
      payload: {
        ...{ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] },
      },
    })
  const lines = (count: number, words: (index: number) => string) =>
    `${[head, ...Array.from({ length: count }, (_, index) => say(words(index), index))].join('\n')}\n`
  const id = (digit: number) => `e0de0000-0000-4000-8000-00000000000${digit}`
  put(
    `rollout-2026-03-03T09-00-00-${id(1)}.jsonl`,
    lines(150, (index) => `walrus number ${index}`),
  )
  put(
    `rollout-2026-03-04T09-00-00-${id(2)}.jsonl`,
    // One of them is among the best of all.
    lines(4, (index) =>
      index === 0 ? 'walrus' : `a walrus, ${'and much else around it, '.repeat(20)} ${index}`,
    ).replaceAll('/kettle', place().folder),
  )
  await place().json(['sync'])
  const client = await overStreams()
  const first = await said(client, 'recall', { query: 'walrus', limit: 3 })
  expect(first.match(/^\[thr_/gm)).toHaveLength(3)
  expect(first).not.toContain('walrus number')
  expect(first).toContain('More: offset 3.')
  const rest = await said(client, 'recall', { query: 'walrus', limit: 3, offset: 3 })
  expect(rest.match(/^\[thr_/gm)).toHaveLength(1)
  expect(rest).not.toContain('More:')
})

it('keeps to the project where it is told so', async () => {
  putSessions()
  const [other] = (
    await place().json<{ threads: { threadId: string; session: string }[] }>(['sync'])
  ).threads.filter(({ session }) => session.includes('d0de'))
  const open = await overStreams()
  expect(await said(open, 'recall', { query: 'samovar', scope: 'everything' })).toMatch(
    /Found in all \d+ sessions:[\s\S]*samovar/,
  )
  expect(await said(open, 'sessions', { scope: 'everything' })).toContain(other?.threadId)
  const closed = await overStreams('--project-only')
  expect(await said(closed, 'recall', { query: 'samovar', scope: 'everything' })).toMatch(/error/i)
  for (const name of ['files', 'constraints', 'pins', 'compact'])
    expect(await said(closed, name, { session: other?.threadId })).toMatch(
      /^error: Thread .* not found/,
    )
  expect(await said(closed, 'show', { ref: `${other?.threadId}:e3` })).toMatch(/^error: /)
})

it('speaks HTTP to whoever has the token', async () => {
  putSessions()
  cpSync(sample('session.jsonl'), join(place().folder, 'session.jsonl'))
  const child = spawn(process.execPath, [PRECIS, 'mcp', '--http'], {
    cwd: place().folder,
    env: place().environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await within('the end of precis mcp', once(child, 'close'))
  })
  const [piece] = await within('the address of precis mcp', once(child.stdout, 'data'))
  const { url, headers } = JSON.parse(String(piece))
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  const client = await connected(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
  )
  expect(await said(client, 'recall', { query: 'push main' })).toContain('Never push to main.')
})
