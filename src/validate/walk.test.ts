// Walking through JSON of any shape: places, strings, and the size on the wire.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/scale.ts'
import type { Json } from '../core/text/json.ts'
import { eachString, jsonBytes, placeIn } from './walk.ts'

describe('places', () => {
  it('are written as in code', () => {
    expect(placeIn('', 'messages')).toBe('messages')
    expect(placeIn('messages', 3)).toBe('messages[3]')
    expect(placeIn('messages[3]', 'content')).toBe('messages[3].content')
    expect(placeIn('metadata', 'a b')).toBe('metadata["a b"]')
  })
})

describe('walking', () => {
  it('meets every string once, names of fields included', () => {
    const met: string[] = []
    eachString({ a: ['b', { c: 'd' }], e: 1 }, (text, place) => met.push(`${place()}: ${text}`))
    expect(met.toSorted()).toEqual(['a: a', 'a[0]: b', 'a[1].c: c', 'a[1].c: d', 'e: e'])
  })

  it('measures what would be sent, byte for byte', () => {
    const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 })
    fc.assert(
      fc.property(value, (each) => {
        const sent = JSON.stringify(each)
        expect(jsonBytes(JSON.parse(sent) as Json)).toBe(Buffer.byteLength(sent))
      }),
      runs(2_000),
    )
  })

  it('survives a value that is deeper than any stack', () => {
    let deep: Json = 'end'
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep]
    let count = 0
    eachString(deep, () => {
      count += 1
    })
    expect(count).toBe(1)
    expect(jsonBytes(deep)).toBe(400_005)
  })
})
