// Chosen lines put together again: what stood together stands as it stood, and nothing else comes in.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, result, user } from '../../../test/say.ts'
import type { EventDraft } from '../../core/log/event.ts'
import type { Digest } from './digest.ts'
import { digestReducer } from './extract.ts'
import { findStretches } from './stretches.ts'

function computeDigest(...drafts: EventDraft[]): Digest {
  const log = new TestLog()
  log.append(drafts)
  return log.events.reduce(
    (digest, event) => digestReducer.step(digest, event),
    digestReducer.init(),
  )
}

/** The stretches of the lines that have one of these words in them. */
function chosen(digest: Digest, ...words: string[]): string[] {
  const indices = digest.lines.flatMap(({ text }, index) =>
    words.some((word) => text.includes(word)) ? [index] : [],
  )
  return findStretches(digest, indices)
}

const CODE = 'function parseFile(name) {\n\n    const text = readText(name)\n  }\n  return text'
const LONG = `${'some words of a long line '.repeat(12)}and its end`

interface Example {
  readonly it: string
  readonly text: string
  readonly words: readonly string[]
  readonly stretches: readonly string[]
}

const EXAMPLES: readonly Example[] = [
  {
    it: 'keeps indentation, empty lines and brackets between lines that follow one another',
    text: CODE,
    words: ['parseFile', 'readText', 'return'],
    stretches: [CODE],
  },
  {
    it: 'begins anew where a line between was not chosen',
    text: CODE,
    words: ['parseFile', 'return'],
    stretches: ['function parseFile(name) {', 'return text'],
  },
  {
    it: 'puts the pieces of a long line into one again',
    text: LONG,
    words: ['line', 'end'],
    stretches: [LONG],
  },
  {
    it: 'leaves out what has no name in it and is long',
    text: `first_name\n${'-'.repeat(60)}\nlast_name`,
    words: ['first_name', 'last_name'],
    stretches: ['first_name', 'last_name'],
  },
  {
    it: 'makes forged headings and refs inert inside a stretch, too',
    text: 'plan one\n## Goal\n[ref:e3] plan two',
    words: ['plan', 'Goal'],
    stretches: ['plan one\n ## Goal\n(ref:e3) plan two'],
  },
]

describe('stretches of chosen lines', () => {
  for (const { it: title, text, words, stretches } of EXAMPLES)
    it(title, () => {
      expect(chosen(computeDigest(user(text)), ...words)).toEqual(stretches)
    })

  it('hold lines of one text only', () => {
    const digest = computeDigest(
      user('Go.'),
      { type: 'AGENT_MESSAGE', data: { content: 'alpha_one', calls: ['call_1'] } },
      {
        type: 'TOOL_CALL',
        data: {
          id: 'call_1',
          name: 'edit',
          arguments: { old: 'alpha_one\nalpha_two', new: 'alpha_three\nalpha_four' },
          answer: 0,
        },
      },
      result('call_1', 'alpha_five'),
      ...answer('alpha_six'),
    )
    expect(chosen(digest, 'alpha')).toEqual([
      'alpha_one',
      'alpha_one\nalpha_two',
      'alpha_three\nalpha_four',
      'alpha_five',
      'alpha_six',
    ])
  })

  it('say the same when they are asked for again with more', () => {
    const digest = computeDigest(user(CODE))
    expect(chosen(digest, 'parseFile')).toEqual(['function parseFile(name) {'])
    expect(chosen(digest, 'parseFile', 'readText')).toEqual([CODE.slice(0, CODE.indexOf('\n  }'))])
    expect(chosen(digest, 'parseFile')).toEqual(['function parseFile(name) {'])
  })
})
