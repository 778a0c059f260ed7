// Chunks: the rows of the vectors with a target of 20 and a tolerance of 5, and what holds for any sizes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import {
  CHARS_PER_TOKEN,
  chunkMessages,
  chunkMessagesByTokenBudget,
  TARGET_CHUNK_TOKENS,
  TOLERANCE_TOKENS,
} from './render-thread.ts'

interface Rendered {
  readonly markdown: string
  readonly boundaries: readonly number[]
}

/** Messages joined, with the places where they begin. */
function rendered(messages: readonly string[]): Rendered {
  let at = 0
  const boundaries = messages.map((message) => {
    at += message.length
    return at - message.length
  })
  return { markdown: messages.join(''), boundaries }
}

/** Messages of these sizes, each of another letter. */
function ofSizes(sizes: readonly number[]): Rendered {
  return rendered(sizes.map((size, at) => String.fromCharCode(97 + at).repeat(size)))
}

function chunk20({ markdown, boundaries }: Rendered): string[] {
  const chunks = chunkMessages(markdown, boundaries, 20, 5)
  expect(chunks.join('')).toBe(markdown)
  return chunks
}

function measureSizes(chunks: readonly string[]): number[] {
  return chunks.map((chunk) => chunk.length)
}

/** Messages of these lengths → chunks of these, with a target of 20 and a tolerance of 5. */
const VECTORS: [messages: string, chunks: string][] = [
  ['23', '23'],
  ['25', '25'],
  ['26', '20,6'],
  ['45', '20,25'],
  ['55', '20,20,15'],
  ['15,15,15', '15,15,15'],
  ['10,10,10', '20,10'],
  ['12,12', '24'],
  ['10,10,4,10', '24,10'],
  ['22,10', '22,10'],
  ['8,8,55', '20,20,20,11'],
  ['8,8,55,3', '20,20,20,14'],
  ['24,30', '24,20,10'],
  ['5,26,5', '20,16'],
]

const SINGLE: [size: number, chunks: number][] = [
  [23, 1],
  [25, 1],
  [26, 2],
  [55, 3],
]

describe('chunks', () => {
  it.each(VECTORS)('of messages of %s are %s long', (messages, expected) => {
    expect(measureSizes(chunk20(ofSizes(messages.split(',').map(Number)))).join(',')).toBe(expected)
  })

  it('are what both names of the function give [FOLD-07]', () => {
    expect(chunkMessagesByTokenBudget).toBe(chunkMessages)
    expect(chunkMessages('# user:\nhi\n', [0], 20, 5)).toEqual(['# user:\nhi\n'])
  })

  it('have 100,000 characters and 20,000 of tolerance as their usual size', () => {
    expect(CHARS_PER_TOKEN * TARGET_CHUNK_TOKENS).toBe(100_000)
    expect(CHARS_PER_TOKEN * TOLERANCE_TOKENS).toBe(20_000)
  })

  it('are none for an empty thread [FOLD-09]', () => {
    expect(chunkMessages('', [], 20, 5)).toEqual([])
  })

  it('are one where everything fits, and it is the markdown itself [FOLD-10] [FOLD-11]', () => {
    for (const sizes of [[7], [7, 5], [1, 2, 3, 4, 5], [5, 5, 5, 5]]) {
      const thread = ofSizes(sizes)
      expect(chunk20(thread)).toEqual([thread.markdown])
    }
  })

  it('end between messages where the next one does not fit [FOLD-12]', () => {
    expect(chunk20(ofSizes([15, 15, 15]))).toEqual(['a'.repeat(15), 'b'.repeat(15), 'c'.repeat(15)])
    expect(chunk20(ofSizes([10, 10, 10, 10]))).toEqual([
      `${'a'.repeat(10)}${'b'.repeat(10)}`,
      `${'c'.repeat(10)}${'d'.repeat(10)}`,
    ])
  })

  it.each(SINGLE)(
    'of one message of %i characters are %i [FOLD-14] [FOLD-15] [FOLD-16] [FOLD-17]',
    (size, chunks) => {
      expect(chunk20(ofSizes([size]))).toHaveLength(chunks)
    },
  )

  it('let the beginning of a giant share the chunk of the small ones before it [FOLD-18]', () => {
    const [first, ...rest] = chunk20(ofSizes([8, 8, 55]))
    expect(first).toBe(`${'a'.repeat(8)}${'b'.repeat(8)}${'c'.repeat(4)}`)
    expect(rest.join('')).toBe('c'.repeat(51))
  })

  it('hold whole messages up to target and tolerance together [FOLD-20a]', () => {
    expect(measureSizes(chunk20(ofSizes([12, 12])))).toEqual([24])
    expect(measureSizes(chunk20(ofSizes([12, 13])))).toEqual([25])
    expect(measureSizes(chunk20(ofSizes([12, 14])))).toEqual([12, 14])
  })

  it('do not part an emoji that stands where the cut would be [FOLD-22]', () => {
    const giant = `${'x'.repeat(19)}${'🚀'.repeat(20)}`
    expect(measureSizes(chunk20(rendered([giant])))).toEqual([19, 20, 20])
    // No room for a pair in the open chunk: it ends with its own message.
    expect(measureSizes(chunk20(rendered(['y'.repeat(19), '🚀'.repeat(20)])))).toEqual([19, 20, 20])
    expect(chunkMessages('🚀🚀', [0], 2, 0)).toEqual(['🚀', '🚀'])
    expect(chunkMessages('x🚀🚀', [0], 2, 0)).toEqual(['x', '🚀', '🚀'])
  })

  it('lose nothing where the boundaries are not what they should be', () => {
    const markdown = 'x'.repeat(60)
    for (const boundaries of [
      [],
      [5],
      [0, 90],
      [0, 30, 10, 40],
      [-3, 7, 7, 7],
      [0, Number.NaN, 30],
    ])
      expect(chunkMessages(markdown, boundaries, 20, 5).join('')).toBe(markdown)
  })

  it.each([
    [1, 5],
    [0, 5],
    [20.5, 5],
    [20, -1],
    [Number.NaN, 0],
    [20, Number.POSITIVE_INFINITY],
  ])('cannot be %j long with a tolerance of %j', (target, tolerance) => {
    expect(() => chunkMessages('x', [0], target, tolerance)).toThrow(/A chunk cannot be/)
  })
})

