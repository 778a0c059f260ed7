// The plug-ins against the types of the hosts themselves, as their packages declare them.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { requirement } from '../require.ts'
import { folderOf, VERSIONS } from './installed.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 240_000
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const OPTIONS = {
  ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true },
  ...{ target: 'es2024', lib: ['esnext', 'dom'], module: 'nodenext', moduleResolution: 'nodenext' },
  ...{ allowImportingTsExtensions: true, types: ['node'] },
  typeRoots: [join(ROOT, 'node_modules/@types')],
}

/** What the compiler says of a file that hands a plug-in to its host. */
function compile(type: string, declarations: string, plugIn: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'precis-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lines = [
    `import type { ${type} } from ${JSON.stringify(declarations)}`,
    `import plugIn from ${JSON.stringify(join(ROOT, 'src/hosts', plugIn))}`,
    `export const checked: ${type} = plugIn`,
  ]
  writeFileSync(join(folder, 'check.ts'), `${lines.join('\n')}\n`)
  const config = { compilerOptions: OPTIONS, files: ['check.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  return spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout
}

describe.skipIf(!available)(`plug-ins and the types of their hosts ${notice}`, () => {
  it('pi takes the extension', { timeout: TIMEOUT_MS }, () => {
    const folder = join(folderOf('pi', VERSIONS.pi), 'node_modules', VERSIONS.pi.package)
    const types = join(folder, 'dist/index.js')
    expect(compile('ExtensionFactory', types, 'pi.ts')).toBe('')
    expect(compile('ExtensionFactory', types, 'opencode.ts')).toContain('error TS2322')
  })

  it('OpenCode takes the plug-in', { timeout: TIMEOUT_MS }, () => {
    const { types = '' } = VERSIONS.opencode
    const folder = join(folderOf('opencode', VERSIONS.opencode), 'node_modules', types)
    const declarations = join(folder, 'dist/index.js')
    expect(compile('Plugin', declarations, 'opencode.ts')).toBe('')
    expect(compile('Plugin', declarations, 'pi.ts')).toContain('error TS2322')
  })
})
