// What every written format must keep: read, written and read again, only what it names is lost.
import { describe, expect, it } from 'vitest'
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Part } from '../../src/core/view/content.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import type { Loss, SessionFormat, View } from '../../src/formats/session-format.ts'
import { answer, checkpoint, reminder, result, system, user } from '../say.ts'
import { openText, threadOf, writing } from './session.ts'

const IMAGE = 'iVBORw0KGgo='

const said = (parts: readonly Part[], ...calls: string[]): EventDraft[] => [
  {
    type: 'AGENT_MESSAGE',
    data: {
      content: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      parts: [...parts, ...calls.map((callId): Part => ({ type: 'tool_call', callId }))],
      calls,
    },
  },
  ...calls.map((id): EventDraft => {
    return { type: 'TOOL_CALL', data: { id, name: 'read', arguments: { path: id }, answer: 0 } }
  }),
]
const shown = (...parts: readonly Part[]): EventDraft => ({ type: 'USER_MESSAGE', data: parts })
const gave = (id: string, content: readonly object[]): EventDraft =>
  ({ type: 'TOOL_RESULT', data: { id, content, status: 'completed' } }) as EventDraft
const go = user('go')
const text = (words: string): Part => ({ type: 'text', text: words })

const thought = (model: `${string}/${string}`, signature?: string): Part => {
  return { type: 'thinking', thinking: 'hm', ...(signature && { signature }), model }
}

interface Case {
  readonly name: string
  readonly drafts: readonly EventDraft[]
  /** What a format may name to be let off. */
  readonly loss?: Loss
  /** Lost as well where the thinking itself stays. */
  readonly alsoLost?: Loss
}

const CASES: readonly Case[] = [
  { name: 'words', drafts: [user('hi'), ...answer('hello'), user('more'), ...answer('yes')] },
  {
    name: 'words of many scripts',
    drafts: [user('簡潔に 한국어 日本語 ✂️'), ...answer('«да»\n\t"\\"')],
  },
  {
    name: 'a text of 662,000 characters',
    drafts: [user('word '.repeat(132_400)), ...answer('ok')],
  },
  {
    name: 'a call and its result',
    drafts: [go, ...answer('', 'a'), result('a', 'found'), ...answer('ok')],
  },
  {
    name: 'text around a call',
    drafts: [go, ...said([text('I look')], 'a'), result('a', 'found'), ...answer('ok')],
  },
  {
    name: 'parallel calls, answered in another order',
    drafts: [go, ...answer('both', 'a', 'b'), result('b', '2'), result('a', '1'), ...answer('ok')],
  },
  {
    name: 'a second round with the ids of the first',
    drafts: [
      go,
      ...answer('', 'a'),
      result('a', '1'),
      ...answer('', 'a'),
      result('a', '2'),
      ...answer('ok'),
    ],
    loss: 'call-ids',
  },
  {
    name: 'a call that waits at the end',
    drafts: [go, ...answer('wait', 'a')],
    loss: 'open-calls',
  },
  {
    name: 'an empty result',
    drafts: [go, ...answer('', 'a'), result('a', ''), ...answer('ok')],
    loss: 'empty-results',
  },
  {
    name: 'a failed result',
    drafts: [go, ...answer('', 'a'), result('a', 'no', 'failed'), ...answer('ok')],
    loss: 'failures',
  },
  {
    name: 'an aborted result',
    drafts: [go, ...answer('', 'a'), result('a', 'no', 'aborted'), ...answer('ok')],
    loss: 'failure-kinds',
  },
  {
    name: 'an image of the user',
    drafts: [
      shown(text('see'), { type: 'image', media: { mimeType: 'image/png', data: IMAGE } }),
      ...answer('ok'),
    ],
  },
  {
    name: 'an image at a URL',
    drafts: [
      shown(text('see'), {
        type: 'image',
        media: { mimeType: 'image/*', uri: 'https://example.org/a.png' },
      }),
      ...answer('ok'),
    ],
    loss: 'image-urls',
  },
  {
    name: 'a document of plain text',
    drafts: [
      shown(text('see'), {
        type: 'document',
        media: { mimeType: 'text/plain', text: 'a page', title: 'Page' },
      }),
      ...answer('ok'),
    ],
    loss: 'documents',
  },
  {
    name: 'an image in a result',
    drafts: [
      go,
      ...answer('', 'a'),
      gave('a', [
        { type: 'text', text: 'see' },
        { type: 'image', data: IMAGE, mimeType: 'image/png' },
      ]),
      ...answer('ok'),
    ],
    loss: 'result-media',
  },
  {
    name: 'two texts in a result',
    drafts: [
      go,
      ...answer('', 'a'),
      gave('a', [
        { type: 'text', text: '1' },
        { type: 'text', text: '2' },
      ]),
      ...answer('ok'),
    ],
    loss: 'result-blocks',
  },
  {
    name: 'signed thinking',
    drafts: [
      go,
      ...said([thought('anthropic/claude-x', 'c2ln'), text('so')]),
      user('and'),
      ...answer('ok'),
    ],
    loss: 'thinking',
    alsoLost: 'signatures',
  },
  {
    name: 'empty thinking with a signature, before a call',
    drafts: [
      go,
      ...said(
        [{ type: 'thinking', thinking: '', signature: 'c2ln', model: 'anthropic/claude-x' }],
        'a',
      ),
      result('a', '1'),
      ...answer('ok'),
    ],
    loss: 'thinking',
    alsoLost: 'signatures',
  },
  {
    name: 'thinking of another provider',
    drafts: [go, ...said([thought('elsewhere/model'), text('so')]), user('and'), ...answer('ok')],
    loss: 'foreign-thinking',
  },
  {
    name: 'sealed thinking',
    drafts: [
      go,
      ...said([
        { type: 'redacted_thinking', data: 'b3BhcXVl', model: 'anthropic/claude-x' },
        text('so'),
      ]),
      user('and'),
      ...answer('ok'),
    ],
    loss: 'sealed-thinking',
  },
  {
    name: 'a part that only another provider understands',
    drafts: [go, ...said([{ type: 'native', provider: 'elsewhere', value: { a: 1 } }, text('so')])],
    loss: 'natives',
  },
  {
    name: 'fields that only another provider understands',
    drafts: [
      go,
      ...said([{ type: 'text', text: 'so', extra: { provider: 'elsewhere', fields: { a: 1 } } }]),
    ],
    loss: 'extras',
  },
  {
    name: 'a reminder',
    drafts: [user('hi'), reminder('be kind'), ...answer('ok')],
    loss: 'reminders',
  },
  {
    name: 'a reminder behind a result',
    drafts: [go, ...answer('', 'a'), result('a', '1'), reminder('be kind'), ...answer('ok')],
    loss: 'reminders',
  },
  {
    name: 'a checkpoint',
    drafts: [user('hi'), checkpoint('aaaaaa'), ...answer('ok')],
    loss: 'checkpoints',
  },
  {
    name: 'a system prompt',
    drafts: [system('be brief'), user('hi'), ...answer('ok')],
    loss: 'system',
  },
  {
    name: 'arguments that are a text',
    drafts: [
      go,
      { type: 'AGENT_MESSAGE', data: { content: '', calls: ['a'] } },
      { type: 'TOOL_CALL', data: { id: 'a', name: 'patch', arguments: '*** Begin', answer: 0 } },
      result('a', 'ok'),
      ...answer('ok'),
    ],
    loss: 'arguments',
  },
  {
    name: 'two messages of the user in a row',
    drafts: [user('a'), user('b'), ...answer('ok')],
    loss: 'merging',
  },
  {
    name: 'two answers in a row',
    drafts: [user('a'), ...answer('b'), ...answer('c')],
    loss: 'merging',
  },
]

