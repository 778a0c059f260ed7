// The rule of thumb of the LOG design, event by event.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../../test/generate/test-log.ts'
import { answer, checkpoint, local, reminder, result, system, user } from '../../../../test/say.ts'
import type { EventDraft } from '../../log/event.ts'
import { charsOverFour, estimateConversationTokens } from './counter.ts'

function estimate(...drafts: EventDraft[]): number {
  return estimateConversationTokens(new TestLog().append(drafts, 'leave'))
}

describe('estimateConversationTokens [LOG-11]', () => {
  it('gives between 11 and 19 for a user message of about 50 characters [LOG-10]', () => {
    const words = 'Please rename the orchard module to harvest, thanks'
    const tokens = estimate(user(words))
    expect(tokens).toBeGreaterThanOrEqual(11)
    expect(tokens).toBeLessThanOrEqual(19)
    expect(tokens).toBe(Math.ceil(words.length / 4))
    expect(estimate(user(`${words}.`))).toBe(13)
    expect(estimate(user(`${words}..`))).toBe(14)
  })

  const parts: EventDraft = {
    type: 'USER_MESSAGE',
    data: [
      { type: 'text', text: 'look' },
      { type: 'image', media: { mimeType: 'image/png', data: 'A'.repeat(4_000) } },
      { type: 'text', text: ' here' },
    ],
  }
  const ninety = JSON.stringify({
    id: 'c1',
    content: [{ type: 'text', text: 'done' }],
    status: 'completed',
  })

  it.each<[string, EventDraft[], number]>([
    ['nothing', [], 0],
    ['an empty message', [user('')], 0],
    ['one character', [user('a')], 1],
    ['four characters', [user('abcd')], 1],
    ['five characters', [user('abcde')], 2],
    ['parts, by their text', [parts], 3],
    ['an answer, by its content', answer('abcdefgh'), 2],
    ['each event rounded by itself', [user('a'), user('a'), ...answer('a')], 3],
    ['a result, by its JSON', [result('c1', 'done')], Math.ceil(ninety.length / 4)],
    ['calls, of an answer that says nothing', answer('', 'c1', 'c2'), 0],
    [
      'every other type',
      [system('abcd'), local('abcd'), reminder('abcd'), checkpoint('abcdef')],
      0,
    ],
  ])('counts %s', (_, drafts, tokens) => {
    expect(estimate(...drafts)).toBe(tokens)
  })

  it('rounds a text up', () => {
    expect([0, 1, 4, 5, 8, 9].map((length) => charsOverFour('x'.repeat(length)))).toEqual([
      0, 1, 1, 2, 2, 3,
    ])
  })
})
