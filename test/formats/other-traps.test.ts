// The traps of the other agents' files, each on a file written here (formats.md, section 16).
import { describe, expect, it } from 'vitest'
import type { View } from '../../src/formats/session-format.ts'
import { lines, openText, viewIn } from './session.ts'

function words({ messages }: View): string[] {
  return messages.map(({ role, parts }) => {
    const said = parts.map((part) =>
      part.type === 'text' || part.type === 'system_reminder'
        ? part.text
        : part.type === 'tool_call'
          ? `${part.name}#${part.id}`
          : part.type === 'tool_result'
            ? `#${part.id} ${part.status}=${part.content.map((block) => block.text ?? '').join('+')}`
            : part.type,
    )
    return `${role === 'user' ? 'U' : 'A'}: ${said.join(', ')}`
  })
}

const document = (value: unknown) => JSON.stringify(value)

describe('OpenCode', () => {
  const message = (id: string, role: string, parts: object[], info: object = {}) => ({
    info: { id, role, sessionID: 's', modelID: 'm', providerID: 'p', ...info },
    parts,
  })

  it('trap 14: a compaction that failed, then one that did not; `summary` means two things', async () => {
    const { view, compactions } = await openText(
      document({
        info: { id: 's' },
        messages: [
          message('1', 'user', [{ type: 'text', text: 'go' }], { summary: { diffs: [] } }),
          message('2', 'assistant', [{ type: 'text', text: 'long' }], { finish: 'stop' }),
          message('3', 'user', [{ type: 'compaction', auto: true }]),
          message('4', 'assistant', [{ type: 'step-start' }], { summary: true }),
          message('5', 'user', [{ type: 'compaction', auto: true }]),
          message('6', 'assistant', [{ type: 'text', text: 'In short' }], {
            summary: true,
            finish: 'stop',
          }),
        ],
      }),
    )
    expect(compactions).toBe(1)
    expect(words(view)).toEqual(['U: In short'])
  })

  it('a tool that still runs has no result', async () => {
    const tool = {
      type: 'tool',
      tool: 'bash',
      callID: 'c',
      state: { status: 'running', input: {} },
    }
    const { view } = await openText(
      document({
        info: {},
        messages: [
          message('1', 'user', [{ type: 'text', text: 'go' }]),
          message('2', 'assistant', [tool]),
        ],
      }),
    )
    expect(words(view)).toEqual(['U: go', 'A: bash#c'])
  })
})

