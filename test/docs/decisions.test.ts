// The pages on decisions: all have their form, the index lists them, and the dependencies are those we have.
import { describe, expect, it } from 'vitest'
import { codeIn, linksOf, pagesUnder, readPage, tablesWith } from './page.ts'

const FOLDER = 'docs/decisions'
const INDEX = `${FOLDER}/README.md`
const pages = pagesUnder(FOLDER).filter((path) => path !== INDEX)

describe('a decision', () => {
  it.each(pages)('%s has a number, a date, a status and its sections', (path) => {
    const [number] = /\d{4}(?=-[a-z0-9-]+\.md$)/.exec(path) ?? []
    const [title, , status] = readPage(path).split('\n')
    expect(title).toMatch(new RegExp(`^# ${number}: \\S`))
    expect(status).toMatch(/^\d{4}-\d\d-\d\d · (?:proposed|accepted|replaced by \[\d{4}\]\(.+\))$/)
    expect([...readPage(path).matchAll(/^## (.+)$/gm)].map((found) => found[1])).toEqual([
      'Context',
      'Decision',
      'Consequences',
      'Not chosen',
    ])
  })

  it('is listed in the index', () => {
    const listed = linksOf(readPage(INDEX)).map((link) => `${FOLDER}/${link}`)
    expect(listed).toEqual(pages)
  })
})

describe('the dependencies', () => {
  it('are those of the page that argues for each', () => {
    const manifest: Record<string, Record<string, string>> = JSON.parse(readPage('package.json'))
    const [published, development] = tablesWith(
      readPage(`${FOLDER}/0008-dependencies.md`),
      'package',
      'for',
    ).map(({ rows }) => rows.map(([cell = '']) => codeIn(cell)[0]).toSorted())
    expect(published).toEqual(Object.keys(manifest.dependencies ?? {}).toSorted())
    expect(development).toEqual(Object.keys(manifest.devDependencies ?? {}).toSorted())
  })
})
