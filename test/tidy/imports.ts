// Who imports whom: every way in which one file can name another, types included.
import type { Node } from 'oxc-parser'
import { isCode, type SourceFile } from './finding.ts'
import { nameOf, syntaxOf } from './syntax.ts'

export interface Import {
  readonly from: string
  readonly specifier: string
  /** The path from the root, for a file of ours; undefined for a package. */
  readonly target: string | undefined
  readonly line: number
}

export function importsOf(files: readonly SourceFile[]): Import[] {
  return files.filter(({ path }) => isCode(path)).flatMap(importsOfFile)
}

/** The package of `@scope/name/deep` or `name/deep`; undefined for our own files and for Node's. */
export function packageOf(specifier: string): string | undefined {
  if (/^(?:\.|\/|node:|#)/.test(specifier)) return undefined
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function importsOfFile(file: SourceFile): Import[] {
  const syntax = syntaxOf(file)
  const found: Import[] = []
  syntax.visit((node) => {
    const source = sourceOf(node)
    const specifier = nameOf(source)
    if (source === undefined || specifier === undefined) return
    found.push({
      from: file.path,
      specifier,
      target: specifier.startsWith('.') ? resolve(file.path, specifier) : undefined,
      line: syntax.lineOf(source.start),
    })
  })
  return found
}

function sourceOf(node: Node): Node | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source
    case 'ExportNamedDeclaration':
      return node.source ?? undefined
    case 'TSExternalModuleReference':
      return node.expression
    case 'NewExpression':
      return workerSource(node)
    default:
      return undefined
  }
}

/** `new URL('./file.ts', import.meta.url)` loads a file as surely as an import does. */
function workerSource(node: Extract<Node, { type: 'NewExpression' }>): Node | undefined {
  const [first, base] = node.arguments
  const isUrl = nameOf(node.callee) === 'URL' && base?.type === 'MemberExpression'
  return isUrl && /^\.{1,2}\/.*\.[jt]s$/.test(nameOf(first) ?? '') ? first : undefined
}

function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}
