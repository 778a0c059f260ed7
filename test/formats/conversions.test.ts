// From one agent's format to another's, and back, and through five: calls, results, failures, thinking, directory.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { corpusFiles, FORMAT_OF } from '../corpus/files.ts'
import { requirement } from '../require.ts'
import { AGENTS, type Comparison, censusOf, compared, convertedBy } from './census.ts'
import { formatOf, lines, type Opened, openText, writing } from './session.ts'

const { available, notice } = requirement('corpus')

const SAMPLES = ['claude-code.jsonl', 'codex.jsonl', 'opencode.json', 'pi.jsonl']

const item = (payload: object) => ({
  timestamp: '2026-03-01T09:00:00Z',
  type: 'response_item',
  payload,
})
const says = (role: string, text: string) =>
  item({
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  })
const output = (call_id: string, text: string) =>
  item({ type: 'function_call_output', call_id, output: text })
const SEARCH = { type: 'search', query: 'kettle overshoot', queries: ['kettle overshoot'] }
const TOOLS = [{ type: 'function', name: 'boil', description: 'Boils water.' }]

/** Every kind of call that Codex records. */
const EVERY_CALL = lines(
  { type: 'session_meta', payload: { id: 'x', cwd: '/srv/kettle', model_provider: 'openai' } },
  { type: 'turn_context', payload: { cwd: '/srv/kettle', model: 'gpt-x' } },
  says('user', 'Mend the kettle.'),
  item({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Look at the code.' }],
    encrypted_content: 'c2VhbGVk',
  }),
  item({
    type: 'local_shell_call',
    call_id: 'a',
    status: 'completed',
    action: { type: 'exec', command: ['ls', '-a'] },
  }),
  output('a', '{"output":"nothing","metadata":{"exit_code":2}}'),
  item({ type: 'web_search_call', id: 'ws_1', status: 'completed', action: SEARCH }),
  item({ type: 'web_search_call', status: 'completed' }),
  says('assistant', 'It boils over.'),
  item({
    type: 'tool_search_call',
    call_id: 'b',
    status: 'completed',
    execution: 'client',
    arguments: { query: 'boil' },
  }),
  item({
    type: 'tool_search_output',
    call_id: 'b',
    status: 'completed',
    execution: 'client',
    tools: TOOLS,
  }),
  item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"make"}', call_id: 'c' }),
  item({
    type: 'custom_tool_call',
    name: 'apply_patch',
    input: '*** Begin Patch',
    call_id: 'd',
    status: 'completed',
  }),
  output('c', 'Process exited with code 1\nno rule'),
  item({ type: 'custom_tool_call_output', call_id: 'd', output: 'Success.' }),
  item({
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    revised_prompt: 'a kettle',
    result: 'iVBORw0KGgo=',
  }),
  says('assistant', 'Done.'),
)

function routesFrom(own: string): string[][] {
  const others = AGENTS.filter((agent) => agent !== own)
  const [first = own] = others
  return [
    ...others.map((agent) => [agent, own]),
    [...others, first, own],
    [...others.toReversed(), first, own],
  ]
}

/** What a route changed, by name; empty where all is as it was. */
function changed(comparison: Partial<Comparison>): string[] {
  return Object.entries(comparison).flatMap(([name, { before, after, altered }]) =>
    before === after && altered === 0 ? [] : [`${name}: ${before} → ${after}, ${altered} altered`],
  )
}

async function expectAllKept(opened: Opened): Promise<void> {
  const before = await censusOf(opened)
  for (const route of routesFrom(opened.format.id)) {
    const there = await convertedBy(opened, route)
    const comparison = compared(before, await censusOf(there.opened))
    // Thinking that nothing followed has no place in Claude Code, and is listed.
    const { thinking, ...others } = comparison
    const isListed = there.problems.some((problem) => problem.startsWith('thinking without'))
    const after = changed(isListed ? others : comparison)
    if (isListed) expect(thinking.after).toBeGreaterThanOrEqual(thinking.before - 1)
    expect(`${route.join(' → ')}: ${after.join('; ')}`).toBe(`${route.join(' → ')}: `)
  }
}

