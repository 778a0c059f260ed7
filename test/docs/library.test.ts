// The page on the library: its examples run, and it names every door of the package.
import { expect, it } from 'vitest'
import { checkExamples, sourceOfDoor } from './example.ts'
import { codeIn, fencesWith, readPage, tablesWith } from './page.ts'

checkExamples('docs/library.md')

it('the page on the library names every door of the package', () => {
  const { exports }: { exports: Record<string, unknown> } = JSON.parse(readPage('package.json'))
  const [doors] = tablesWith(readPage('docs/library.md'), 'import', 'what')
  const named = doors?.rows.map(([cell = '']) => codeIn(cell)[0])
  expect(named).toEqual(Object.keys(exports).map((door) => door.replace(/^\./, 'precis')))
})

it('the page on the HTTP API imports what the doors of the package give', async () => {
  const [example] = fencesWith(readPage('docs/http-api.md'), 'ts')
  const imports = [...(example?.text ?? '').matchAll(/^import \{ (.+) \} from '(precis.*)'$/gm)]
  expect(imports.length).toBeGreaterThan(0)
  for (const [, names = '', door = ''] of imports)
    expect(Object.keys(await import(sourceOfDoor(door)))).toEqual(
      expect.arrayContaining(names.split(', ')),
    )
})
