// What a source file declares for others: its exports, their members, and the words of a union.
import type { Node } from 'oxc-parser'
import { nameOf, syntaxOf } from '../tidy/syntax.ts'
import { readPage } from './page.ts'

/** The exported names of a file, each with its members where it is an interface, a class or an object. */
export function exportsOf(path: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>()
  syntaxOf({ path, text: readPage(path) }).visit((node, parents) => {
    if (parents.at(-1)?.type !== 'ExportNamedDeclaration') return
    if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations) add(found, id, init)
    } else if ('id' in node) add(found, node.id, node)
  })
  return found
}

/** The string literals of `type Name = 'a' | 'b'`. */
export function wordsOf(path: string, name: string): string[] {
  const words: string[] = []
  syntaxOf({ path, text: readPage(path) }).visit((node) => {
    if (node.type !== 'TSTypeAliasDeclaration' || node.id.name !== name) return
    if (node.typeAnnotation.type !== 'TSUnionType') return
    for (const { type, ...part } of node.typeAnnotation.types)
      if (type === 'TSLiteralType' && 'literal' in part) words.push(nameOf(part.literal) ?? '')
  })
  return words
}

function add(
  found: Map<string, ReadonlySet<string>>,
  id: Node | null,
  declared: Node | null | undefined,
): void {
  const name = nameOf(id)
  if (name !== undefined) found.set(name, new Set(declared ? membersOf(declared) : []))
}

function membersOf(node: Node): string[] {
  switch (node.type) {
    case 'TSInterfaceDeclaration':
    case 'ClassDeclaration':
      return node.body.body.flatMap((member) => ('key' in member ? (keyOf(member.key) ?? []) : []))
    case 'TSTypeAliasDeclaration':
      return membersOf(node.typeAnnotation)
    case 'TSTypeLiteral':
      return node.members.flatMap((member) => ('key' in member ? (keyOf(member.key) ?? []) : []))
    case 'TSUnionType':
    case 'TSIntersectionType':
      return node.types.flatMap(membersOf)
    case 'ObjectExpression':
      return node.properties.flatMap((member) => ('key' in member ? (keyOf(member.key) ?? []) : []))
    case 'TSSatisfiesExpression':
    case 'TSAsExpression':
      return membersOf(node.expression)
    default:
      return []
  }
}

function keyOf(key: Node): string | undefined {
  return nameOf(key)
}
