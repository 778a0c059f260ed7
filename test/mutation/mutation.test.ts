// The sample, the list of disabled mutants, and the scores of mutation testing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { FOLDERS, sourceFiles, testFiles } from './folders.ts'
import { drawSample, listMutants, withoutDisabled } from './mutants.ts'
import { failureOf, highestOf, type Outcome, scoreOf, survivorLines, tableOf } from './scores.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-mutants-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SOURCE = 'export const isFull = (used: number, size: number) => used >= size && size > 0\n'

async function mutantsOf(text: string) {
  const path = join(folder, 'full.ts')
  writeFileSync(path, text)
  return listMutants([path])
}

function outcomeOf(results: Outcome['results']): Outcome {
  return { name: 'core', all: results.length, disabled: 0, results, seconds: 1 }
}

describe('folders', () => {
  it.each(Object.entries(FOLDERS))('%s has sources and tests', (_, { sources, tests, apart }) => {
    for (const pattern of sources) expect(sourceFiles([pattern]), pattern).not.toEqual([])
    for (const pattern of [...tests, ...(apart?.tests ?? [])])
      expect(testFiles([pattern]), pattern).not.toEqual([])
  })
})

describe('the sample', () => {
  it('is the same for the same seed, and for code that has moved', async () => {
    const mutants = await mutantsOf(SOURCE)
    const moved = await mutantsOf(`// A line more.\n\n${SOURCE}`)
    const texts = (of: typeof mutants) => drawSample(of, 7, 4).map(({ replacement }) => replacement)
    expect(texts(mutants)).toHaveLength(4)
    expect(texts(moved)).toEqual(texts(mutants))
    expect(drawSample(mutants, 8, mutants.length)).not.toEqual(
      drawSample(mutants, 7, mutants.length),
    )
  })
})

describe('disabled mutants', () => {
  it('are found by the text of their line; an entry for other code is stale', async () => {
    const mutants = await mutantsOf(SOURCE)
    const entry = {
      path: join(folder, 'full.ts'),
      line: SOURCE.trim(),
      mutator: 'EqualityOperator',
      replacement: 'used >  size',
      reason: 'a case for this test',
    }
    const { left, stale } = withoutDisabled(mutants, [entry, { ...entry, line: 'return 1' }])
    expect(mutants.length - left.length).toBe(1)
    expect(left.map(({ replacement }) => replacement)).not.toContain('used > size')
    expect(stale.map(({ line }) => line)).toEqual(['return 1'])
  })
})

describe('scores', () => {
  it('count timeouts and sources that do not load as killed, and what no test runs as alive', async () => {
    const [mutant] = await mutantsOf(SOURCE)
    if (mutant === undefined) throw new Error('no mutant')
    const statuses = ['Killed', 'Timeout', 'RuntimeError', 'Survived', 'NoCoverage']
    const outcome = outcomeOf(statuses.map((status) => ({ mutant, status })))
    expect(scoreOf(outcome, 1)).toEqual({ seed: 1, sampled: 5, killed: 3, score: 60 })
    expect(survivorLines(outcome)).toEqual([
      expect.stringMatching(/\(killed: it took too long\)$/),
      expect.stringMatching(/full\.ts:1:23 {2}ArrowFunction: .* → \(\) => undefined$/),
      expect.stringMatching(/\(no test runs it\)$/),
    ])
    expect(tableOf([outcome])).toContain('| core | 5 | 0 | 5 | 3 | 1 | 1 | 1 | 60 % | 1 |')
  })

  it('fail below the goal, and below the committed score of the same sample', () => {
    const score = { seed: 1, sampled: 10, killed: 9, score: 90 }
    expect(failureOf('core', score, 85, undefined)).toBeUndefined()
    expect(failureOf('core', score, 85, score)).toBeUndefined()
    expect(failureOf('core', score, 95, undefined)).toContain('goal')
    const better = { ...score, killed: 10, score: 100 }
    expect(failureOf('core', score, 85, better)).toContain('had 100 %')
    expect(failureOf('core', score, 85, { ...better, seed: 2 })).toBeUndefined()
  })
})

describe('the highest scores', () => {
  const at = (score: number, seed = 1) => ({ seed, sampled: 10, killed: score / 10, score })

  it('are those of another run where these are lower, and the newer of two that are the same', () => {
    const older = { core: at(90), stores: at(70), agent: at(80) }
    const newer = { core: at(80), stores: at(90), agent: at(80, 2), cli: at(50) }
    expect(highestOf(older, newer)).toEqual({
      ...{ core: at(90), stores: at(90), agent: at(80, 2), cli: at(50) },
    })
  })
})
