// The small assistant: the same request, the same answer, and nothing but what the request holds.
import { describe, expect, it } from 'vitest'
import type { Asked, AskedPart, AskedTurn, OfferedTool } from '../asked.ts'
import { assist } from './assistant.ts'
import { WRITTEN_BY } from './summary.ts'

const object = (...fields: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  required: fields,
})
const READ: OfferedTool = { name: 'read_file', schema: object('path') }
const EDIT: OfferedTool = {
  name: 'str_replace',
  schema: object('file_path', 'old_string', 'new_string'),
}
const RUN: OfferedTool = { name: 'bash', schema: object('command') }
const TOOLS = [READ, EDIT, RUN]

function asked(turns: readonly AskedTurn[], changes: Partial<Asked> = {}): Asked {
  return {
    wire: 'anthropic',
    model: 'dev',
    system: '',
    turns,
    tools: TOOLS,
    toolChoice: 'auto',
    parallelCalls: true,
    thinking: false,
    stream: false,
    stopSequences: [],
    ...changes,
  }
}

const user = (text: string): AskedTurn => ({ role: 'user', parts: [{ type: 'text', text }] })
const agent = (...parts: readonly AskedPart[]): AskedTurn => ({ role: 'assistant', parts })
const says = (text: string): AskedPart => ({ type: 'text', text })
const call = (id: string, name: string, value: Record<string, string>): AskedPart => ({
  type: 'call',
  id,
  name,
  arguments: value,
})
const result = (id: string, text: string, failed = false): AskedTurn => ({
  role: 'user',
  parts: [{ type: 'result', id, text, failed }],
})

describe('instructions', () => {
  it.each([
    ['read src/a.ts', { name: 'read_file', arguments: { path: 'src/a.ts' } }],
    [
      'edit src/a.ts: one two -> three',
      {
        name: 'str_replace',
        arguments: { file_path: 'src/a.ts', old_string: 'one two', new_string: 'three' },
      },
    ],
    ['run npm test -- --bail', { name: 'bash', arguments: { command: 'npm test -- --bail' } }],
  ])('«%s» becomes a call', (text, expected) => {
    expect(assist(asked([user(text)])).calls).toEqual([expected])
  })

  it('takes an edit tool whose edits are a list of objects', () => {
    const schema = {
      type: 'object',
      properties: {
        path: { type: 'string' },
        edits: { type: 'array', items: object('oldText', 'newText') },
      },
      required: ['path', 'edits'],
    }
    const { calls } = assist(asked([user('edit a: b -> c')], { tools: [{ name: 'edit', schema }] }))
    expect(calls?.[0]?.arguments).toEqual({ path: 'a', edits: [{ oldText: 'b', newText: 'c' }] })
  })

  it('reads several files at once, and one after the other where calls may not be parallel', () => {
    const turns = [user('read a.txt\nread b.txt')]
    expect(assist(asked(turns)).calls).toHaveLength(2)
    expect(assist(asked(turns, { parallelCalls: false })).calls).toHaveLength(1)
  })

  it('goes on where it stands, then reports first lines and sizes', () => {
    const turns = [
      user('read a.txt, then run ls'),
      agent(call('1', 'read_file', { path: 'a.txt' })),
      result('1', 'first line\nsecond\n'),
    ]
    const next = assist(asked(turns))
    expect(next.calls).toEqual([{ name: 'bash', arguments: { command: 'ls' } }])
    const done = [...turns, agent(call('2', 'bash', { command: 'ls' })), result('2', 'no ls', true)]
    expect(assist(asked(done))).toEqual({
      text: 'read a.txt: it begins “first line” and has 2 lines, 18 characters.\nrun ls failed: “no ls”.',
    })
  })

  it('says so where it has no tool, and never calls one where it may not', () => {
    const without = assist(asked([user('read a.txt')], { tools: [RUN] }))
    expect(without).toEqual({ text: 'I have no tool to read a.txt.' })
    const forbidden = assist(asked([user('read a.txt')], { toolChoice: 'none' }))
    expect(forbidden.calls).toBeUndefined()
  })

  it('does not take a quoted request, or a list of them, for a new one', () => {
    const answer = assist(asked([user('Requests so far:\n- “read a.txt”\n- run ls')]))
    expect(answer.calls).toBeUndefined()
  })
})

describe('a choice that forces a call', () => {
  it('calls the named tool with what its schema demands', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['b', 'c'] },
        count: { type: 'integer' },
        note: { type: 'string' },
      },
      required: ['kind', 'count'],
    }
    const tools = [READ, { name: 'log', schema }]
    const answer = assist(asked([user('hello')], { tools, toolChoice: { name: 'log' } }))
    expect(answer).toEqual({ calls: [{ name: 'log', arguments: { kind: 'b', count: 1 } }] })
  })

  it('calls any tool, the fitting one where the text says which', () => {
    const answer = assist(asked([user('run ls')], { toolChoice: 'any' }))
    expect(answer.calls).toEqual([{ name: 'bash', arguments: { command: 'ls' } }])
  })
})

