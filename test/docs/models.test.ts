// The page on models: its tables of what is too long, and of providers, are those of the sources.
import { describe, expect, it } from 'vitest'
import { PROVIDER_ENTRIES } from '../../src/providers/entries.ts'
import { NOT_OVERFLOW_ROWS, OUTPUT_LIMIT_ROWS } from '../../src/providers/failures/overflow.ts'
import { OVERFLOW_ROWS } from '../../src/providers/failures/overflow-rows.ts'
import { codeIn, readPage, tablesWith } from './page.ts'

const PAGE = readPage('docs/models.md')

function column(...header: string[]): string[] {
  const [table] = tablesWith(PAGE, ...header)
  return table?.rows.map(([cell = '']) => cell) ?? []
}

describe('the page on models', () => {
  it('lists every way of saying «too long», and its code', () => {
    expect(column('provider', 'as it says it')).toEqual(OVERFLOW_ROWS.map((row) => row.provider))
    const [table] = tablesWith(PAGE, 'provider', 'as it says it')
    expect(table?.rows.map(([, , code = '']) => codeIn(code)[0])).toEqual(
      OVERFLOW_ROWS.map((row) => row.code),
    )
  })

  it('lists everything that sounds alike', () => {
    const rows = [...NOT_OVERFLOW_ROWS, ...OUTPUT_LIMIT_ROWS]
    expect(column('not overflow', 'as it is said')).toEqual(rows.map((row) => row.what))
  })

  it('lists every provider', () => {
    const named = column('provider', 'API').flatMap(codeIn)
    expect(named.toSorted()).toEqual([...PROVIDER_ENTRIES.map(({ id }) => id), 'dev'].toSorted())
  })
})
