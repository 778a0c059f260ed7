// The packed library in an empty project, with the packages that its programs bring
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packLibrary } from '../../scripts/pack.ts'
import { ROOT } from '../docs/page.ts'
import { runCompiler } from '../tidy/pure-program.ts'

export interface Project {
  readonly folder: string
  readonly tarball: string
  /** Runs a file of the project; its output, and what it complained of. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran>
  remove(): void
}

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly isDone: boolean
}

/** `with` are packages of this checkout, to be found by the programs. */
export async function installLibrary(packages: readonly string[]): Promise<Project> {
  const said = runCompiler(ROOT, ['-b', 'tsconfig.build.json'])
  if (said.trim() !== '') throw new Error(said)
  const folder = mkdtempSync(join(tmpdir(), 'precis-package-'))
  const tarball = await packLibrary(folder)
  const installed = join(folder, 'node_modules/precis')
  mkdirSync(installed, { recursive: true })
  spawnSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  for (const name of ['zod', '@opentelemetry/api', ...packages]) {
    const place = join(folder, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), place)
  }
  cpSync(join(ROOT, 'samples/library'), join(folder, 'programs'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return {
    folder,
    tarball,
    // Not synchronously: the stand-in of a test answers from the same process.
    run: (args, environment = {}) =>
      new Promise((resolve) => {
        const options = {
          cwd: folder,
          timeout: 60_000,
          env: { ...process.env, ...environment, NODE_NO_WARNINGS: '1' },
        }
        execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
          resolve({ stdout, stderr, isDone: error === null })
        })
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
