// What counts as a name in a line, and of which kind.
import { describe, expect, it } from 'vitest'
import { eachTerm } from './terms.ts'

function findTerms(text: string): string[] {
  const found: string[] = []
  eachTerm(text, (from, to, kind) => found.push(`${kind} ${text.slice(from, to)}`))
  return found
}

const LINES: readonly (readonly [line: string, names: readonly string[]])[] = [
  ['plain words Here', ['word plain', 'word words', 'capital Here']],
  [
    'parseConfig retry_budget README',
    ['identifier parseConfig', 'identifier retry_budget', 'capital README'],
  ],
  ['TS2322 at 3f2a9c1e', ['identifier TS2322', 'word at', 'identifier 3f2a9c1e']],
  ['12 12px 0.75rem h1', ['number 12', 'number 12px', 'number 0.75rem', 'number h1']],
  ['node 24.21.0', ['word node', 'joined 24.21.0']],
  ['in src/net/retry.ts:12:5, see', ['word in', 'path src/net/retry.ts', 'number 12', 'word see']],
  ['./run.sh ~/notes /etc/hosts', ['path ./run.sh', 'path ~/notes', 'path /etc/hosts']],
  ['docs/cli.md and/or', ['path docs/cli.md', 'word and', 'word or']],
  ['config.json, options.retryMs.', ['joined config.json', 'joined options.retryMs']],
  ['keep-recent-turns but re-run', ['joined keep-recent-turns', 'word but', 'word re', 'word run']],
  ['key:parseConfig', ['word key', 'identifier parseConfig']],
  ['at https://example.com/a?b=c', ['word at', 'path https://example.com/a']],
  ['部署 parseConfig', ['word 部署', 'identifier parseConfig']],
]

describe('the names in a line', () => {
  it.each(LINES)('%s', (line, names) => {
    expect(findTerms(line)).toEqual(names)
  })
})
