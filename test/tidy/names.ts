// Names of files and of what they declare: kebab-case, and no words that say nothing.
import type { Node } from 'oxc-parser'
import { type Finding, isCode, type SourceFile } from './finding.ts'
import { inCode } from './leftovers.ts'

const EMPTY_WORDS = [
  'manager',
  'service',
  'helper',
  'util',
  'utility',
  'handler',
  'base',
  'impl',
  'common',
  'shared',
  'v2',
]

/** Names that readers, npm and git look for. */
const CONVENTIONAL = /^(?:[A-Z]+\.md|LICENSE)$/
const KEBAB = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*$/

export function fileNames(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path }) => {
    const wrong = path.split('/').find((part) => !CONVENTIONAL.test(part) && !isKebab(part))
    if (wrong === undefined) return []
    return [{ rule: 'file-name', path, line: 1, message: `${wrong} is not kebab-case` }]
  })
}

export function emptyWordsInPaths(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => isCode(path))
    .flatMap(({ path }) => {
      const word = emptyWord(path.split(/[/.-]/))
      if (word === undefined) return []
      return [{ rule: 'empty-word', path, line: 1, message: `the word ${word} says nothing` }]
    })
}

export function emptyWordsInCode(files: readonly SourceFile[]): Finding[] {
  return inCode(files, 'empty-word', (node, parents) => {
    const name = declaredName(node, parents)
    if (name === undefined) return ''
    const words = wordsOf(name)
    // In the name of a value only the noun, which comes last: `commonPrefix` is a true name.
    const word = emptyWord(isTypeName(node) ? words : words.slice(-1))
    return word === undefined ? '' : `the word ${word} in ${name} says nothing`
  })
}

function isKebab(part: string): boolean {
  return part
    .replace(/^\./, '')
    .split('.')
    .every((piece) => KEBAB.test(piece))
}

function isTypeName({ type }: Node): boolean {
  return /^(?:Class|TSInterface|TSTypeAlias)Declaration$/.test(type)
}

/** The name of a type or a function anywhere, or of a constant of the module. */
function declaredName(node: Node, parents: readonly Node[]): string | undefined {
  switch (node.type) {
    case 'ClassDeclaration':
    case 'FunctionDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return node.id?.name
    case 'VariableDeclarator': {
      const isOfModule = parents.every(({ type }) => !/Function|Method/.test(type))
      return isOfModule && node.id.type === 'Identifier' ? node.id.name : undefined
    }
    default:
      return undefined
  }
}

/** `toBase64`: to, base64; `SETTINGS_V2`: settings, v2. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[ _$]/)
    .map((word) => word.toLowerCase())
}

function emptyWord(words: readonly string[]): string | undefined {
  return words.find(
    (word) => EMPTY_WORDS.includes(word) || EMPTY_WORDS.includes(word.replace(/s$/, '')),
  )
}