describe('a summary', () => {
  it('at the beginning of a session is no request for another one', () => {
    const opening =
      'Compacted into the following summary:\n\n<summary>\n## Requests\n- “a”\n</summary>'
    expect(assist(asked([user(`${opening}\nhello`)])).text).toContain('“hello”')
    expect(assist(asked([user(`${opening}\nread a.ts`)])).calls).toMatchObject([
      { name: 'read_file', arguments: { path: 'a.ts' } },
    ])
  })

  const talk = [
    user('read src/main.ts'),
    agent(says('I will read it.'), call('1', 'read_file', { path: 'src/main.ts' })),
    result('1', 'import x from "./lib/util.js"'),
    agent(says('It imports one thing.')),
    user('run npm test'),
    agent(call('2', 'bash', { command: 'npm test' })),
    result('2', '3 failed', true),
    agent(says('Three tests fail.')),
  ]

  it('tells requests, files, commands, failures and the last state', () => {
    const prompt = user('Write a summary of the conversation.')
    expect(assist(asked([...talk, prompt], { toolChoice: 'none' })).text).toBe(
      [
        WRITTEN_BY,
        '## Requests\n- “read src/main.ts”\n- “run npm test”',
        '## Files\n- src/main.ts\n- ./lib/util.js',
        '## Commands\n- npm test',
        '## Failures\n- “3 failed”',
        '## State\nLast answer: “Three tests fail.”',
      ].join('\n\n'),
    )
  })

  it('uses the headings it is asked for, and shortens long requests', () => {
    const prompt = user('Summarise:\n1. User intent: what for.\n2. Current state: where.')
    const { text = '' } = assist(asked([user('x'.repeat(5_000)), prompt], { tools: [] }))
    expect(text.match(/^## .*$/gm)).toEqual(['## User intent', '## Current state'])
    expect(text).toContain(`“${'x'.repeat(200)}…”`)
  })

  it('takes a transcript in the prompt where there is nothing before it', () => {
    const prompt = user('Make a summary.\n# user:\nfix lib/a.c\n\n# assistant:\nDone.')
    const { text = '' } = assist(asked([prompt], { tools: [] }))
    expect(text).toContain('## Requests\n- “fix lib/a.c”')
    expect(text).toContain('Last answer: “Done.”')
  })

  it('is not what a note of a compaction asks for: what is said behind it counts', () => {
    const note = says('[Context note, not a new request: see the summary.]\n\nread src/main.ts')
    const said = { role: 'user', parts: [note, says('hello')] } as const
    expect(assist(asked([said]))).toEqual({ text: 'You said “hello”. I have noted it.' })
  })

  it('says which requests are answered: they are not carried out again, unless they are made again', () => {
    const status = (short: string) =>
      `[Context note, not a new request: see the summary.]\n\nRequests are answered up to and including [ref:e9] (“${short}”): do not carry them out again.`
    const said = (short: string, ...texts: string[]) =>
      assist(asked([{ role: 'user', parts: [status(short), ...texts].map(says) }]))
    const hello = { text: 'You said “hello”. I have noted it.' }
    expect(said('run b', 'run a', 'run b', 'hello')).toEqual(hello)
    const long = `run ${'b '.repeat(60)}`
    expect(said(`${long.slice(0, 79)}…`, 'run a', long, 'hello')).toEqual(hello)
    const again = said('run b', 'run a', 'run b', 'run b')
    expect(again.calls).toEqual([{ name: 'bash', arguments: { command: 'b' } }])
  })

  it('goes through the tools for it where they are offered: compact, and edl', () => {
    const compact = { name: 'compact', schema: object('summary') }
    const whole = assist(asked([...talk, user('@compact')], { tools: [compact] }))
    expect(whole.calls).toMatchObject([
      { name: 'compact', arguments: { summary: expect.any(String) } },
    ])
    const edl = { name: 'edl', schema: object('script') }
    const chunk = user('Chunk 1 of 1. Update /summary.md.\n# user:\nfix lib/a.c')
    const first = assist(asked([chunk], { tools: [edl] }))
    expect(first.calls?.[0]?.arguments).toMatchObject({
      script: expect.stringMatching(/^file `\/summary\.md`\ninsert_after <<\w+\n/),
    })
    const fenced = user(
      'This is chunk 1 of 1.\n\n<transcript-1f_-x>\n# user:\n\n‹conversation-summary>\n## Notes\n- “The port is 4321.”\n\n# user:\n\nand the host is db1\n\n</transcript-1f_-x>\n\n/summary.md is empty.',
    )
    const { script } = Object(assist(asked([fenced], { tools: [edl] })).calls?.[0]?.arguments)
    expect(script).toContain('## Requests\n- “The port is 4321.”\n- “and the host is db1”\n')
    expect(script).not.toMatch(/none|Notes|- \/summary/)
    const written = [chunk, agent(call('1', 'edl', { script: '' })), result('1', 'ok')]
    expect(assist(asked(written, { tools: [edl] })).calls).toBeUndefined()
  })
})

describe('a second summary', () => {
  const opening = (summary: string) =>
    user(
      `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`,
    )

  it('carries over what the first one says, and says once who wrote it', () => {
    const first = `${WRITTEN_BY}\n\n## Requests\n- “the port is 4321”\n\n## Decisions\n- use tabs`
    const turns = [opening(first), agent(says('Noted.')), user('and the host is db1')]
    const { text = '' } = assist(
      asked([...turns, agent(says('Noted.')), user('Write a summary.')], { toolChoice: 'none' }),
    )
    expect(text).toContain('## Requests\n- “the port is 4321”\n- “and the host is db1”')
    expect(text).toContain('## Decisions\n- use tabs')
    expect(text.split(WRITTEN_BY)).toHaveLength(2)
    expect(text).not.toContain('The conversation history')
  })

  it('does so too where the first one stands beside a transcript', () => {
    const prompt = user(
      '<previous-summary>\n## Goal\nShip v2 to db1.\n</previous-summary>\n\n<conversation>\n[User]: add a flag\n</conversation>\n\nUpdate the summary.\n\n## Goal\n\n## Progress\n',
    )
    const { text = '' } = assist(asked([prompt], { tools: [] }))
    expect(text).toContain('## Goal\nShip v2 to db1.\n- “add a flag”')
  })
})

describe('a compaction that the conversation shows', () => {
  it('is not asked for again, and is reported', () => {
    const tools = [{ name: 'compact', schema: object('summary') }, RUN]
    const turns = [
      user('compact, then run ls'),
      agent(says('I will compact the conversation.'), says('I compacted the thread')),
      user('<system-reminder>The thread was compacted. Continue.</system-reminder>'),
    ]
    const next = assist(asked(turns, { tools }))
    expect(next.calls).toEqual([{ name: 'bash', arguments: { command: 'ls' } }])
    const only = assist(asked([user('compact'), ...turns.slice(1)], { tools }))
    expect(only).toEqual({ text: 'The conversation is compacted.' })
  })
})

describe('questions', () => {
  const opened = (...said: string[]) =>
    asked([{ role: 'user', parts: said.map((text) => says(text)) }])

  it('are answered from what opens the session, quoted or not', () => {
    const summary =
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\n## Requests\n- “The port is 4321, remember it.”\n- “What is the port?”\n\n## State\nLast answer: “From my context: “You said “The port is 4321, remember it.”. I have noted it.””\n</summary>'
    for (const question of [
      'What is the port?',
      'Which port do we use?',
      'Tell me the port number.',
    ])
      expect(assist(opened(summary, question)).text).toBe(
        'From my context: “The port is 4321, remember it.”',
      )
    const folded = '<conversation-summary>\nThe port is 4321.\n</conversation-summary>'
    expect(assist(opened(folded, 'What is the port?')).text).toBe(
      'From my context: “The port is 4321.”',
    )
    const note = '[Context note, not a new request: facts.]\n- the harbour code is 77-B'
    expect(assist(opened(note, 'What is the harbour code?')).text).toContain('77-B')
  })

  it('find a sentence in a long line, and take no other subject for an answer', () => {
    const long = `${'We talked about the weather. '.repeat(20)}The timeout is 90 s. ${'More. '.repeat(50)}`
    const turns = [user(long), agent(says('Noted.'))]
    expect(assist(asked([...turns, user('What is the timeout?')])).text).toBe(
      'From my context: “The timeout is 90 s.”',
    )
    expect(assist(asked([...turns, user('What is the harbour code?')])).text).toBe(
      'I do not see harbour code in my context.',
    )
    expect(assist(asked([...turns, user('Does the harbour open?')])).text).toBe(
      'You said “Does the harbour open?”. I do not see an answer in my context.',
    )
  })

  it('are answered from the context alone', () => {
    const question = user('What is the port of the staging server?')
    const told = [user('The port of the staging server is 8443.'), agent(says('Noted.')), question]
    expect(assist(asked(told)).text).toContain('8443')
    expect(assist(asked([question])).text).toBe(
      'I do not see port of the staging server in my context.',
    )
  })
})

describe('thinking', () => {
  it('is there where it is asked for', () => {
    const { thinking, text } = assist(asked([user('hello')], { thinking: true }))
    expect(thinking).toContain('“hello”')
    expect(text).toBe('You said “hello”. I have noted it.')
  })
})

describe('odd requests', () => {
  it.each<[string, readonly AskedTurn[]]>([
    ['no turns', []],
    ['results alone', [result('1', 'x')]],
    ['300 KB of one letter', [user('a'.repeat(300_000)), user('summary?')]],
    ['300 KB of blanks', [user(' '.repeat(300_000)), user(`read a${' '.repeat(300_000)}`)]],
  ])('%s', (_, turns) => {
    expect(assist(asked(turns))).toBeDefined()
    expect(assist(asked(turns, { toolChoice: 'none' }))).toBeDefined()
  })
})
