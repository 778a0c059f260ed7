// What is left lying about: `any`, silenced compilers, tests switched off, notes to self.
import type { Node } from 'oxc-parser'
import { type Finding, isCode, type SourceFile } from './finding.ts'
import { nameOf, syntaxOf } from './syntax.ts'

const NOTES = /@ts-(?:ignore|expect-error|nocheck)\b|\b(?:TODO|FIXME|XXX|HACK)\b/

export function anyTypes(files: readonly SourceFile[]): Finding[] {
  return inCode(files, 'any', (node) =>
    node.type === 'TSAnyKeyword' ? 'the type any; unknown and a guard say the same safely' : '',
  )
}

export function switchedOffTests(files: readonly SourceFile[]): Finding[] {
  return inCode(files, 'switched-off-test', (node) => {
    if (node.type !== 'MemberExpression') return ''
    const method = nameOf(node.property) ?? ''
    if (!['only', 'skip', 'todo', 'fails'].includes(method)) return ''
    return ['it', 'test', 'describe', 'suite'].includes(rootName(node.object) ?? '')
      ? `a test with .${method}; one for a program that may be missing uses skipIf and test/require.ts`
      : ''
  })
}

/** Whoever reads the counts sees what was missing: the title holds the notice of test/require.ts. */
export function unnamedSkips(files: readonly SourceFile[]): Finding[] {
  return inCode(files, 'unnamed-skip', (node) => {
    if (node.type !== 'CallExpression' || !isSkip(node.callee)) return ''
    const [title] = node.arguments
    const parts = title?.type === 'TemplateLiteral' ? title.expressions : [title]
    return parts.some((part) => (titleName(part) ?? '').endsWith('notice'))
      ? ''
      : 'a skip whose title does not hold the notice of requirement()'
  })
}

/** `it.skipIf(…)` and `it.skipIf(…).each(…)`, to be called with a title. */
function isSkip(callee: Node): boolean {
  if (callee.type !== 'CallExpression' || callee.callee.type !== 'MemberExpression') return false
  const method = nameOf(callee.callee.property) ?? ''
  if (method === 'each' || method === 'for') return isSkip(callee.callee.object)
  return method === 'skipIf' || method === 'runIf'
}

function titleName(part: Node | undefined): string | undefined {
  return nameOf(part?.type === 'MemberExpression' ? part.property : part)
}

/** Random inputs come from test/scale.ts, which fixes the seed and scales how many there are. */
export function ownSeeds(files: readonly SourceFile[]): Finding[] {
  const others = files.filter(({ path }) => path !== 'test/scale.ts')
  return inCode(others, 'own-seed', (node) => {
    const isRunCount = node.type === 'Property' && nameOf(node.key) === 'numRuns'
    const isAssert =
      node.type === 'CallExpression' &&
      node.callee.type === 'MemberExpression' &&
      nameOf(node.callee.object) === 'fc' &&
      nameOf(node.callee.property) === 'assert'
    return isRunCount || (isAssert && node.arguments.length < 2)
      ? 'random inputs without runs() of test/scale.ts'
      : ''
  })
}

export function notesInComments(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => isCode(path))
    .flatMap((file) => {
      const { comments, lineOf } = syntaxOf(file)
      return comments.flatMap(({ value, start }) => {
        const note = NOTES.exec(value)?.[0]
        if (note === undefined) return []
        return [{ rule: 'note', path: file.path, line: lineOf(start), message: `a ${note}` }]
      })
    })
}

/** Findings for the nodes about which `judge` has something to say. */
export function inCode(
  files: readonly SourceFile[],
  rule: string,
  judge: (node: Node, parents: readonly Node[]) => string,
): Finding[] {
  const findings: Finding[] = []
  for (const file of files.filter(({ path }) => isCode(path))) {
    const syntax = syntaxOf(file)
    syntax.visit((node, parents) => {
      const message = judge(node, parents)
      if (message === '') return
      findings.push({ rule, path: file.path, line: syntax.lineOf(node.start), message })
    })
  }
  return findings
}

/** `it` in `it.concurrent.each`. */
function rootName(node: Node): string | undefined {
  return node.type === 'MemberExpression' ? rootName(node.object) : nameOf(node)
}
