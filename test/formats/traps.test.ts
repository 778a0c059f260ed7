// The traps that real session files set, each on a file written here (formats.md, section 16).
import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/core/view/message.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import type { View } from '../../src/formats/session-format.ts'
import { lines, openText, outgoingOf, viewIn, writing } from './session.ts'

/** Messages in short: who said what, which calls, which results. */
function brief({ messages }: View): string[] {
  return messages.map(({ role, parts }: Message) => {
    const words = parts.map((part) => {
      if (part.type === 'text' || part.type === 'system_reminder') return part.text
      if (part.type === 'thinking') return `(${part.thinking}|${part.signature ?? ''})`
      if (part.type === 'tool_call') return `${part.name}#${part.id}`
      if (part.type === 'tool_result')
        return `#${part.id}${part.status === 'completed' ? '' : ` ${part.status}`}=${part.content.map((block) => block.text ?? block.type).join('+')}`
      return part.type
    })
    return `${role === 'user' ? 'U' : 'A'}: ${words.join(', ')}`
  })
}

const line = (uuid: string, parentUuid: string | null, rest: object) => ({
  uuid,
  parentUuid,
  sessionId: 's',
  isSidechain: false,
  version: '2.1.60',
  ...rest,
})
const said = (uuid: string, parent: string | null, content: unknown, rest: object = {}) =>
  line(uuid, parent, { type: 'user', message: { role: 'user', content }, ...rest })
const block = (uuid: string, parent: string, id: string, content: unknown, rest: object = {}) => {
  const message = { id, role: 'assistant', model: 'm', content: [content], usage: rest }
  return line(uuid, parent, { type: 'assistant', message })
}
const text = (words: string) => ({ type: 'text', text: words })
const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} })
const gave = (id: string, content: unknown = 'ok') => [
  { type: 'tool_result', tool_use_id: id, content },
]
const boundary = (uuid: string, metadata: object, logicalParentUuid = 'nowhere') =>
  line(uuid, null, {
    type: 'system',
    subtype: 'compact_boundary',
    logicalParentUuid,
    compactMetadata: metadata,
  })
const summary = (uuid: string, parent: string, words: string) =>
  said(uuid, parent, words, { isCompactSummary: true })

