// The compiler refuses the host in folders that only compute: each use below must be an error.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { foreignFiles, runCompiler } from './pure-program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const REFUSED: Readonly<Record<string, string>> = {
  process: 'export const x = process.env',
  console: "console.log('x')",
  fetch: "export const x = fetch('x')",
  timer: 'setTimeout(() => undefined, 1)',
  signal: 'export const x = new AbortController()',
  buffer: "export const x = Buffer.from('x')",
  crypto: 'export const x = crypto.randomUUID()',
  files: "export * from 'node:fs'",
  'bare-files': "export * from 'fs'",
}
const ACCEPTED: Readonly<Record<string, string>> = {
  language: 'export const x = new Map([[1, [2].findLast((n) => n > 1)]])',
  schemas: "import { z } from 'zod'\nexport const x: z.ZodType<string> = z.string()",
}

describe.each(['src/core', 'src/validate', 'src/strategies'])('%s', (project) => {
  const folder = mkdtempSync(join(tmpdir(), 'precis-pure-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('compiles the language, and refuses the host', () => {
    // The packages are in reach as they are in the project, so that only the settings can refuse them.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    mkdirSync(join(folder, 'planted'))
    for (const [name, text] of Object.entries({ ...REFUSED, ...ACCEPTED })) {
      writeFileSync(join(folder, 'planted', `${name}.ts`), `${text}\nexport {}\n`)
    }
    const settings = {
      extends: join(root, project, 'tsconfig.json'),
      compilerOptions: { rootDir: 'planted', noEmit: true, composite: false },
      include: ['planted'],
      references: [],
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))

    const output = runCompiler(folder, ['-p', '.', '--pretty', 'false'])
    const refused = new Set(
      [...output.matchAll(/^planted\/([\w-]+)\.ts/gm)].map(([, name]) => name),
    )
    expect([...refused].sort()).toEqual(Object.keys(REFUSED).sort())
  })
})

describe('what a pure folder compiles with', () => {
  it('may be the language, our pure folders and schemas', () => {
    const lib = 'node_modules/@typescript/typescript-linux-x64/lib'
    const fine = [`${lib}/lib.es2024.d.ts`, 'src/core/log/event.ts', 'node_modules/zod/index.d.cts']
    const foreign = [`${lib}/lib.dom.d.ts`, 'node_modules/@types/node/fs.d.ts', 'src/stores/a.ts']
    expect(foreignFiles([...fine, ...foreign])).toEqual(foreign)
  })
})
