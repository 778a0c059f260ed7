// What real agents need to go on with a file: numbers, order, place, and nothing that another agent says of itself.
import { describe, expect, it } from 'vitest'
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { detectFormat, readSample, textSource } from '../../src/formats/reading/sample.ts'
import { answer, result, user } from '../say.ts'
import { formatOf, openText, outgoingOf, threadOf, writing } from './session.ts'

type Value = Record<string, unknown>

const lines = (...records: object[]) => records.map((record) => JSON.stringify(record)).join('\n')
const parsed = (text: string): Value[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const at = (type: string, payload: object, ordinal?: number) => ({
  timestamp: '2026-01-01T00:00:00Z',
  ...(ordinal !== undefined && { ordinal }),
  type,
  payload,
})
const says = (role: string, ...texts: string[]) => ({
  type: 'message',
  role,
  content: texts.map((text) => ({ type: 'input_text', text })),
})
const LONG = 'a long text that a compaction can take out. '.repeat(200)

/** Everything becomes one summary. */
const fold: Strategy = {
  id: 'fold',
  propose: async ({ context, eventAt }) => {
    const covers = runsOf(context.items.toArray(), eventAt)
    const put = [{ type: 'USER_MESSAGE', data: 'In short.', label: 'summary' }] as const
    return { edits: [{ covers, put }] }
  },
}

async function compacted(text: string, added: readonly EventDraft[] = []): Promise<string> {
  const opened = await openText(text)
  const { threads, threadId, format } = opened
  threads.register(fold)
  expect((await threads.compact(threadId, fold.id)).committed).toBe(true)
  if (added.length > 0) await threads.append(threadId, added)
  return format.write?.(await outgoingOf(opened), writing()).text ?? ''
}

async function converted(text: string, to: string): Promise<string> {
  return formatOf(to).write?.(await outgoingOf(await openText(text)), writing()).text ?? ''
}

describe('Codex', () => {
  const meta = (more: object = {}) => at('session_meta', { id: 'x', cwd: '/w', ...more }, 0)

  it('numbers what stands behind numbered records, and nothing else', async () => {
    const numbered = lines(
      meta(),
      at('response_item', says('user', LONG), 1),
      at('response_item', says('assistant', 'ok'), 7),
    )
    const after = parsed(await compacted(numbered, [user('go on'), ...answer('yes')]))
    expect(after.map(({ ordinal }) => ordinal)).toEqual([0, 1, 7, 8, 9, 10, 11])
    // Behind what was there: the summary, the last request, and what was said since.
    expect(after.slice(3).map((record) => JSON.stringify(record))).toEqual([
      expect.stringMatching(/"type":"compacted".*In short\./),
      expect.stringContaining('The last request of the user'),
      expect.stringContaining('go on'),
      expect.stringContaining('yes'),
    ])
    const older = numbered.replaceAll(/"ordinal":\d+,/g, '')
    expect(await compacted(older)).not.toContain('ordinal')
  })

  it('leaves out what Codex says of itself, and keeps what others say to the developer', async () => {
    const { view, notes } = await openText(
      lines(
        meta({ base_instructions: { text: 'You are Codex.' } }),
        at(
          'response_item',
          says(
            'developer',
            '<permissions instructions>never</permissions instructions>',
            '<skills_instructions>x</skills_instructions>',
          ),
        ),
        at('response_item', says('user', '# AGENTS.md instructions for /w\n\nbe kind')),
        at(
          'response_item',
          says('user', '<environment_context>\n<cwd>/w</cwd>\n</environment_context>'),
        ),
        at('response_item', says('developer', 'Keep to the plan.')),
        at('response_item', says('user', 'hello')),
      ),
    )
    expect(view.system).toEqual([])
    expect(JSON.stringify(view.messages)).not.toMatch(/permissions|AGENTS|environment_context/)
    expect(JSON.stringify(view.messages)).toMatch(/hello.*Keep to the plan/)
    expect(notes.account.kept.get('what Codex itself tells its model')).toBe(3)
  })

  it('takes over a compaction without the words that Codex says of itself', async () => {
    const own = says('user', '<environment_context>\n<cwd>/w</cwd>\n</environment_context>')
    const { view } = await openText(
      lines(
        meta(),
        at('response_item', own),
        at('response_item', says('user', LONG)),
        at('compacted', { message: '', replacement_history: [own, says('user', 'In short.')] }),
        at('response_item', says('user', 'go on')),
      ),
    )
    expect(view.messages.flatMap(({ parts }) => parts)).toMatchObject([
      { text: 'In short.' },
      { text: 'go on' },
    ])
  })

  it('takes what a sub-agent is asked for the words of a model', async () => {
    const source = { subagent: { thread_spawn: { depth: 1 } } }
    const origins = async (more: object) => {
      const first = at('session_meta', { id: 'a', cwd: '/here', ...more })
      const { threads, threadId } = await openText(
        lines(first, at('response_item', says('user', 'Never push.'))),
      )
      const events = await threads.getAllEvents(threadId)
      return events.flatMap((event) => (event.type === 'USER_MESSAGE' ? [event.origin] : []))
    }
    expect(await origins({ source })).toEqual(['model'])
    expect(await origins({ source: 'cli' })).toEqual(['typed'])
  })

  it('names no provider and no model of another agent', async () => {
    const model = 'anthropic/claude-x' as const
    const { view, threads, threadId } = await threadOf([
      user('hi'),
      { type: 'AGENT_MESSAGE', data: { content: 'hello', calls: [], model } },
    ])
    const events = await threads.getAllEvents(threadId)
    const { text = '' } =
      formatOf('codex').write?.({ view, events }, { ...writing(), cwd: '/here' }) ?? {}
    expect(text).not.toMatch(/claude|anthropic|turn_context/)
    expect(parsed(text)[0]?.payload).toMatchObject({ cwd: '/here', originator: 'precis' })
  })

  it('gets calls with a text back as such, through an agent that has none', async () => {
    const call = { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'a' }
    const output = { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' }
    const file = lines(
      meta(),
      ...[says('user', 'go'), call, output].map((item) => at('response_item', item)),
    )
    const back = await converted(await converted(file, 'claude-code'), 'codex')
    expect(parsed(back).at(-2)?.payload).toMatchObject(call)
    expect((await openText(back)).view).toEqual((await openText(file)).view)
  })

  it('keeps failures and thinking for whoever converts the file further', async () => {
    const { view, threads, threadId } = await threadOf([
      user('go'),
      {
        type: 'AGENT_MESSAGE',
        data: {
          content: 'so',
          parts: [
            { type: 'thinking', thinking: 'hm', model: 'anthropic/claude-x' },
            { type: 'text', text: 'so' },
            { type: 'tool_call', callId: 'a' },
          ],
          calls: ['a'],
        },
      },
      { type: 'TOOL_CALL', data: { id: 'a', name: 'run', arguments: {}, answer: 0 } },
      result('a', 'no', 'failed'),
    ])
    const events = await threads.getAllEvents(threadId)
    const written = formatOf('codex').write?.({ view, events }, writing())
    expect(written?.problems).toContain('a failed tool call shows only in the text of its result')
    expect((await openText(written?.text ?? '')).view).toEqual(view)
  })
})

describe('Claude Code', () => {
  it('is told that no user said what became of a sub-agent', async () => {
    const told = '<task-notification>\n<result>42</result>\n</task-notification>'
    const { view } = await threadOf([user('go'), user(told), user('and?')])
    const { text = '' } = formatOf('claude-code').write?.({ view }, writing()) ?? {}
    const origins = parsed(text).map(({ message, origin }) => [message, origin])
    expect(origins).toContainEqual([{ role: 'user', content: told }, { kind: 'task-notification' }])
    expect(origins.filter(([, origin]) => origin !== undefined)).toHaveLength(1)
    expect(text).toContain('and?')
  })
})

describe('OpenCode', () => {
  const created = Date.UTC(2030, 0, 1) // later than the clock of these tests
  const info = { id: 'ses_1', slug: 's', title: 't', directory: '/w', time: { created } }
  const message = (id: string, time: number, role: string, text: string) => ({
    info: { id, sessionID: 'ses_1', role, time: { created: time }, finish: 'stop' },
    parts: [{ id: `prt_${id}`, messageID: id, sessionID: 'ses_1', type: 'text', text }],
  })
  const session = (...messages: object[]) => JSON.stringify({ info, messages })
  const messagesIn = (text: string) =>
    (JSON.parse(text) as { messages: { info: Value; parts: Value[] }[] }).messages

  it('puts each message behind the one before, whatever the clock says', async () => {
    const text = await compacted(
      session(
        message('msg_1', created, 'user', LONG),
        message('msg_2', created + 9, 'assistant', 'ok'),
      ),
      [user('more'), ...answer('look', 'a'), result('a', 'found'), ...answer('done')],
    )
    const all = messagesIn(text)
    const times = all.map(({ info: { time } }) => (time as { created: number }).created)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    expect(new Set(times).size).toBe(times.length)
    const ids = all
      .slice(2)
      .flatMap(({ info: { id }, parts }) => [id, ...parts.map((part) => part.id)])
    const bare = ids.map((id) => String(id).slice(4, 16))
    expect(bare).toEqual(bare.toSorted())
    expect(new Set(bare).size).toBe(bare.length)
    for (const id of ids) expect(id).toMatch(/^(?:msg|prt)_[0-9a-f]{12}\w{14}$/)
    const [asked, summary] = all.slice(2)
    expect(summary?.info).toMatchObject({ summary: true, finish: 'stop', parentID: asked?.info.id })
  })

  it('is told slug, directory and title of a session from elsewhere', async () => {
    const text = await converted(
      lines(
        {
          type: 'session',
          version: 3,
          id: 'x',
          timestamp: '2026-01-01T00:00:00Z',
          cwd: '/srv/shop',
        },
        {
          type: 'message',
          id: 'a',
          parentId: null,
          message: { role: 'user', content: 'Mend the till.\nPlease.' },
        },
      ),
      'opencode',
    )
    expect(JSON.parse(text).info).toMatchObject({
      id: expect.stringMatching(/^ses_[0-9a-f]{12}\w{14}$/),
      slug: expect.stringMatching(/^precis-\w+$/),
      directory: '/srv/shop',
      title: 'Mend the till.',
      projectID: 'global',
    })
  })
})

const AGENTS = ['claude-code', 'codex', 'opencode', 'pi'] as const

it('goes through every agent and back with its place, its calls and its failures', async () => {
  const { view, threads, threadId } = await threadOf([
    user('go'),
    ...answer('both', 'a', 'b'),
    result('a', 'found'),
    result('b', 'no', 'failed'),
    ...answer('done'),
  ])
  const events = await threads.getAllEvents(threadId)
  const options = { ...writing(), cwd: '/srv/shop' }
  let text = formatOf('pi').write?.({ view, events }, options).text ?? ''
  for (const to of [...AGENTS, ...AGENTS.toReversed()]) {
    text = await converted(text, to)
    const { view: again } = await openText(text)
    expect(again.messages).toEqual(view.messages)
    expect(text).toContain('/srv/shop')
  }
})

it.each(AGENTS)('%s: a brief in place of a summary opens what follows', async (id) => {
  const brief: Strategy = {
    id: 'brief',
    propose: async ({ context, eventAt }) => {
      const covers = runsOf(context.items.toArray().slice(0, 2), eventAt)
      const put = [{ type: 'USER_MESSAGE', data: 'Word for word.', label: 'brief' }] as const
      return { edits: [{ covers, put }] }
    },
  }
  const { view } = await threadOf([
    user(LONG),
    ...answer('ok'),
    user('Mend the till.'),
    ...answer('done'),
  ])
  const format = formatOf(id)
  const opened = await openText(format.write?.({ view, events: [] }, writing()).text ?? '')
  const { threads, threadId } = opened
  threads.register(brief)
  expect((await threads.compact(threadId, brief.id)).committed).toBe(true)
  const { text = '', problems } = format.write?.(await outgoingOf(opened), writing()) ?? {}
  expect(problems).toEqual([])
  expect(text).not.toContain('[The conversation follows')
  const [first] = (await openText(text)).view.messages
  expect(JSON.stringify(first)).toContain('Word for word.')
})

it.each(AGENTS)('%s: what was asked first stays a prompt where nothing sums it up', async (id) => {
  const shorten: Strategy = {
    id: 'shorten',
    propose: async ({ context, eventAt }) => {
      const item = context.items.toArray().find(({ kind }) => kind === 'result')
      if (!item) return { edits: [] }
      const data = { id: 'a', content: [{ type: 'text' as const, text: 'short' }] }
      const result = { ...data, status: 'completed' as const }
      const put = { type: 'TOOL_RESULT', data: result, label: 'masked', of: item.id } as const
      return { edits: [{ covers: runsOf([item], eventAt), put: [put] }] }
    },
  }
  const {
    view,
    threads: from,
    threadId: fromId,
  } = await threadOf([
    user('Mend the till.'),
    ...answer('look', 'a'),
    result('a', LONG),
    ...answer('done'),
  ])
  const format = formatOf(id)
  const events = await from.getAllEvents(fromId)
  const opened = await openText(format.write?.({ view, events }, writing()).text ?? '')
  const { threads, threadId } = opened
  threads.register(shorten)
  expect((await threads.compact(threadId, shorten.id)).committed).toBe(true)
  const { text = '' } = format.write?.(await outgoingOf(opened), writing()) ?? {}
  expect(text).toContain('[The conversation follows')
  const again = await openText(text)
  expect(JSON.stringify(again.view).split('Mend the till.')).toHaveLength(2)
  expect(again.view.messages[0]?.parts).toEqual([{ type: 'text', text: 'Mend the till.' }])
  expect(JSON.stringify(again.view)).not.toContain('The conversation follows')
  const prompts = (await again.threads.getAllEvents(again.threadId)).filter(
    (event) => event.type === 'USER_MESSAGE' && event.origin === 'typed',
  )
  expect(prompts.at(-1)?.data).toBe('Mend the till.')
})

it('knows the format of a request whose one message is longer than what is looked at first', async () => {
  const content = 'word '.repeat(900_000)
  const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] }
  const formatIn = async (text: string) =>
    detectFormat(await readSample(textSource(text)), SESSION_FORMATS).id
  expect(await formatIn(JSON.stringify(request))).toBe('anthropic')
  const first = at('response_item', says('user', content))
  expect(await formatIn(lines(first, at('response_item', says('user', 'more'))))).toBe('codex')
})