describe('Claude Code', () => {
  it('trap 1: lines of one message come interleaved with results', async () => {
    const { view } = await openText(
      lines(
        said('u', null, 'go'),
        block('a1', 'u', 'm1', use('t1'), {
          input_tokens: 5,
          output_tokens: 1,
          cache_read_input_tokens: 7,
        }),
        said('r1', 'a1', gave('t1', 'one')),
        block('a2', 'a1', 'm1', use('t2'), {
          input_tokens: 5,
          output_tokens: 9,
          cache_read_input_tokens: 7,
        }),
        said('r2', 'a2', gave('t2', 'two')),
        block('a3', 'r2', 'm2', text('done')),
      ),
    )
    expect(brief(view)).toEqual(['U: go', 'A: read#t1, read#t2', 'U: #t1=one, #t2=two', 'A: done'])
  })

  it('takes the usage of a message once, from its last line', async () => {
    const usage = (output: number) => ({
      input_tokens: 5,
      cache_read_input_tokens: 7,
      output_tokens: output,
    })
    const { threads, threadId } = await openText(
      lines(
        said('u', null, 'go'),
        block('a1', 'u', 'm1', text('a'), usage(1)),
        block('a2', 'a1', 'm1', text('b'), usage(9)),
      ),
    )
    const { conversation } = await threads.usage(threadId)
    expect(conversation).toMatchObject({
      promptTokens: 12,
      completionTokens: 9,
      cacheReadTokens: 7,
      eventCount: 1,
    })
  })

  it('estimates the output where the file holds only a partial count', async () => {
    const old = (words: string) => ({
      ...block('a1', 'u', 'm1', text(words), { input_tokens: 5, output_tokens: 1 }),
      version: '2.1.20',
    })
    const { threads, threadId } = await openText(
      lines(said('u', null, 'go'), old('many words '.repeat(50))),
    )
    expect((await threads.usage(threadId)).conversation.completionTokens).toBeGreaterThan(50)
  })

  it('trap 2: a result that no chain of parents reaches', async () => {
    const { view } = await openText(
      lines(
        said('u', null, 'go'),
        block('a1', 'u', 'm1', use('t1')),
        block('a2', 'a1', 'm1', use('t2')),
        said('r1', 'a1', gave('t1', 'one')),
        said('r2', 'a2', gave('t2', 'two')),
        block('a3', 'r2', 'm2', text('done')),
      ),
    )
    expect(brief(view)[2]).toBe('U: #t1=one, #t2=two')
  })

  it('trap 3: a logical parent that leads in a circle, and a kept tail behind the boundary', async () => {
    const { view, compactions } = await openText(
      lines(
        said('u', null, 'first'),
        block('a', 'u', 'm1', text('one')),
        boundary('b', { trigger: 'auto', preservedMessages: { uuids: ['k1', 'k2'] } }, 'k2'),
        summary('s', 'b', 'In short'),
        said('k1', 's', 'kept words'),
        block('k2', 'k1', 'm2', text('kept answer')),
        said('n', 'k2', 'next'),
      ),
    )
    expect(compactions).toBe(1)
    expect(brief(view)).toEqual(['U: In short', 'U: kept words', 'A: kept answer', 'U: next'])
  })

  it('trap 4: a kept tail before the boundary, and files attached again after it', async () => {
    const file = {
      type: 'file',
      displayPath: 'a.ts',
      content: { type: 'text', file: { content: 'const a = 1' } },
    }
    const opened = await openText(
      lines(
        said('u', null, 'first'),
        block('a', 'u', 'm1', text('one')),
        said('k1', 'a', 'kept words'),
        block('k2', 'k1', 'm2', text('kept answer')),
        boundary(
          'b',
          { trigger: 'manual', preservedMessages: { uuids: ['k1', 'k2'], allUuids: ['gone'] } },
          'k2',
        ),
        summary('s', 'b', 'In short'),
        line('f', 's', { type: 'attachment', attachment: file }),
        said('n', 'f', 'next'),
      ),
    )
    const { view, threads, threadId } = opened
    expect(brief(view)).toEqual([
      'U: In short',
      'U: kept words',
      'A: kept answer',
      'U: next, Contents of a.ts:\nconst a = 1',
    ])
    await threads.undo(threadId)
    expect(brief(await viewIn(threads, threadId)).slice(0, 2)).toEqual(['U: first', 'A: one'])
  })

  it('keeps the whole of a round of which a tool kept half', async () => {
    const { view } = await openText(
      lines(
        said('u', null, 'first'),
        block('a', 'u', 'm1', use('t1')),
        said('r', 'a', gave('t1', 'one')),
        boundary('b', { trigger: 'auto', preservedMessages: { uuids: ['r'] } }),
        summary('s', 'b', 'In short'),
        said('n', 's', 'next'),
      ),
    )
    expect(brief(view)).toEqual(['U: In short', 'A: read#t1', 'U: #t1=one, next'])
  })

  it('takes over a compaction in the middle of a round, and then the call is over', async () => {
    const { view, compactions, notes } = await openText(
      lines(
        said('u', null, 'first'),
        block('a', 'u', 'm1', use('t1')),
        boundary('b', { trigger: 'auto' }),
        summary('s', 'b', 'In short'),
        said('n', 's', 'next'),
      ),
    )
    expect(notes.problems).toEqual([])
    expect(compactions).toBe(1)
    expect(brief(view)).toEqual(['U: In short', 'U: next'])
  })

  it('does not apply a compaction whose summary was not written yet', async () => {
    const { view, compactions, notes } = await openText(
      lines(
        said('u', null, 'first'),
        block('a', 'u', 'm1', text('one')),
        boundary('b', { trigger: 'auto' }),
      ),
    )
    expect([compactions, notes.problems.length]).toEqual([0, 1])
    expect(brief(view)).toEqual(['U: first', 'A: one'])
  })

  it('trap 5: a parent that is not in the file', async () => {
    const { view } = await openText(
      lines(
        said('u', null, 'first'),
        block('a', 'u', 'm1', text('one')),
        said('v', 'missing', 'second'),
      ),
    )
    expect(brief(view)).toEqual(['U: first', 'A: one', 'U: second'])
  })

  it('leaves a branch out that was left, and keeps its lines', async () => {
    const opened = await openText(
      lines(
        said('u', null, 'first'),
        block('a', 'u', 'm1', text('one')),
        said('x', 'a', 'wrong way'),
        block('y', 'x', 'm2', text('far off')),
        said('v', 'a', 'second'),
        block('z', 'v', 'm3', text('two')),
      ),
    )
    expect(brief(opened.view)).toEqual(['U: first', 'A: one', 'U: second', 'A: two'])
    const written = opened.format.write?.(await outgoingOf(opened), writing())
    expect(written?.text).toContain('wrong way')
  })

  it('trap 6: empty thinking with its signature', async () => {
    const thinking = { type: 'thinking', thinking: '', signature: 'c2ln' }
    const { view } = await openText(
      lines(
        said('u', null, 'go'),
        block('a', 'u', 'm1', thinking),
        block('b', 'a', 'm1', text('so')),
      ),
    )
    expect(brief(view)[1]).toBe('A: (|c2ln), so')
  })

  it('trap 7: sidechains in one file become sub-threads', async () => {
    const side = (record: object) => ({ ...record, isSidechain: true })
    const { view, threads, subThreadIds } = await openText(
      lines(
        said('u', null, 'go'),
        block('a', 'u', 'm1', use('t1')),
        side(said('s1', null, 'find it')),
        side(block('s2', 's1', 'ms', text('found'))),
        side(said('q1', null, 'count it')),
        side(block('q2', 'q1', 'mq', text('three'))),
        said('r', 'a', gave('t1', 'found')),
      ),
    )
    expect(brief(view)).toEqual(['U: go', 'A: read#t1', 'U: #t1=found'])
    const subs = await Promise.all(subThreadIds.map(async (id) => brief(await viewIn(threads, id))))
    expect(subs).toEqual([
      ['U: find it', 'A: found'],
      ['U: count it', 'A: three'],
    ])
    const [started] = await threads.getAllEvents(subThreadIds[0] ?? '')
    expect(started?.data).toMatchObject({ reason: 'import', title: 'find it' })
  })

  it('trap 8: a call without a result at the end, and one in the middle', async () => {
    const { view } = await openText(
      lines(
        said('u', null, 'go'),
        block('a', 'u', 'm1', use('t1')),
        said('v', 'a', [text('[Request interrupted by user]')]),
        block('b', 'v', 'm2', use('t2')),
      ),
    )
    expect(brief(view)[2]).toMatch(/^U: #t1 aborted=/)
    expect(brief(view).at(-1)).toBe('A: read#t2')
  })

  it('trap 9: a message of 662,000 characters is kept whole, and written whole in every format', async () => {
    const long = Array.from({ length: 22_000 }, (_, n) => `line ${n} of a paste, 漢 🙂`).join('\n')
    expect(long.length).toBeGreaterThan(400_000)
    const pasted = `${long}${'x'.repeat(662_000 - long.length)}`
    const opened = await openText(
      lines(said('u', null, pasted), block('a', 'u', 'm1', text('I read it.'))),
    )
    const expected = [`U: ${pasted}`, 'A: I read it.']
    expect(brief(opened.view)).toEqual(expected)
    const outgoing = await outgoingOf(opened)
    for (const format of SESSION_FORMATS.filter(({ write }) => write)) {
      const written = format.write?.(outgoing, writing()).text ?? ''
      const { view } = await openText(written, format)
      expect(brief(view).join('\n') === expected.join('\n'), format.id).toBe(true)
    }
  })

  it('trap 10: images, of the user and in a result', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    }
    const { view } = await openText(
      lines(
        said('u', null, [text('see'), image]),
        block('a', 'u', 'm1', use('t1')),
        said('r', 'a', gave('t1', [image])),
      ),
    )
    expect(brief(view)).toEqual(['U: see, image', 'A: read#t1', 'U: #t1=image'])
  })

  it('trap 11: a microcompaction blanks results that the file still holds', async () => {
    const micro = { trigger: 'auto', compactedToolIds: ['t1'], tokensSaved: 10 }
    const { view, threads, threadId } = await openText(
      lines(
        said('u', null, 'go'),
        block('a', 'u', 'm1', use('t1')),
        said('r', 'a', gave('t1', 'a long listing')),
        line('mc', 'r', {
          type: 'system',
          subtype: 'microcompact_boundary',
          microcompactMetadata: micro,
        }),
        block('b', 'mc', 'm2', text('ok')),
      ),
    )
    expect(brief(view)[2]).toContain('cleared')
    await threads.undo(threadId)
    expect(brief(await viewIn(threads, threadId))[2]).toBe('U: #t1=a long listing')
  })

  it('does not send what the client made up, nor titles of other sessions', async () => {
    const synthetic = line('e', 'u', {
      type: 'assistant',
      message: { id: 'x', model: '<synthetic>', content: [text('API Error')] },
    })
    const { view } = await openText(
      lines(
        { type: 'summary', summary: 'Old title', leafUuid: 'l' },
        said('u', null, 'go'),
        synthetic,
      ),
    )
    expect(brief(view)).toEqual(['U: go'])
  })

  it('puts what was typed while the model was busy behind the results', async () => {
    const queued = line('q', 'a', {
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: 'and be quick' },
    })
    const { view } = await openText(
      lines(
        said('u', null, 'go'),
        block('a', 'u', 'm1', use('t1')),
        queued,
        said('r', 'a', gave('t1')),
      ),
    )
    expect(brief(view).at(-1)).toBe('U: #t1=ok, and be quick')
  })
})

