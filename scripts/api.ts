// Writes docs/api.md: what the package's core exports, with signatures and comments from the sources
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

interface Exported {
  readonly name: string
  readonly file: string
  readonly isType: boolean
}

/** The page as it should be. */
export function buildApiPage(): string {
  const exported = exportsOfIndex().toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const values = exported.filter(({ isType }) => !isType)
  const types = exported.filter(({ isType }) => isType)
  return [
    '# API of the core',
    '',
    `What \`import … from 'precis'\` gives: ${values.length} values, and their types. \`npx node scripts/api.ts\` writes this`,
    'page from the sources. [library.md](library.md) has a running example of each value.',
    '',
    '## Values',
    ...values.flatMap(describe),
    '',
    '## Types',
    ...types.flatMap(describe),
    '',
  ].join('\n')
}

function exportsOfIndex(): Exported[] {
  const path = 'src/index.ts'
  const { program } = parseSync(path, readSource(path))
  return program.body.flatMap((node): Exported[] => {
    if (node.type !== 'ExportNamedDeclaration' || !node.source) return []
    const file = relative(ROOT, join(ROOT, dirname(path), node.source.value))
    return node.specifiers.map((specifier) => ({
      name: nameIn(specifier.exported),
      file,
      isType: node.exportKind === 'type' || specifier.exportKind === 'type',
    }))
  })
}

function nameIn(node: { readonly type: string }): string {
  return 'name' in node ? String(node.name) : ''
}

function describe({ name, file }: Exported): string[] {
  const text = readSource(file)
  const { program, comments } = parseSync(file, text)
  const found = program.body.filter((node) => {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : null
    if (!declared) return false
    if ('id' in declared && declared.id) return nameIn(declared.id) === name
    return 'declarations' in declared && declared.declarations.some(({ id }) => nameIn(id) === name)
  })
  const first = found[0]
  if (!first) return ['', `### ${name}`, '', `In [${file}](../${file}).`]
  const comment = comments.findLast(
    ({ end }) => end <= first.start && text.slice(end, first.start).trim() === '',
  )
  const said = comment?.type === 'Block' ? proseOf(comment.value) : []
  // Of overloads the last one is the implementation.
  const declared = found.length > 1 ? found.slice(0, -1) : found
  const shown = declared.map((node) => signatureOf(text.slice(node.start, node.end)))
  return ['', `### ${name}`, '', ...said, '```ts', ...shown, '```']
}

function proseOf(comment: string): string[] {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trim())
  return [...lines.filter((line) => line !== ''), '']
}

/** Without a body and without a value: what a caller has to know. */
function signatureOf(text: string): string {
  const plain = text.replace(/^export /, '')
  if (/^(?:interface|type|abstract class)/.test(plain)) return plain
  if (plain.startsWith('class')) return `${plain.slice(0, plain.indexOf('{')).trim()}`
  const end = plain.startsWith('const') ? plain.search(/ =(?!>)/) : plain.search(/ \{\n/)
  return end < 0 ? plain : plain.slice(0, end)
}

function readSource(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(ROOT, 'docs/api.md'), buildApiPage())
