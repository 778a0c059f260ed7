// The shape of the tree as a test: layers, sizes, names, and what must not be there.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CHECKS } from '../test/tidy/checks.ts'
import { EXCEPTIONS } from '../test/tidy/exceptions.ts'
import { describeFinding, settle } from '../test/tidy/finding.ts'
import { filesOfProgram, foreignFiles } from '../test/tidy/pure-program.ts'
import { readTree } from '../test/tidy/tree.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = readTree(root)
/** Each check reads the whole tree: once is enough. */
const findings = new Map(Object.entries(CHECKS).map(([name, check]) => [name, check(files)]))

describe('the tree is tidy', () => {
  it.each([...findings])('%s', (_, found) => {
    const { remaining } = settle(found, EXCEPTIONS)
    expect(remaining.map(describeFinding)).toEqual([])
  })

  it('needs each of its exceptions', () => {
    expect(settle([...findings.values()].flat(), EXCEPTIONS).unneeded).toEqual([])
  })

  it.each(['src/core', 'src/edl', 'src/strategies'])(
    '%s compiles with the language alone',
    (project) => {
      const program = filesOfProgram(root, project)
      expect(program.some((path) => path.startsWith(`${project}/`))).toBe(true)
      expect(foreignFiles(program)).toEqual([])
    },
  )
})
