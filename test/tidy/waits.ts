// Waits in tests that have no bound or no name: bare sleeps, events, loops, `vi.waitUntil`.
import type { Node } from 'oxc-parser'
import { type Finding, isTest, type SourceFile } from './finding.ts'
import { inCode } from './leftovers.ts'
import { nameOf } from './syntax.ts'

const WAITS = 'test/wait.ts'
const INSTEAD = `${WAITS} has waits with a bound and a name`

export function waits(files: readonly SourceFile[]): Finding[] {
  return inCode(
    files.filter(({ path }) => path !== WAITS && (isTest(path) || path.startsWith('test/'))),
    'wait',
    judge,
  )
}

function judge(node: Node): string {
  switch (node.type) {
    case 'ImportDeclaration': {
      const isOfTimers = /^(?:node:)?timers(?:\/promises)?$/.test(node.source.value)
      return isOfTimers && node.specifiers.some(isSleep) ? `a sleep; ${INSTEAD}` : ''
    }
    case 'CallExpression': {
      const { callee } = node
      if (callee.type === 'Identifier') return isTimer(callee.name) ? `a sleep; ${INSTEAD}` : ''
      if (callee.type !== 'MemberExpression' || nameOf(callee.object) !== 'vi') return ''
      return /^wait(?:For|Until)$/.test(nameOf(callee.property) ?? '')
        ? `a wait without a name; ${INSTEAD}`
        : ''
    }
    case 'AwaitExpression':
      return isBare(node.argument) ? `a wait without a bound; ${INSTEAD}` : ''
    case 'WhileStatement':
      return onlyWaits(node) ? `a loop that may never end; ${INSTEAD}` : ''
    default:
      return ''
  }
}

/** `await once(server, 'close')` and `await new Promise(…)`, unless that only gives way. */
function isBare(awaited: Node): boolean {
  if (awaited.type === 'CallExpression') return nameOf(awaited.callee) === 'once'
  if (awaited.type !== 'NewExpression' || nameOf(awaited.callee) !== 'Promise') return false
  const [run] = awaited.arguments
  const body = run?.type === 'ArrowFunctionExpression' ? run.body : run
  const called = nameOf(body?.type === 'CallExpression' ? body.callee : body)
  return called !== 'setImmediate' && !isTimer(called)
}

function isTimer(name: string | undefined): boolean {
  return name === 'setTimeout' || name === 'setInterval'
}

/** `setTimeout` and `setTimeout as sleep`; `setImmediate` gives way and waits for nothing. */
function isSleep(specifier: Node): boolean {
  return specifier.type !== 'ImportSpecifier' || isTimer(nameOf(specifier.imported))
}

/** `while (!(await isSo()));` and `while (!isSo) await pause()`, with braces or without. */
function onlyWaits({ test, body }: Extract<Node, { type: 'WhileStatement' }>): boolean {
  const [only = body, ...more] = body.type === 'BlockStatement' ? body.body : []
  if (more.length > 0) return false
  if (only.type === 'ExpressionStatement') return only.expression.type === 'AwaitExpression'
  return /^(?:Empty|Block)Statement$/.test(only.type) && hasAwait(test)
}

function hasAwait(node: Node): boolean {
  if (node.type === 'AwaitExpression') return true
  return Object.values(node).some(
    (child) => typeof child === 'object' && child !== null && 'type' in child && hasAwait(child),
  )
}
