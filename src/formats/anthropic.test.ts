// The Anthropic format: reading, folding and writing gives back the document.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assistant, everyKind, result, text, use, user } from '../../test/anthropic-examples.ts'
import { EVENT_VERSION, type EventDraft, type ThreadEvent } from '../core/log/event.ts'
import { buildMessages } from '../core/view/build.ts'
import { foldEvents } from '../core/view/context.ts'
import { anthropic } from './anthropic.ts'
import type { View } from './session-format.ts'

/** Drafts as a log, the way an appender numbers them. */
function readEvents(drafts: readonly EventDraft[]): ThreadEvent[] {
  const events: ThreadEvent[] = []
  let answer = 0
  for (const draft of drafts) {
    const seq = events.length + 1
    if (draft.type === 'AGENT_MESSAGE') answer = seq
    const data = draft.type === 'TOOL_CALL' ? { ...draft.data, answer } : draft.data
    const base = { v: EVENT_VERSION, id: `evt_${seq}`, threadId: 't', timestamp: new Date(seq) }
    events.push({ ...base, seq, type: draft.type, data } as ThreadEvent)
  }
  return events
}

function buildView(drafts: readonly EventDraft[]): View {
  const events = readEvents(drafts)
  const eventAt = (seq: number) => events[seq - 1]
  return buildMessages(foldEvents(events, eventAt), eventAt)
}

function roundTrip(document: unknown): { document: unknown; problems: readonly string[] } {
  const imported = anthropic.read(JSON.stringify(document))
  const { text } = anthropic.write(buildView(imported.drafts), imported.envelope)
  return { document: JSON.parse(text), problems: imported.problems }
}

describe('reading and writing gives back the document', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['every kind of block, and the fields around the messages', everyKind],
    ['a bare array of messages', [user('hi'), assistant('hello')]],
    ['a system prompt that is a string', { system: 'be brief', messages: [user('hi')] }],
    ['the order of unknown fields', { zeta: 1, messages: [user('hi')], alpha: { deep: [null] } }],
    ['a call that still waits', { messages: [user('go'), assistant([use('a'), use('b')])] }],
    [
      'an empty result text',
      [user('go'), assistant([use('a')]), user([result('a', '')]), assistant('ok')],
    ],
    ['text that looks like a checkpoint', [user('<checkpoint:aaaaaa>')]],
    ['no messages at all', { messages: [] }],
  ]
  for (const [name, document] of cases)
    it(name, () => {
      expect(roundTrip(document).document).toStrictEqual(document)
      const order = (value: unknown) => Object.keys(value as object)
      expect(order(roundTrip(document).document)).toEqual(order(document))
    })

  it('the sample session, byte for byte of content', () => {
    const sample = new URL('../../samples/session.json', import.meta.url)
    const document: unknown = JSON.parse(readFileSync(sample, 'utf8'))
    expect(roundTrip(document)).toStrictEqual({ document, problems: [] })
  })

  const normalised: readonly (readonly [string, unknown, unknown])[] = [
    ['a lone text block becomes a string', [user([text('hi')])], [user('hi')]],
    [
      'is_error: false is left out',
      [user('go'), assistant([use('a')]), user([{ ...result('a'), is_error: false }])],
      [user('go'), assistant([use('a')]), user([result('a')])],
    ],
    [
      'results come first in their message',
      [user('go'), assistant([use('a')]), user([text('and'), result('a')])],
      [user('go'), assistant([use('a')]), user([result('a'), text('and')])],
    ],
    [
      'messages of one role in a row become one',
      [user('a'), user('b'), assistant('c'), assistant([text('d'), use('x')]), user([result('x')])],
      [
        user([text('a'), text('b')]),
        assistant([text('c'), text('d'), use('x')]),
        user([result('x')]),
      ],
    ],
    [
      'a byte order mark and marks for the cache go',
      {
        cache_control: { type: 'ephemeral' },
        system: [{ ...text('s'), cache_control: { type: 'ephemeral' } }],
        tools: [{ name: 'read', cache_control: { type: 'ephemeral' } }],
        messages: [user([{ ...text('a'), cache_control: { type: 'ephemeral' } }, text('b')])],
      },
      { system: [text('s')], tools: [{ name: 'read' }], messages: [user([text('a'), text('b')])] },
    ],
  ]
  for (const [name, document, expected] of normalised)
    it(`except that ${name}`, () => {
      const imported = anthropic.read(`\uFEFF${JSON.stringify(document)}`)
      const again = anthropic.write(buildView(imported.drafts), imported.envelope)
      expect(JSON.parse(again.text)).toStrictEqual(expected)
    })
})