describe('conversions between agents', () => {
  it.each(SAMPLES)(
    '%s goes to each other agent, through five, and back [NEED-20]',
    async (name) => {
      const file = new URL(`../../samples/sessions/${name}`, import.meta.url)
      await expectAllKept(await openText(readFileSync(file, 'utf8')))
    },
  )

  it('every kind of call of Codex comes back as it was, and as the same item', async () => {
    const opened = await openText(EVERY_CALL)
    const { calls, results, failures, thinking } = await censusOf(opened)
    expect(calls.map((call) => call.split(' ')[1])).toEqual([
      'local_shell',
      'web_search',
      'web_search',
      'tool_search',
      'exec_command',
      'apply_patch',
      'image_generation',
    ])
    expect(results).toHaveLength(calls.length)
    expect(failures).toEqual(['a failed', 'c failed'])
    expect(thinking).toEqual(['Look at the code.'])
    await expectAllKept(opened)
    const kinds = async (hops: string[]) => {
      const { threads, threadId } = (await convertedBy(opened, hops)).opened
      const kept = JSON.stringify(await threads.getAllEvents(threadId))
      return [...kept.matchAll(/\\"type\\":\\"(\w+_(?:call|output))\\"/g)].map(([, kind]) => kind)
    }
    const once = await kinds(['codex'])
    expect(once).toContain('local_shell_call')
    for (const agent of AGENTS) expect(await kinds([agent, 'codex'])).toEqual(once)
  })

  it.each([
    [{ status: 'failed' }, 'failed'],
    [{ status: 'generating', result: '' }, 'generating'],
    [{ result: null }, 'unknown'],
  ])('an image that Codex did not get is no image elsewhere: %o', async (facts, status) => {
    const call = item({ type: 'image_generation_call', id: 'ig_1', ...facts })
    const opened = await openText(lines(says('user', 'Draw.'), call, says('assistant', 'No.')))
    for (const agent of AGENTS) {
      const text = JSON.stringify((await convertedBy(opened, [agent])).opened.view)
      expect(text).toContain(`[no image; the status of this call is ${status}]`)
      expect(text).not.toContain('"type":"image"')
    }
    await expectAllKept(opened)
  })

  it('thinking stays with its answer in Claude Code, and is listed where it has none', async () => {
    const thinks = (thinking: string) => ({ type: 'thinking', thinking, model: 'x/y' }) as const
    const said = (text: string) => ({ type: 'text', text }) as const
    const user = (text: string) => ({ role: 'user', parts: [said(text)] }) as const
    const view = {
      system: [],
      messages: [
        user('one'),
        { role: 'assistant', parts: [thinks('first'), said('A1'), thinks('at the end')] },
        user('two'),
        { role: 'assistant', parts: [said('A2')] },
        user('three'),
        { role: 'assistant', parts: [thinks('alone')] },
        user('four'),
        { role: 'assistant', parts: [said('A4')] },
      ],
    } as const
    const written = formatOf('claude-code').write?.({ view }, writing())
    const again = (await openText(written?.text ?? '')).view.messages
    const thoughts = again.flatMap(({ role, parts }) =>
      role === 'user'
        ? []
        : [parts.flatMap((part) => (part.type === 'thinking' ? part.thinking : []))],
    )
    expect(thoughts).toEqual([['first', 'at the end'], [], []])
    expect(written?.problems).toContain('thinking without anything else in its answer was left out')
  })

  it('what OpenAI thought aloud is thinking to others; what it sealed is left out and listed', async () => {
    const opened = await openText(EVERY_CALL)
    const to = async (agent: string) => convertedBy(opened, [agent])
    const pi = await to('pi')
    expect(JSON.stringify(pi.opened.view)).toContain('"thinking":"Look at the code."')
    const sealed = await openText(EVERY_CALL.replace('Look at the code.', ''))
    expect((await convertedBy(sealed, ['pi'])).problems.join()).toContain('only openai understands')
  })

  it.each(['ai-sdk', 'openai-chat', 'openai-responses', 'anthropic'])(
    '%s keeps failures, and says that the directory has no place in it',
    async (to) => {
      const opened = await openText(EVERY_CALL)
      const { opened: again, problems } = await convertedBy(opened, [to])
      expect((await censusOf(again)).failures).toEqual(['a failed', 'c failed'])
      expect(problems).toContain('the working directory has no place in this format')
      const back = await convertedBy(again, [to])
      expect(back.problems).not.toContain('the working directory has no place in this format')
    },
  )
})

const WRITTEN = Object.keys(FORMAT_OF).filter((folder) =>
  AGENTS.some((agent) => agent === FORMAT_OF[folder]),
)

describe.skipIf(!available)(`conversions of recorded sessions ${notice}`, () => {
  for (const { folder, name, read } of corpusFiles(WRITTEN))
    it(`${folder}/${name} [NEED-20]`, async () => expectAllKept(await openText(read())), 120_000)
})
