// The process as a global in the command: it arrives as `io`, so that a command can run inside a test.
import type { Node } from 'oxc-parser'
import { type Finding, isTest, type SourceFile } from './finding.ts'
import { inCode } from './leftovers.ts'
import { nameOf } from './syntax.ts'

const FOLDER = 'src/cli/'
/** Makes the `io` of the process. */
const DOOR = `${FOLDER}process-io.ts`
/** Facts about this process, the same for every run. */
const ALLOWED_MEMBERS = ['versions', 'platform', 'getuid']

export function surroundings(files: readonly SourceFile[]): Finding[] {
  return inCode(
    files.filter(({ path }) => path.startsWith(FOLDER) && path !== DOOR && !isTest(path)),
    'process',
    judge,
  )
}

/** A copy has nothing of the real environment: `os.homedir()` and child processes go on with the old one. */
export function replacedEnvironments(files: readonly SourceFile[]): Finding[] {
  return inCode(
    files.filter(({ path }) => isTest(path) || path.startsWith('test/')),
    'environment',
    (node) => {
      if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return ''
      const { object, property } = node.left
      return nameOf(object) === 'process' && nameOf(property) === 'env'
        ? 'process.env replaced by a copy; use vi.stubEnv'
        : ''
    },
  )
}

function judge(node: Node, parents: readonly Node[]): string {
  if (node.type === 'ImportDeclaration')
    return /^(?:node:)?process$/.test(node.source.value) ? refused(node.source.value) : ''
  if (node.type !== 'Identifier' || node.name !== 'process') return ''
  const parent = parents.at(-1)
  if (parent?.type !== 'MemberExpression') return refused('process')
  if (parent.object !== node && !parent.computed) return '' // the member of something else
  const member = nameOf(parent.property) ?? ''
  return ALLOWED_MEMBERS.includes(member) ? '' : refused(`process.${member}`)
}

function refused(what: string): string {
  return `${what} outside of ${DOOR}; take the io as an argument`
}
