// Prints the size of the house: files and lines of src/, the largest folders, files with a single importer,
// functions named xOf, types named after compaction, repeated lines. Another checkout's path may be given.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isCode, isTest, type SourceFile } from '../test/tidy/finding.ts'
import { importsOf } from '../test/tidy/imports.ts'
import { readTree } from '../test/tidy/tree.ts'

const SHOWN_FOLDERS = 8
const REPEATED_LINES = 6

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const code = readTree(root).filter(({ path }) => isCode(path))
const sources = code.filter(({ path }) => path.startsWith('src/') && !isTest(path))
const texts = sources.map(({ text }) => text)

const figures: readonly (readonly [string, number])[] = [
  ['source files', sources.length],
  ['lines', texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)],
  ['folders', new Set(sources.map(({ path }) => dirname(path))).size],
  ['files with a single importer', singleImporters()],
  ['functions named xOf', matches(/^\s*(?:export )?(?:async )?(?:function\*?|const) \w+Of\b/gm)],
  [
    'types named after compaction',
    matches(/^(?:export )?(?:interface|type|class) \w*Compact\w*/gm),
  ],
  [`runs of ${REPEATED_LINES} lines that stand elsewhere, too`, repeatedRuns()],
]
for (const [what, count] of figures) console.log(`${what}: ${count.toLocaleString('en')}`)
console.log('largest folders:')
for (const [folder, count] of largestFolders()) console.log(`  ${folder}: ${count}`)

/** Files of src/ that exactly one other file imports; tests do not count. */
function singleImporters(): number {
  const importers = new Map<string, Set<string>>()
  for (const { from, target } of importsOf(code)) {
    if (target === undefined || isTest(from)) continue
    importers.set(target, (importers.get(target) ?? new Set()).add(from))
  }
  return sources.filter(({ path }) => importers.get(path)?.size === 1).length
}

function matches(pattern: RegExp): number {
  return texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0)
}

/** Blank lines, comments, lone marks and imports do not count. */
function repeatedRuns(): number {
  const places = new Map<string, number>()
  for (const source of sources) {
    const lines = tellingLines(source)
    for (let at = 0; at + REPEATED_LINES <= lines.length; at += 1) {
      const run = lines.slice(at, at + REPEATED_LINES).join('\n')
      places.set(run, (places.get(run) ?? 0) + 1)
    }
  }
  return [...places.values()].filter((count) => count > 1).length
}

function tellingLines({ text }: SourceFile): string[] {
  return text
    .replace(/^(?:import|export) (?:type )?\{[^}]*\} from .*$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) => /\w{2}/.test(line) && !/^(?:\/[/*]|\*|import |export .* from |\} from )/.test(line),
    )
}

function largestFolders(): (readonly [string, number])[] {
  const sizes = new Map<string, number>()
  for (const { path } of sources) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1)
  return [...sizes].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN_FOLDERS)
}