describe('chunks of any messages', () => {
  const message = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 20, maxLength: 120 }) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom('🚀', 'x', '\ud83d', '\ude80')).map(joined) },
  )
  const messages = fc
    .array(message, { maxLength: 30 })
    .map((all) => all.filter((text) => text !== ''))
  const target = fc.integer({ min: 2, max: 40 })
  const tolerance = fc.integer({ min: 0, max: 15 })

  /** Every check sees the chunks, and where each ends in the markdown. */
  function holds(check: (thread: Rendered, ends: number[], sizes: Sizes) => void): void {
    fc.assert(
      fc.property(messages, target, tolerance, (all, targetChars, toleranceChars) => {
        const thread = rendered(all)
        const chunks = chunkMessages(
          thread.markdown,
          thread.boundaries,
          targetChars,
          toleranceChars,
        )
        expect(chunks.join('')).toBe(thread.markdown)
        let end = 0
        const ends = chunks.map((chunk) => {
          end += chunk.length
          return end
        })
        check(thread, ends, { targetChars, limit: targetChars + toleranceChars })
      }),
      runs(3_000),
    )
  }

  it('joined are the markdown, and none is empty [FOLD-19]', () => {
    holds((_, ends) => {
      expect(ends.every((end, at) => end > (ends[at - 1] ?? 0))).toBe(true)
    })
  })

  it('never exceed target and tolerance, and are as long as the target where they end inside a giant [FOLD-20]', () => {
    holds(({ markdown, boundaries }, ends, { targetChars, limit }) => {
      for (const [at, end] of ends.entries()) {
        const start = ends[at - 1] ?? 0
        expect(end - start).toBeLessThanOrEqual(limit)
        if (end === markdown.length || boundaries.includes(end)) continue
        // One less only where a pair stands in the way.
        const exact = isInPair(markdown, start + targetChars) ? targetChars - 1 : targetChars
        expect(end - start).toBe(exact)
      }
    })
  })

  it('never split a message that fits into one [FOLD-13]', () => {
    holds(({ markdown, boundaries }, ends, { limit }) => {
      for (const [at, begin] of boundaries.entries()) {
        const finish = boundaries[at + 1] ?? markdown.length
        if (finish - begin <= limit)
          expect(ends.filter((end) => begin < end && end < finish)).toEqual([])
      }
    })
  })

  it('never end inside a surrogate pair [FOLD-22]', () => {
    holds(({ markdown, boundaries }, ends) => {
      const cuts = ends.filter((end) => !boundaries.includes(end))
      expect(cuts.filter((end) => isInPair(markdown, end))).toEqual([])
    })
  })

  it('are found by looking at each boundary once, and none is empty [FOLD-21]', () => {
    for (const count of [10, 100, 1_000, 10_000]) {
      const { markdown, boundaries } = rendered(
        Array.from({ length: count }, (_, at) => 'm'.repeat(1 + ((at * 7) % 90))),
      )
      let reads = 0
      const counted = new Proxy(boundaries, {
        get(all, key) {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
          return Reflect.get(all, key)
        },
      })
      const chunks = chunkMessages(markdown, counted, 20, 5)
      // Chunks that share no character and leave none out: each was copied once.
      expect(chunks.join('')).toBe(markdown)
      expect(chunks.filter((chunk) => chunk === '')).toEqual([])
      expect(reads).toBeLessThanOrEqual(count)
    }
  })
})

interface Sizes {
  readonly targetChars: number
  readonly limit: number
}

function joined(parts: readonly string[]): string {
  return parts.join('')
}

function isInPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}
