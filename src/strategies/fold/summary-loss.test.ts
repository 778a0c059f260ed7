// What counts as losing a summary, and what is an edit.
import { describe, expect, it } from 'vitest'
import { losesMost } from './chunks.ts'

const HELD = `## Goal
Build a parser for TOML in src/parse.ts; the user wants no dependencies.
## Progress
- The lexer is done, 41 tests pass. Strings with escapes failed at \\u0000: fixed.
## Next
- Dates, then arrays of tables. Port 8080 for the demo.`

const LOST = [
  ['everything is gone', HELD, ''],
  ['two words stand for it', HELD, 'All good.'],
  ['a heading is left', HELD, '## Goal\nDone.'],
  ['something else of the same length', HELD, 'lorem ipsum dolor sit amet consectetur '.repeat(8)],
  ['of a short one nothing is left', 'Chunk 1 was folded.', 'All good.'],
  ['of a short one the facts are gone', 'Deploy key kestrel-4821 rotates Fridays.', HELD],
  ['in Chinese', '用户想要登录功能，端口是 8080，测试失败。', '好的。'],
] as const

const KEPT = [
  ['added to', HELD, `${HELD}\n- Dates are done.`],
  ['corrected', HELD, HELD.replace('8080', '9090').replace('41 tests', '57 tests')],
  ['condensed to two thirds', HELD, HELD.split('\n').slice(0, 4).join('\n')],
  ['begun', '', 'Build a parser.'],
  ['put into words at last', 'Nothing yet.', HELD],
  ['grown out of a few words', 'The user says hello there.', HELD],
  ['in Chinese', '用户想要登录功能，端口是 8080。', '用户想要登录功能，端口改为 9090。测试通过。'],
] as const

describe('losesMost', () => {
  it.each(LOST)('says so where %s', (_, before, after) => {
    expect(losesMost(before, after)).toBe(true)
  })

  it.each(KEPT)('says nothing of a summary that was %s', (_, before, after) => {
    expect(losesMost(before, after)).toBe(false)
  })
})
