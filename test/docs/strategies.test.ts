// The page on strategies: its examples run, and its tables name what the code has.
import { describe, expect, it } from 'vitest'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { wordsOf } from './declarations.ts'
import { checkExamples } from './example.ts'
import { codeIn, readPage, tablesWith } from './page.ts'

const page = readPage('docs/strategies.md')

checkExamples('docs/strategies.md')

describe('the page on strategies', () => {
  const firstColumn = (...header: string[]) =>
    tablesWith(page, ...header).flatMap(({ rows }) => rows.flatMap(([cell = '']) => codeIn(cell)))

  it('lists every strategy that comes with précis', () => {
    expect(firstColumn('id', 'needs a model')).toEqual(DEFAULT_STRATEGIES.map(({ id }) => id))
  })

  it('lists every reason for which the gate refuses', () => {
    const reasons = wordsOf('src/core/edit/gate-checks.ts', 'RefusalReason')
    expect(reasons.length).toBeGreaterThan(0)
    expect(firstColumn('reason', 'when').toSorted()).toEqual(reasons.toSorted())
  })
})
