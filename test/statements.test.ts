// What the check says of the numbered statements, the lists of those that are not proven, and a report.
import { describe, expect, it } from 'vitest'
import { coverage, disagreements, FULL_ONLY, TO_COME, writeList } from './tidy/statements.ts'

/** A small project; its ids are of no real statement. */
function project(ids: readonly string[], ceiling: number | undefined, full = '') {
  const list = ids.map((id) => `- ${id}`).join('\n')
  return [
    {
      path: 'docs/spec/log.md',
      text: '# LOG\n- LOG-95 [S] One.\n- LOG-96 Two, unlike LOG-97.\n- LOG-98 [P] Work well.\n',
    },
    { path: 'docs/spec/valid.md', text: '- VALID-K98 Three.\n' },
    { path: 'src/core/a.test.ts', text: "it('is not in the report [LOG-96]')" },
    { path: TO_COME, text: ceiling === undefined ? list : `Ceiling: ${ceiling}\n${list}\n` },
    { path: FULL_ONLY, text: full },
  ]
}

function report(...tests: readonly (readonly [status: string, fullName: string])[]) {
  const assertionResults = tests.map(([status, fullName]) => ({ status, fullName }))
  return { testResults: [{ status: 'passed', assertionResults }] }
}

const RAN = report(
  ['passed', 'a [LOG-95] (VALID-K98)'],
  ['skipped', 'b [LOG-96]'],
  ['failed', 'c [LOG-96]'],
  ['passed', 'd [LOG-98], which is about the way of working'],
)
const NONE = report()

describe('the statements of a report', () => {
  const cases: readonly [string, readonly unknown[], readonly RegExp[]][] = [
    ['agree', [project(['LOG-96'], 1), RAN], []],
    ['are not proven by tests that were skipped or failed', [project([], 0), RAN], [/^LOG-96 is/]],
    [
      'are listed and proven all the same',
      [project(['LOG-95', 'LOG-96'], 2), RAN],
      [/^LOG-95 is proven by a test: remove it from .*to-come/],
    ],
    [
      'are listed and do not exist',
      [project(['LOG-96', 'LOG-99'], 2), RAN],
      [/^LOG-99 .* no such statement/],
    ],
    [
      'are listed twice',
      [project(['LOG-96', 'LOG-96'], 2), RAN],
      [/^LOG-96 stands twice in .*to-come/],
    ],
    ['are listed, but are proven by no test', [project(['LOG-96', 'LOG-98'], 2), RAN], [/^LOG-98/]],
    [
      'are more than the ceiling',
      [project(['LOG-95', 'LOG-96', 'VALID-K98'], 2), NONE],
      [/grown to 3; its ceiling is 2/],
    ],
    ['are fewer than the ceiling', [project(['LOG-96'], 2), RAN], [/lower the ceiling .* 2 to 1/]],
    ['have no ceiling', [project(['LOG-96'], undefined), RAN], [/no line «Ceiling/]],
    ['need the full tier', [project([], 0, '- LOG-96: a browser\n'), RAN], []],
    [
      'need the full tier, for no reason',
      [project([], 0, '- LOG-96\n'), RAN],
      [/^LOG-96 stands in .*full-only.* without a reason/],
    ],
    [
      'need the full tier, but are proven without it',
      [project(['LOG-96'], 1, '- LOG-95: a server\n'), RAN],
      [/^LOG-95 is proven by a test: remove it from .*full-only/],
    ],
    [
      'are named by a test, but do not exist',
      [project(['LOG-96'], 1), report(['passed', '[LOG-95] [VALID-K98] [LOG-97]'])],
      [/^a test names LOG-97/],
    ],
  ]

  it.each(cases)('%s', (_, [files, ran], expected) => {
    const found = disagreements(
      files as ReturnType<typeof project>,
      ran as ReturnType<typeof report>,
      'fast',
    )
    expect(found).toHaveLength(expected.length)
    for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern)
  })

  it('are all proven in the full tier, whatever is listed for it', () => {
    const files = project([], 0, '- LOG-96: a browser\n')
    expect(disagreements(files, RAN, 'all')).toEqual([
      'LOG-96 is proven by no test that ran and passed',
    ])
    const ran = report(['passed', '[LOG-95] [LOG-96] [VALID-K98]'])
    expect(disagreements(files, ran, 'all')).toEqual([])
  })

  it('are counted by family', () => {
    expect(coverage(project([], 0), RAN)).toEqual([
      { name: 'LOG', ids: ['LOG-95', 'LOG-96'], missing: ['LOG-96'] },
      { name: 'VALID', ids: ['VALID-K98'], missing: [] },
    ])
  })
})

describe('the list of statements to come', () => {
  it('is written as it should be, and its ceiling never rises', () => {
    const rewritten = (files: ReturnType<typeof project>, ran: ReturnType<typeof report>) => {
      const text = writeList(files, ran)
      const changed = files.map((file) => (file.path === TO_COME ? { ...file, text } : file))
      return disagreements(changed, ran, 'fast')
    }
    expect(rewritten(project(['LOG-95', 'LOG-99'], 5), RAN)).toEqual([])
    expect(rewritten(project([], undefined), RAN)).toEqual([])
    expect(rewritten(project([], 0, '- LOG-96: a browser\n'), RAN)).toEqual([])
    expect(rewritten(project([], 1), NONE)).toEqual([
      expect.stringContaining('has grown to 3; its ceiling is 1'),
    ])
  })
})
