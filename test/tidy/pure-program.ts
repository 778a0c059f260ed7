// What the compiler is given for a folder that only computes: the language's library, and no host.
import { spawnSync } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** The library of the language, our own pure folders, and the schemas that core may use. */
const EXPECTED = [
  /^node_modules\/@typescript\/[^/]+\/lib\/lib\.(?:es|decorators)[\w.]*\.d\.ts$/,
  // A project that another one refers to is read as its declarations, once these are built.
  /^(?:src|dist)\/(?:core|edl|validate|wire|strategies)\//,
  /^node_modules\/zod\//,
]

/** Files that bring in more than a pure folder may see: the host's types, a test suite's. */
export function foreignFiles(paths: readonly string[]): string[] {
  return paths.filter((path) => !EXPECTED.some((pattern) => pattern.test(path)))
}

/** All files of a project, from the root. */
export function filesOfProgram(root: string, project: string): string[] {
  return runCompiler(root, ['-p', project, '--listFilesOnly'])
    .split('\n')
    .filter((line) => line !== '')
    .map((path) => relative(root, path).replaceAll('\\', '/'))
}

export function runCompiler(cwd: string, args: readonly string[]): string {
  return spawnSync(process.execPath, [COMPILER, ...args], { cwd, encoding: 'utf8' }).stdout
}
