// The tables of docs/formats.md say what the formats themselves say.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SESSION_FORMATS } from '../../src/formats/index.ts'

const page = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8')

it('docs/formats.md lists every format, and whether it is written', () => {
  const rows = SESSION_FORMATS.map(
    ({ id, title, write }) => `| \`${id}\` | ${title} | ${write ? 'read, written' : 'read'} |`,
  )
  expect(page).toContain(['| id | format | |', '|---|---|---|', ...rows].join('\n'))
})

it('docs/formats.md lists what each written format may lose', () => {
  const rows = SESSION_FORMATS.filter(({ write }) => write !== undefined).map(
    ({ id, losses }) => `| \`${id}\` | ${losses.join(', ')} |`,
  )
  expect(page).toContain(['| id | may lose |', '|---|---|', ...rows].join('\n'))
})

it('docs/formats.md explains every loss', () => {
  const known = new Set(SESSION_FORMATS.flatMap(({ losses }) => losses))
  for (const loss of known) expect(page).toContain(`- \`${loss}\`: `)
})
