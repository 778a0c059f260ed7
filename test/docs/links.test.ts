// Every relative link of the documentation leads to a file, and its anchor to a heading.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linksOf, pagesUnder, ROOT, readPage } from './page.ts'

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  .filter((path) => existsSync(join(ROOT, path)))
  .concat(pagesUnder('docs'))

/** As GitHub makes them: lower case, punctuation gone, spaces as hyphens. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#{1,6} +(.+)$/gm)].map((found) => found[1] ?? '')
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}

function brokenLinks(path: string): string[] {
  return linksOf(readPage(path))
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      if (!existsSync(join(ROOT, target))) return true
      if (anchor === undefined || !target.endsWith('.md')) return false
      return !anchorsOf(readPage(target)).has(anchor)
    })
}

describe('the links of', () => {
  it.each(PAGES)('%s lead somewhere', (path) => {
    expect(brokenLinks(path)).toEqual([])
  })
})
