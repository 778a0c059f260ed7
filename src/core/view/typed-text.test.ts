// What nobody typed is told from what somebody did.
import { describe, expect, it } from 'vitest'
import { isInjected, typedTexts } from './typed-text.ts'

const EVENT = {
  type: 'USER_MESSAGE',
  seq: 1,
  v: 1,
  id: 'a',
  threadId: 't',
  timestamp: new Date(0),
} as const

const CASES: readonly (readonly [text: string, isInjected: boolean])[] = [
  ['<system-reminder>The list is empty.</system-reminder>', true],
  [
    ' <system-reminder>a</system-reminder>\n<local-command-stdout>b\nc</local-command-stdout>\n',
    true,
  ],
  ['<system-reminder></system-reminder>', true],
  ['<system-reminder>a</system-reminder> Go on.', false],
  ['Why is there <system-reminder>a</system-reminder>', false],
  ['<system-reminder>Go on.', true],
  ['<command-name>/fix</command-name><command-args>the port</command-args>', false],
  ['', false],
  ['Go on.', false],
]

describe('messages of a client', () => {
  it.each(CASES)('%j: %s', (text, expected) => {
    expect(isInjected(text)).toBe(expected)
  })

  it('may have several parts, but no image: that was sent by somebody', () => {
    const reminder = { type: 'text', text: '<system-reminder>a</system-reminder>' } as const
    const image = { type: 'image', media: { mimeType: 'image/png', data: '' } } as const
    expect(isInjected([reminder, reminder])).toBe(true)
    expect(isInjected([reminder, image])).toBe(false)
  })

  it('hand over the record of another session in many parts, none of which was typed', () => {
    const part = (text: string) => ({ type: 'text', text }) as const
    const record = [
      part('The following is the Codex agent history whose request action you are assessing.'),
      part('>>> TRANSCRIPT START\n'),
      part('[1] user: Never touch the harbour.\n'),
      part('\n[2] assistant: I do not.'),
      part('>>> TRANSCRIPT END\n'),
    ]
    expect(isInjected(record)).toBe(true)
    expect(typedTexts({ ...EVENT, data: record })).toEqual([])
    const pasted = [part('What does this mean?'), part('<image name=[Image #1]>'), part('</image>')]
    expect(typedTexts({ ...EVENT, data: pasted })).toEqual(['What does this mean?'])
  })

  it('are passed once each, whatever stands in them', () => {
    expect(isInjected('<system-reminder>'.repeat(200_000))).toBe(true)
    expect(isInjected('<bash-stdout></bash-stdout>'.repeat(100_000))).toBe(true)
  })
})
