// The examples of a page as a program: all its `ts` blocks in their order, checked and run by themselves.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCompiler } from '../tidy/pure-program.ts'
import { fencesWith, ROOT, readPage } from './page.ts'

interface Example {
  /** What the comments `// → …` say is printed, a line each. */
  readonly promised: readonly string[]
  readonly printed: readonly string[]
  /** What the program wrote on standard error, and how it ended where that was not well. */
  readonly complaints: string
  /** What the compiler says about it under the settings of the project. */
  readonly typeErrors: readonly string[]
}

const FILE = 'example.mts'

export function checkExamples(path: string): void {
  describe(`the examples of ${path}`, () => {
    const example = runExamples(path)

    it('compile under the settings of the project', () => {
      expect(example.typeErrors).toEqual([])
    })

    it('run', () => {
      expect(example.complaints).toBe('')
    })

    it('print what their comments say', () => {
      expect(example.promised.length).toBeGreaterThan(0)
      expect(example.printed).toEqual(example.promised)
    })
  })
}

/** In an empty folder, which is also where the program writes its files. */
function runExamples(path: string): Example {
  const text = fencesWith(readPage(path), 'ts')
    .map((fence) => fence.text)
    .join('\n')
  const folder = mkdtempSync(join(tmpdir(), 'precis-example-'))
  try {
    writeFileSync(join(folder, FILE), withSources(text))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS))
    const errors = runCompiler(folder, ['-p', folder, '--pretty', 'false']).split('\n')
    const { stdout, stderr, status } = spawnSync(process.execPath, [FILE], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
    })
    return {
      promised: [...text.matchAll(/\/\/ → (.+)$/gm)].map((found) => found[1] ?? ''),
      printed: stdout.split('\n').slice(0, -1),
      complaints: status === 0 ? stderr : `${stderr}ended with ${status}`,
      typeErrors: errors.filter((line) => line.startsWith(FILE)),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const SETTINGS = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    rootDir: '/',
    rewriteRelativeImportExtensions: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  },
  include: [FILE],
  exclude: [],
}

/** The package's own names lead to its sources: the examples are about what is here, not what is built. */
function withSources(text: string): string {
  return text.replace(/(?<=from '|import\(')precis(?:\/[\w-]+)?(?=')/g, sourceOfDoor)
}

/** The file behind `precis` or `precis/…`. */
export function sourceOfDoor(door: string): string {
  const { exports }: { exports: Record<string, { default: string }> } = JSON.parse(
    readPage('package.json'),
  )
  const built = exports[door.replace('precis', '.')]?.default
  if (built === undefined) throw new Error(`${door}: the package has no such door`)
  return join(ROOT, built.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
}