describe('pi', () => {
  const entry = (id: string, parentId: string | null, message: object) => ({
    type: 'message',
    id,
    parentId,
    message,
  })
  const failed = { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded' }
  const user = (content: string) => ({ role: 'user', content })
  const answer = (text: string) => ({
    role: 'assistant',
    content: [{ type: 'text', text }],
    stopReason: 'stop',
  })

  it('trap 15: a run of error turns says nothing to the model', async () => {
    const errors = Array.from({ length: 28 }, (_, at) =>
      entry(`e${at}`, at === 0 ? 'u' : `e${at - 1}`, failed),
    )
    const { view, notes } = await openText(
      lines(
        { type: 'session', version: 3, id: 'x', cwd: '/' },
        entry('u', null, user('go')),
        ...errors,
        entry('a', 'e27', answer('ok')),
      ),
    )
    expect(words(view)).toEqual(['U: go', 'A: ok'])
    expect(notes.account.modelled).toBe(30)
  })

  it('an entry whose parent is not in the file follows the one before it', async () => {
    const { view, notes } = await openText(
      lines(
        { type: 'session', version: 3, id: 'x', cwd: '/' },
        entry('1', null, user('one')),
        entry('2', '1', answer('1')),
        entry('4', 'lost', user('two')),
        entry('5', '4', answer('2')),
      ),
    )
    expect(words(view)).toEqual(['U: one', 'A: 1', 'U: two', 'A: 2'])
    expect(notes.problems).toEqual([])
  })

  it('a branch that was left stays out, and an entry without a parent begins a new one', async () => {
    const { view } = await openText(
      lines(
        { type: 'session', version: 3, id: 'x', cwd: '/' },
        entry('1', null, user('one')),
        entry('2', '1', answer('left')),
        entry('3', '1', answer('1')),
      ),
    )
    expect(words(view)).toEqual(['U: one', 'A: 1'])
    const begun = await openText(
      lines(
        { type: 'session', version: 3, id: 'x', cwd: '/' },
        entry('1', null, user('left')),
        entry('2', null, user('one')),
      ),
    )
    expect(words(begun.view)).toEqual(['U: one'])
  })

  it('version 1 names what a compaction kept by its place in the file', async () => {
    const plain = (message: object) => ({
      type: 'message',
      timestamp: '2026-01-01T00:00:00Z',
      message,
    })
    const { view, threads, threadId } = await openText(
      lines(
        { type: 'session', id: 'x', cwd: '/', provider: 'p', modelId: 'm' },
        plain(user('one')),
        plain(answer('1')),
        { type: 'thinking_level_change', thinkingLevel: 'low' },
        plain(user('two')),
        plain(answer('2')),
        { type: 'compaction', summary: 'In short', firstKeptEntryIndex: 3, tokensBefore: 9 },
      ),
    )
    expect(words(view)).toEqual(['U: In short', 'U: two', 'A: 2'])
    await threads.undo(threadId)
    expect(words(await viewIn(threads, threadId))).toHaveLength(4)
  })

  it('a second compaction keeps what the first one kept', async () => {
    const kept = (id: string, parentId: string, firstKeptEntryId: string, summary: string) => ({
      type: 'compaction',
      id,
      parentId,
      summary,
      firstKeptEntryId,
    })
    const { view } = await openText(
      lines(
        { type: 'session', version: 3, id: 'x', cwd: '/' },
        entry('1', null, user('one')),
        entry('2', '1', answer('1')),
        entry('3', '2', user('two')),
        entry('4', '3', answer('2')),
        kept('5', '4', '3', 'S1'),
        entry('6', '5', user('three')),
        kept('7', '6', '4', 'S2'),
        entry('8', '7', answer('3')),
      ),
    )
    expect(words(view)).toEqual(['U: S2', 'A: 2', 'U: three', 'A: 3'])
  })

  it('Oh My Pi: a title line first, and the system prompt of a sub-agent', async () => {
    const { view, format } = await openText(
      lines(
        { type: 'title', v: 1, title: '', pad: '   ' },
        { type: 'session', version: 3, id: 'x', cwd: '/' },
        {
          type: 'session_init',
          id: 'i',
          parentId: null,
          systemPrompt: 'be brief',
          task: 't',
          tools: [],
        },
        entry('u', 'i', user('go')),
      ),
    )
    expect(format.id).toBe('oh-my-pi')
    expect(view.system).toEqual(['be brief'])
  })
})

describe('Gemini CLI', () => {
  it('trap 16: a message is rewritten by its id, and the last copy holds', async () => {
    const call = {
      id: 'c',
      name: 'ls',
      args: {},
      status: 'success',
      result: [{ functionResponse: { id: 'c', response: { output: 'a b' } } }],
    }
    const answer = {
      id: 'g',
      type: 'gemini',
      content: 'I look',
      model: 'gemini-x',
      tokens: { input: 10, cached: 4, output: 2, thoughts: 3 },
    }
    const { view, threads, threadId, notes } = await openText(
      lines(
        { sessionId: 's', projectHash: 'h', kind: 'main' },
        { id: 'u', type: 'user', content: [{ text: 'go' }] },
        answer,
        { $set: { lastUpdated: 'now' } },
        { ...answer, toolCalls: [call] },
      ),
    )
    expect(words(view)).toEqual(['U: go', 'A: I look, ls#c', 'U: #c completed=a b'])
    expect(notes.account.kept.get('an earlier copy of a message')).toBe(1)
    const { conversation } = await threads.usage(threadId)
    expect(conversation).toMatchObject({
      promptTokens: 10,
      completionTokens: 5,
      cacheReadTokens: 4,
      eventCount: 1,
    })
  })
})

describe('Cline', () => {
  it('trap 17: results that are prose', async () => {
    const text = (said: string) => ({ type: 'text', text: said })
    const { view, format } = await openText(
      document([
        {
          role: 'user',
          content: [text('<task>go</task>'), text('<environment_details>x</environment_details>')],
        },
        {
          role: 'assistant',
          content: [
            text('I read'),
            { type: 'tool_use', id: 't', name: 'read_file', input: { path: 'a' } },
          ],
          metrics: {},
        },
        {
          role: 'user',
          content: [
            text("[read_file for 'a'] Result:\nconst a = 1"),
            text('<environment_details>x</environment_details>'),
          ],
        },
      ]),
    )
    expect(format.id).toBe('cline')
    expect(words(view).slice(1)).toEqual([
      'A: I read, read_file#t',
      'U: #t completed=const a = 1, <environment_details>x</environment_details>',
    ])
  })
})

describe('Copilot CLI', () => {
  it('keeps what came between the beginning and the end of a compaction', async () => {
    const event = (type: string, data: object) => ({
      type,
      data,
      id: 'i',
      timestamp: '2026-01-01T00:00:00Z',
      parentId: null,
    })
    const used = { inputTokens: 100, cacheReadTokens: 99, outputTokens: 5 }
    const { view, threads, threadId } = await openText(
      lines(
        event('session.start', { sessionId: 's' }),
        event('user.message', { content: 'go', transformedContent: 'go (with the date)' }),
        event('assistant.message', { messageId: 'm1', content: 'one', toolRequests: [] }),
        event('session.compaction_start', { trigger: 'threshold' }),
        event('assistant.message', { messageId: 'm2', content: 'meanwhile', toolRequests: [] }),
        event('session.compaction_complete', {
          success: true,
          summaryContent: 'In short',
          compactionTokensUsed: used,
        }),
        event('user.message', { content: 'next' }),
      ),
    )
    expect(words(view)).toEqual(['U: In short', 'A: meanwhile', 'U: next'])
    expect((await threads.usage(threadId)).summarizing).toMatchObject({
      promptTokens: 100,
      cacheReadTokens: 99,
    })
  })
})

describe('OpenHands', () => {
  it('forgets the events that a condensation names', async () => {
    const event = (id: number, rest: object) => ({ id, source: 'agent', ...rest })
    const { view, compactions } = await openText(
      document([
        event(1, { source: 'user', action: 'message', args: { content: 'go' } }),
        event(2, { action: 'message', args: { content: 'one' } }),
        event(3, { action: 'message', args: { content: 'two' } }),
        event(4, {
          action: 'condensation',
          args: { forgotten_event_ids: [2], summary: 'In short' },
        }),
      ]),
    )
    expect(compactions).toBe(1)
    expect(words(view)).toEqual(['U: go', 'U: In short', 'A: two'])
  })
})

describe('SWE-agent and aider', () => {
  it('a trajectory is read from its history; steps are told to be left out', async () => {
    const { view, notes, format } = await openText(
      document({
        trajectory: [{ action: 'ls', observation: 'a', messages: [] }],
        history: [
          { role: 'system', content: 'be brief', agent: 'main', message_type: 'system_prompt' },
          { role: 'user', content: 'go', agent: 'main' },
          {
            role: 'assistant',
            content: 'I look',
            agent: 'main',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'ls', arguments: '{}' } }],
          },
          { role: 'tool', content: 'OBSERVATION:\na', agent: 'main', tool_call_ids: ['c'] },
        ],
        info: {},
      }),
    )
    expect(format.id).toBe('swe-agent')
    expect(words(view)).toEqual(['U: go', 'A: I look, ls#c', 'U: #c completed=OBSERVATION:\na'])
    expect([...notes.account.ignored.values()]).toEqual([1])
  })

  it('a chat in Markdown, with rounded counts', async () => {
    const text = [
      '',
      '# aider chat started at 2026-01-01 10:00:00',
      '',
      '> Using model x  ',
      '',
      '#### fix it  ',
      '#### please  ',
      '',
      'First part.',
      '',
      'Second part.',
      '',
      '> Tokens: 3.2k sent, 21 received. Cost: $0.01 message, $0.01 session.  ',
    ].join('\n')
    const { view, threads, threadId } = await openText(text)
    expect(words(view)).toEqual(['U: fix it\nplease', 'A: First part.\n\nSecond part.'])
    expect((await threads.usage(threadId)).conversation).toMatchObject({
      promptTokens: 3200,
      completionTokens: 21,
    })
  })
})

describe('text that is not English', () => {
  it('trap 18: is weighed by its script, not by its length', async () => {
    const korean = '컨텍스트 창을 넘지 않도록 대화를 줄입니다. '.repeat(200)
    const english = 'Keeps the conversation inside its window. '.repeat(200)
    const weigh = async (content: string) => {
      const { threads, threadId } = await openText(
        document({ messages: [{ role: 'user', content }] }),
      )
      return (await threads.context(threadId)).tokens / content.length
    }
    expect(await weigh(korean)).toBeGreaterThan(1.5 * (await weigh(english)))
  })
})