describe('Codex', () => {
  const at = (type: string, payload: object) => ({
    timestamp: '2026-01-01T00:00:00Z',
    type,
    payload,
  })
  const item = (payload: object) => at('response_item', payload)
  const message = (role: string, words: string) => {
    const type = role === 'assistant' ? 'output_text' : 'input_text'
    return { type: 'message', role, content: [{ type, text: words }] }
  }
  const meta = at('session_meta', { id: 'x', base_instructions: { text: 'be brief' } })
  const compacted = (...history: object[]) =>
    at('compacted', { message: '', replacement_history: history })

  it('trap 12: session_meta on each resume, and three compactions', async () => {
    const blob = { type: 'compaction', encrypted_content: 'c2VhbGVk' }
    const rounds = ['one', 'two', 'three'].flatMap((words, index, all) => [
      meta,
      item(message('user', words)),
      item(message('assistant', `${words} done`)),
      compacted(...all.slice(0, index + 1).map((said) => message('user', said)), blob),
    ])
    const { view, threads, threadId, compactions } = await openText(
      lines(...rounds, item(message('user', 'four'))),
    )
    expect(compactions).toBe(3)
    expect(view.system).toEqual([]) // Codex itself says it again
    expect(brief(view).map((words) => words.slice(0, 12))).toEqual([
      'U: one',
      'U: two',
      'U: three',
      'U: [what was',
      'U: four',
    ])
    for (let count = 0; count < 3; count += 1) await threads.undo(threadId)
    expect(brief(await viewIn(threads, threadId))).toContain('A: one done')
  })

  it('trap 13: a replacement history without a summary', async () => {
    const { view } = await openText(
      lines(
        meta,
        item(message('user', 'one')),
        item(message('assistant', 'long')),
        compacted(message('user', 'one')),
      ),
    )
    expect(brief(view)).toEqual(['U: one'])
  })

  it('counts each token count once, and none after a compaction', async () => {
    const usage = {
      input_tokens: 100,
      cached_input_tokens: 60,
      output_tokens: 5,
      total_tokens: 105,
    }
    const count = (last: object, total: number) =>
      at('event_msg', {
        type: 'token_count',
        info: { last_token_usage: last, total_token_usage: { total_tokens: total } },
      })
    const { threads, threadId } = await openText(
      lines(
        meta,
        item(message('user', 'one')),
        item(message('assistant', 'a')),
        count(usage, 105),
        count(usage, 105),
        compacted(message('user', 'one')),
        count({ ...usage, input_tokens: 0 }, 106),
      ),
    )
    expect((await threads.usage(threadId)).conversation).toMatchObject({
      promptTokens: 100,
      cacheReadTokens: 60,
      eventCount: 1,
    })
  })

  it('tells a failed command by its exit code', async () => {
    const { view } = await openText(
      lines(
        meta,
        item(message('user', 'go')),
        item({ type: 'function_call', name: 'exec', arguments: '{"cmd":"x"}', call_id: 'c1' }),
        item({
          type: 'function_call_output',
          call_id: 'c1',
          output: 'Process exited with code 2\nOutput:\nno',
        }),
      ),
    )
    expect(brief(view).at(-1)).toContain('#c1 failed=')
  })
})
