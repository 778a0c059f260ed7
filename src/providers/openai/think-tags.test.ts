// Thinking between tags, however the text is cut into pieces.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { ThinkTags } from './stretches.ts'

function split(pieces: readonly string[]) {
  const tags = new ThinkTags()
  const said = [...pieces.flatMap((piece) => [...tags.push(piece)]), ...tags.end()]
  const of = (kind: string) =>
    said.flatMap((each) => (each.kind === kind ? [each.text] : [])).join('')
  return { thinking: of('thinking'), text: of('text') }
}

describe('ThinkTags', () => {
  it.each([
    ['plain', '', 'plain'],
    ['', '', ''],
    ['<think>a</think>b', 'a', 'b'],
    [' \n<think>\na</think>\n\n b', 'a', 'b'],
    ['<think></think>b', '', 'b'],
    ['<think>a', 'a', ''],
    ['<think>a</thin', 'a</thin', ''],
    ['<thin', '', '<thin'],
    ['<thinker>a', '', '<thinker>a'],
    ['a <think>b</think>', '', 'a <think>b</think>'],
    ['<think>a</think>b</think>c', 'a', 'b</think>c'],
  ])('%j', (whole, thinking, text) => {
    expect(split([whole])).toEqual({ thinking, text })
    expect(split([...whole])).toEqual({ thinking, text })
  })

  it('does not depend on where the pieces end', () => {
    const word = fc.constantFrom('<think>', '</think>', '<', 'think', ' ', '\n', 'a', '>', '/')
    fc.assert(
      fc.property(fc.array(word), (pieces) => {
        expect(split(pieces)).toEqual(split([pieces.join('')]))
      }),
      runs(),
    )
  })
})
