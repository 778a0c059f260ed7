// The pages on the library: recipes are the sample programs, the reference is made of the sources, every value has an example
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildApiPage } from '../../scripts/api.ts'
import { checkExamples } from './example.ts'
import { fencesWith, ROOT, readPage } from './page.ts'

checkExamples('docs/formats.md')

it('the recipes are the sample programs', () => {
  const page = readPage('docs/recipes.md')
  const fences = fencesWith(page, 'js').map(({ text }) => text.trim())
  const programs = readdirSync(join(ROOT, 'samples/library')).toSorted()
  expect(fences.toSorted()).toEqual(
    programs.map((name) => readPage(`samples/library/${name}`).trim()).toSorted(),
  )
})

it('the reference is what the sources say', () => {
  expect(readPage('docs/api.md')).toBe(buildApiPage())
})

it('every value of the core has an example that runs, and there are at most 40', async () => {
  const names = Object.keys(await import('../../src/index.ts'))
  expect(names.length).toBeLessThanOrEqual(40)
  const examples = fencesWith(readPage('docs/library.md'), 'ts')
    .map(({ text }) => text)
    .join('\n')
  const missing = names.filter((name) => !new RegExp(`import \\{[^}]*\\b${name}\\b`).test(examples))
  expect(missing).toEqual([])
})
