// Clocks and randomness in folders that only compute: there the time and ids arrive as arguments.
import type { Node } from 'oxc-parser'
import type { Finding, SourceFile } from './finding.ts'
import { isPure } from './layers.ts'
import { inCode } from './leftovers.ts'
import { nameOf } from './syntax.ts'

/** Objects of which every use is refused, and those of which only some members are. */
const REFUSED_OBJECTS = ['performance', 'crypto', 'Temporal']
const REFUSED_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  Date: ['now'],
  Math: ['random'],
}

export function clocks(files: readonly SourceFile[]): Finding[] {
  return inCode(
    files.filter(({ path }) => isPure(path)),
    'clock',
    judge,
  )
}

function judge(node: Node): string {
  switch (node.type) {
    case 'NewExpression':
      return nameOf(node.callee) === 'Date' && node.arguments.length === 0
        ? refused('new Date()')
        : ''
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'Date'
        ? refused('Date()')
        : ''
    case 'MemberExpression':
      return judgeMember(node)
    case 'VariableDeclarator': {
      // `const { now } = Date` hides the member.
      const source = nameOf(node.init) ?? ''
      return node.init?.type === 'Identifier' && isSource(source) ? refused(source) : ''
    }
    default:
      return ''
  }
}

function judgeMember({ object, property }: Extract<Node, { type: 'MemberExpression' }>): string {
  const outer = lastName(object) ?? ''
  const member = nameOf(property) ?? ''
  if (REFUSED_OBJECTS.includes(outer) && isGlobal(object)) return refused(`${outer}.${member}`)
  const isRefused =
    Object.hasOwn(REFUSED_MEMBERS, outer) && REFUSED_MEMBERS[outer]?.includes(member)
  return isRefused ? refused(`${outer}.${member}`) : ''
}

/** `Date` in `Date` and in `globalThis.Date`. */
function lastName(node: Node): string | undefined {
  return nameOf(node.type === 'MemberExpression' ? node.property : node)
}

function isGlobal(node: Node): boolean {
  if (node.type === 'Identifier') return true
  return node.type === 'MemberExpression' && nameOf(node.object) === 'globalThis'
}

function isSource(name: string): boolean {
  return REFUSED_OBJECTS.includes(name) || Object.hasOwn(REFUSED_MEMBERS, name)
}

function refused(what: string): string {
  return `${what} in a folder that only computes; take it as an argument`
}
