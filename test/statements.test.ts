// Every numbered statement of docs/spec is named by a test, or stands in the list of those to come.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { coverage, disagreements, LIST_PATH, writeList } from './tidy/statements.ts'
import { readTree } from './tidy/tree.ts'

/** A small project; its ids are of no real statement, so that no coverage counts them. */
function project(titles: string, ids: readonly string[], ceiling: number | undefined) {
  const list = ids.map((id) => `- ${id}`).join('\n')
  return [
    {
      path: 'docs/spec/log.md',
      text: '# LOG\n- LOG-95 [S] One.\n- LOG-96 Two, unlike LOG-97.\n- LOG-98 [P] Work well.\n',
    },
    { path: 'docs/spec/valid.md', text: '- VALID-K98 Three.\n' },
    { path: 'src/core/a.test.ts', text: titles },
    { path: 'src/core/a.ts', text: "it('is no test [LOG-95]')" },
    { path: LIST_PATH, text: ceiling === undefined ? list : `Ceiling: ${ceiling}\n${list}\n` },
  ]
}

const NAMED = "it('a [LOG-95]', f)\ndescribe.each(rows)(`b (VALID-K98)`, f)\n// it is not LOG-96\n"

describe('the statements', () => {
  it('are all named by a test or listed as to come', () => {
    expect(disagreements(readTree(fileURLToPath(new URL('..', import.meta.url))))).toEqual([])
  })
})

describe('the list of statements to come', () => {
  const cases: readonly [string, ReturnType<typeof project>, readonly RegExp[]][] = [
    ['agrees', project(NAMED, ['LOG-96'], 1), []],
    ['lacks one', project(NAMED, [], 0), [/^LOG-96 is named by no test/]],
    [
      'keeps one that a test names',
      project(NAMED, ['LOG-95', 'LOG-96'], 2),
      [/^LOG-95 is named by a test: remove it from the list/],
    ],
    [
      'has one that does not exist',
      project(NAMED, ['LOG-96', 'LOG-99'], 2),
      [/^LOG-99 .* no such statement/],
    ],
    ['has one twice', project(NAMED, ['LOG-96', 'LOG-96'], 1), [/^LOG-96 stands twice/]],
    ['has one about the way of working', project(NAMED, ['LOG-96', 'LOG-98'], 2), [/^LOG-98/]],
    [
      'is longer than its ceiling',
      project('', ['LOG-95', 'LOG-96', 'VALID-K98'], 2),
      [/grown to 3; its ceiling is 2/],
    ],
    ['is shorter than its ceiling', project(NAMED, ['LOG-96'], 2), [/lower the ceiling .* 2 to 1/]],
    ['has no ceiling', project(NAMED, ['LOG-96'], undefined), [/no line «Ceiling/]],
  ]

  it.each(cases)('that %s', (_, files, expected) => {
    const found = disagreements(files)
    expect(found).toHaveLength(expected.length)
    for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern)
  })

  it('is written as it should be, and its ceiling never rises', () => {
    const rewritten = (files: ReturnType<typeof project>) =>
      files.map((file) => (file.path === LIST_PATH ? { ...file, text: writeList(files) } : file))
    expect(disagreements(rewritten(project(NAMED, ['LOG-95', 'LOG-99'], 5)))).toEqual([])
    expect(disagreements(rewritten(project(NAMED, [], undefined)))).toEqual([])
    expect(disagreements(rewritten(project('', [], 1)))).toEqual([
      expect.stringContaining('has grown to 3; its ceiling is 1'),
    ])
  })
})

describe('the coverage', () => {
  it('counts statements by family', () => {
    expect(coverage(project(NAMED, [], 0))).toEqual([
      { name: 'LOG', ids: ['LOG-95', 'LOG-96'], missing: ['LOG-96'] },
      { name: 'VALID', ids: ['VALID-K98'], missing: [] },
    ])
  })
})
