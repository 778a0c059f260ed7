// Lines are cut out of pieces of any size; where their text can be read again, their records know its place.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { isJson } from '../../core/text/json.ts'
import type { Source } from '../session-format.ts'
import { eachLine, type Line } from './lines.ts'
import { rawRecords } from './raw.ts'

function readSource(text: string, pieceBytes: number): Source {
  const bytes = Buffer.from(text)
  return {
    bytes: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += pieceBytes)
        yield bytes.subarray(at, at + pieceBytes)
    },
    textAt: (start, end) => bytes.subarray(start, end).toString(),
  }
}

async function readAll(source: Source): Promise<Line[]> {
  const all: Line[] = []
  for await (const lines of eachLine(source, undefined, 'keep')) all.push(...lines)
  return all
}

const SHORT = fc.constantFrom('', 'a', '海', '"b"')
const LONG = fc.constantFrom('a long line '.repeat(20), 'Umi 海 🛥 '.repeat(30))
const LINES = fc.array(fc.oneof(SHORT, LONG), { minLength: 1, maxLength: 12 })

describe('lines', () => {
  it('come out as they stand, and their records say the same', async () => {
    await fc.assert(
      fc.asyncProperty(LINES, fc.integer({ min: 1, max: 900 }), fc.boolean(), async (...given) => {
        const [texts, pieceBytes, isMarked] = given
        const source = readSource(`${isMarked ? '\uFEFF' : ''}${texts.join('\n')}`, pieceBytes)
        const lines = await readAll(source)
        expect(lines.map(({ text }) => text)).toEqual(texts)
        expect(lines.map(({ number }) => number)).toEqual(texts.map((_, at) => at + 1))
        for (const { record, number, text } of lines)
          if (record) expect({ ...record }).toMatchObject({ at: number, raw: text })
      }),
      runs(),
    )
  })
})

describe('a record whose text is elsewhere', () => {
  it('looks like one that is held, and is read only when it is asked for', async () => {
    const texts = ['{"first":1}', `{"second":"${'long '.repeat(40)}"}`]
    let read = 0
    const source = readSource(texts.join('\n'), 1_000)
    const counted: Source = {
      ...source,
      textAt: (start, end) => {
        read += 1
        return source.textAt?.(start, end) ?? ''
      },
    }
    const [, second] = await readAll(counted)
    const record = second?.record
    if (!record) throw new Error('the second line has no place')
    const kept = { format: 'f', records: [record] }
    const event = {
      v: 1,
      id: 'evt_1',
      threadId: 'thr_1',
      seq: 1,
      timestamp: new Date(0),
      type: 'FOREIGN',
      data: kept,
    } as const
    const [found] = rawRecords('f', [[event]])
    expect(read).toBe(0)
    expect(found?.raw).toBe(texts[1])
    const held = { at: 2, raw: texts[1] }
    expect(JSON.stringify(kept)).toBe(JSON.stringify({ format: 'f', records: [held] }))
    expect(isJson(kept)).toBe(true)
    expect(Object.entries(record)).toEqual(Object.entries(held))
  })
})
