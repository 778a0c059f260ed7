// What the pages mention is there: files and folders by their path, scripts by their name, steps of the check.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeIn, pagesUnder, ROOT, readPage, tablesWith } from './page.ts'

const PAGES = [
  'CONTRIBUTING.md',
  ...pagesUnder('docs').filter((path) => !/^docs\/spec\//.test(path)),
]

/** Stand for a name that somebody has to choose. */
const PLACEHOLDER = /\/(?:the-id|name|vN)\b/

function codeOf(path: string): string[] {
  return readPage(path)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split('\n')
    .flatMap(codeIn)
}

describe('what the pages mention', () => {
  it.each(PAGES)('is there: files of %s', (path) => {
    const paths = codeOf(path).filter((code) =>
      /^(?:src|test|docs|scripts|bench)\/[\w./-]+$/.test(code),
    )
    expect(
      paths.filter((each) => !PLACEHOLDER.test(each) && !existsSync(join(ROOT, each))),
    ).toEqual([])
  })

  it('runs with the Node of the clone, since that of the system may be too old', () => {
    const OTHER_NODE = /(?<!node_modules\/\.bin\/)\bnode bin\/precis\.js/
    expect(['README.md', ...PAGES].filter((path) => OTHER_NODE.test(readPage(path)))).toEqual([])
    const unit = readPage('deploy/precis.service')
    expect(unit).toMatch(/^Environment=PATH=\/opt\/precis\/node_modules\/\.bin:/m)
    expect(unit).toContain('ExecStart=/usr/bin/env node /opt/precis/bin/precis.js')
    expect(existsSync(join(ROOT, 'node_modules/.bin/node'))).toBe(true)
  })

  it('is there: scripts', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(readPage('package.json'))
    const named = ['README.md', ...PAGES]
      .filter((path) => existsSync(join(ROOT, path)))
      .flatMap((path) => [...readPage(path).matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)])
      .map((found) => found[1] ?? '')
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })

  it('is there: the steps of the check', () => {
    const [table] = tablesWith(readPage('CONTRIBUTING.md'), 'step', 'what it runs')
    const steps = [...readPage('scripts/check.ts').matchAll(/step\(\s*'([^']+)'|name: '([^']+)'/g)]
    expect(table?.rows.map(([name]) => name)).toEqual(steps.map((found) => found[1] ?? found[2]))
  })
})
