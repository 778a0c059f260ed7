// The chat as plain lines: nothing is redrawn, everything is said once, questions are answered by numbers.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runPlain } from '../../src/tui/plain.ts'
import { PRECIS, runPrecis } from '../cli/run.ts'
import { type AppSetupOptions, setUpApp } from '../server/setup.ts'
import { until } from '../wait.ts'

interface Said {
  readonly text: string
  readonly threadId: string
}

async function plainChat(
  typed: readonly string[],
  { preset = 'chat', ...options }: AppSetupOptions & { preset?: string } = {},
): Promise<Said & { readonly chat: Awaited<ReturnType<typeof setUpApp>> }> {
  const chat = await setUpApp(options)
  const { threadId } = await chat.client.createThread({ preset })
  let text = ''
  const left = await runPlain({
    client: chat.client,
    threadId,
    isPatient: true,
    lines: (async function* () {
      yield* typed
    })(),
    write: (more) => {
      text += more
    },
    hasFile: async () => false,
    saveFile: async (name) => name,
  })
  return { text, threadId: left, chat }
}

describe('plain', () => {
  it('says each thing once, and no escape sequence', async () => {
    const { text } = await plainChat(['hello', '/context', '/exit'])
    expect(text).toContain('You: hello\nAgent: You said “hello”. I have noted it.\n')
    expect(text).toContain('tokens')
    expect(text).not.toContain('\u001b')
    expect(text.match(/You: hello/g)).toHaveLength(1)
  })

  it('tells the whole story of a fresh session [RANGE-67]', async () => {
    const script = [{ text: 'Hi.' }, { text: 'In short.' }, { text: 'Going on.' }]
    const { text, threadId, chat } = await plainChat(['hello', '/compact', 'and now?'], {
      dev: { script },
    })
    const order = [
      'Compacting context',
      'Context compacted. Summary:\nIn short.',
      'New session started with compacted context',
      'You: and now?',
      'Agent: Going on.',
    ]
    const places = order.map((words) => text.indexOf(words))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect((await chat.client.thread(threadId)).reason).toBe('fresh-session')
  })

  it('says a compaction once, with the sizes of the window, before what follows', async () => {
    const { text, threadId, chat } = await plainChat(
      ['hello', 'and more', '/strategy summarize', '/compact', 'and now?'],
      { preset: 'precis' },
    )
    const [point] = (await chat.client.timeline(threadId)).filter(({ compaction }) => compaction)
    const said = [...text.matchAll(/Compacted by summarize: ([\d,]+) → ([\d,]+) tokens/g)]
    const sizes = said.map((words) =>
      words.slice(1, 3).map((size) => Number(size.replace(',', ''))),
    )
    expect(sizes).toEqual([[point?.compaction?.before, point?.compaction?.after]])
    expect(text.indexOf('Compacted by')).toBeLessThan(text.indexOf('You: and now?'))
  })

  it('asks whether a tool may run, by a number', async () => {
    const script = [
      { calls: [{ name: 'run', arguments: { command: 'echo one' } }] },
      { text: 'The end.' },
    ]
    const { text } = await plainChat(['go', '1'], { dev: { script } })
    expect(text).toMatch(/run: echo one\n.*\n {2}1\. Allow/)
    expect(text).toContain('Tool run echo one: completed')
    expect(text).toContain('Agent: The end.')
  })

  it.each(['y', 'Yes', 'allow'])('takes %s for a yes', async (word) => {
    const script = [
      { calls: [{ name: 'run', arguments: { command: 'echo one' } }] },
      { text: 'The end.' },
    ]
    const { text } = await plainChat(['go', word], { dev: { script } })
    expect(text).toContain('Tool run echo one: completed')
  })

  it('hears somebody who types while it compacts [NEED-12]', async () => {
    const chat = await setUpApp({
      dev: { script: [{ text: 'Hi.' }, { fault: { kind: 'stall', ms: 60_000 } }] },
    })
    const { threadId } = await chat.client.createThread({ preset: 'chat' })
    let text = ''
    const said = (words: string) => until(`the words ${words}`, () => text.includes(words))
    await runPlain({
      client: chat.client,
      threadId,
      isPatient: false,
      lines: (async function* () {
        yield 'hello'
        await said('Agent: Hi.')
        yield '/compact'
        await said('Compacting context')
        yield '/abort'
        await said('Compact failed')
        yield '/exit'
      })(),
      write: (more) => {
        text += more
      },
      hasFile: async () => false,
      saveFile: async (name) => name,
    })
    expect((await chat.client.threads()).items).toHaveLength(1)
  })

  it('offers a model at the first run', async () => {
    const { text } = await plainChat(['1', 'hello'], { values: { models: {} } })
    expect(text).toContain('1. dev – a stand-in')
    expect(text).toContain('The model is dev, a stand-in')
    expect(text).toContain('You said “hello”')
  })

  it('is what a process does whose input is a pipe', () => {
    const home = mkdtempSync(join(tmpdir(), 'precis-plain-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [PRECIS, 'chat', '--model', 'dev', '--cwd', home],
      {
        encoding: 'utf8',
        input: 'hello\n/compact\nread nothing.txt\n',
        env: { ...process.env, PRECIS_HOME: home, XDG_CONFIG_HOME: home },
      },
    )
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('New session started with compacted context')
    expect(stdout).toMatch(/Tool read nothing\.txt: failed/)
    expect(stdout).toMatch(/Go on with: .* chat thr_\w+\n$/)
  })

  it('says in one sentence that there is no such thread', async () => {
    const home = mkdtempSync(join(tmpdir(), 'precis-plain-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const environment = { ...process.env, PRECIS_HOME: home, XDG_CONFIG_HOME: home }
    const { status, stderr } = await runPrecis(['chat', 'thr_none'], { cwd: home, environment })
    expect(status).toBe(1)
    expect(stderr).toContain('thr_none')
  })

  it('ends with its input, when the work is done', async () => {
    const { text } = await plainChat(['hello'])
    expect(text).toContain('Agent: You said “hello”')
  })
})
