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

describe('the tree is tidy', () => {
  it.each(Object.entries(CHECKS))('%s', (_, check) => {
    const { remaining } = settle(check(files), EXCEPTIONS)
    expect(remaining.map(describeFinding)).toEqual([])
  })

  it('needs each of its exceptions', () => {
    const findings = Object.values(CHECKS).flatMap((check) => check(files))
    expect(settle(findings, EXCEPTIONS).unneeded).toEqual([])
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