/** Fields that nobody misses are left out without a word: the format's page says so. */
const SILENT: readonly Loss[] = ['extras', 'merging', 'reminders']

/** Plain messages are the same in all of these, so that nothing in a file tells which it is. */
const LOOK_ALIKE: ReadonlySet<string> = new Set(['ai-sdk', 'openai-chat', 'anthropic'])

type Writing = SessionFormat & Required<Pick<SessionFormat, 'write'>>
const written = SESSION_FORMATS.filter((format): format is Writing => format.write !== undefined)

function comparable(view: View, { losses }: SessionFormat): unknown {
  const hidesModel = losses.includes('thinking-authors')
  const text = JSON.stringify(view, (key, value) => (hidesModel && key === 'model' ? '' : value))
  return JSON.parse(text)
}

describe.each(written.map((format) => [format.title, format] as const))('%s', (_, format) => {
  for (const { name, drafts, loss, alsoLost } of CASES) {
    const lost = [loss, alsoLost].find((each) => each && format.losses.includes(each))
    const mayDiffer = lost !== undefined
    it(`${mayDiffer ? 'says what it loses of' : 'keeps'} ${name} [NEED-20]`, async () => {
      const { view, threads, threadId } = await threadOf(drafts)
      const events = await threads.getAllEvents(threadId)
      const { text: file, problems } = format.write({ view, events }, writing())
      const again = await openText(file, LOOK_ALIKE.has(format.id) ? format : undefined)
      expect(again.format.id).toBe(format.id)
      if (!mayDiffer) expect(comparable(again.view, format)).toEqual(comparable(view, format))
      else if (!SILENT.includes(lost)) expect(problems).not.toEqual([])
      expect(again.view.messages.length).toBeGreaterThan(0)
    })
  }
})
