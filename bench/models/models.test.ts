// The tables of poor models in docs/benchmarks.md come from the committed rows.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PAGE } from '../report.ts'
import { pageWithModels } from './models.ts'

it('docs/benchmarks.md shows the latest rows of models and soaks', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(pageWithModels(page)).toBe(page)
})
