// A source file as a syntax tree, so that no check mistakes a string or a comment for code.
import { type Comment, type Node, parseSync, visitorKeys } from 'oxc-parser'
import type { SourceFile } from './finding.ts'

export interface Syntax {
  readonly comments: readonly Comment[]
  /** Every node, parents before children; `parents` runs from the root to the nearest. */
  visit(enter: (node: Node, parents: readonly Node[]) => void): void
  /** The line, from 1, of an offset in the text. */
  lineOf(offset: number): number
}

// Several checks look at the same file; it is parsed once.
const parsed = new WeakMap<SourceFile, Syntax>()

export function syntaxOf(file: SourceFile): Syntax {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const syntax = parse(file)
  parsed.set(file, syntax)
  return syntax
}

/** The name in `name`, `object.name` or `object['name']`; undefined for anything else. */
export function nameOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Identifier') return node.name
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  return undefined
}

function parse(file: SourceFile): Syntax {
  const { program, comments, errors } = parseSync(file.path, file.text)
  const error = errors[0]
  if (error !== undefined) throw new Error(`${file.path} does not parse: ${error.message}`)
  const lineStarts = [0, ...[...file.text.matchAll(/\n/g)].map((found) => found.index + 1)]
  return {
    comments,
    visit: (enter) => walk(program, [], enter),
    lineOf: (offset) => lineStarts.findLastIndex((start) => start <= offset) + 1,
  }
}

function walk(
  node: Node,
  parents: readonly Node[],
  enter: (node: Node, parents: readonly Node[]) => void,
): void {
  enter(node, parents)
  const below = [...parents, node]
  for (const key of visitorKeys[node.type] ?? []) {
    const value: unknown = Reflect.get(node, key)
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, below, enter)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
