// How long files and functions may be.
import type { Node } from 'oxc-parser'
import { type Finding, isCode, isTest, type SourceFile } from './finding.ts'
import { nameOf, syntaxOf } from './syntax.ts'

const FILE_LINES = 300
const TEST_FILE_LINES = 600
const FUNCTION_LINES = 70
/** Of a component most lines are markup, one attribute each. */
const COMPONENT_LINES = 120
const MAX_FILE_BYTES = 1_000_000

export function fileLength(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
      const limit = isTest(path) ? TEST_FILE_LINES : FILE_LINES
      if (lines <= limit) return []
      const message = `${lines} lines, and ${limit} are the limit`
      return [{ rule: 'file-length', path, line: limit + 1, message }]
    })
}

export function functionLength(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ path }) => isCode(path)).flatMap(longFunctions)
}

export function fileSize(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ text, bytes = Buffer.byteLength(text) }) => bytes > MAX_FILE_BYTES)
    .map(({ path }) => ({
      rule: 'file-size',
      path,
      line: 1,
      message: 'over 1 MB; large data is generated or fetched, not committed',
    }))
}

function longFunctions(file: SourceFile): Finding[] {
  const syntax = syntaxOf(file)
  const limit = file.path.endsWith('.tsx') ? COMPONENT_LINES : FUNCTION_LINES
  const long: Node[] = []
  const suites = new Set<Node>()
  syntax.visit((node, parents) => {
    if (isFunction(node)) {
      if (syntax.lineOf(node.end) - syntax.lineOf(node.start) >= limit) long.push(node)
    } else if (declaresTest(node)) {
      // A function that declares tests is a list of them, whatever its length.
      for (const parent of parents) suites.add(parent)
    }
  })
  return long
    .filter((node) => !suites.has(node))
    .map((node) => ({
      rule: 'function-length',
      path: file.path,
      line: syntax.lineOf(node.start),
      message: `a function of ${syntax.lineOf(node.end) - syntax.lineOf(node.start) + 1} lines, and ${limit} are the limit`,
    }))
}

function isFunction({ type }: Node): boolean {
  return (
    type === 'FunctionDeclaration' ||
    type === 'FunctionExpression' ||
    type === 'ArrowFunctionExpression'
  )
}

/** `it(…)`, `describe.each(…)(…)`, `test.for(…)(…)`. */
function declaresTest(node: Node): boolean {
  if (node.type !== 'CallExpression') return false
  let callee: Node = node.callee
  while (callee.type === 'MemberExpression' || callee.type === 'CallExpression') {
    callee = callee.type === 'MemberExpression' ? callee.object : callee.callee
  }
  return ['it', 'test', 'describe'].includes(nameOf(callee) ?? '')
}
