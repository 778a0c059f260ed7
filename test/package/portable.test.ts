// Doors for every host load nothing of Node: some bundlers fail at an import that is never used
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { ROOT } from '../docs/page.ts'

const DOORS = [
  '.',
  './strategies',
  './light',
  './ai-sdk',
  './langchain',
  './mastra',
  './anthropic',
  './openai',
  './log',
  './designs',
  './validate',
  './client',
  './edl',
]

const manifest: { readonly exports: Readonly<Record<string, { readonly default: string }>> } =
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

function sourceOf(door: string): string {
  const built = manifest.exports[door]?.default ?? ''
  return join(ROOT, built.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
}

it.each(DOORS)('%s loads nothing of Node', async (door) => {
  const loaded: string[] = []
  const bundle = await rolldown({
    input: sourceOf(door),
    treeshake: false,
    logLevel: 'silent',
    external: (id, importer) => {
      if (id.startsWith('node:')) loaded.push(`${importer?.replace(ROOT, '')} imports ${id}`)
      return /^[@a-z]/.test(id)
    },
  })
  await bundle.generate({ format: 'esm' })
  await bundle.close()
  expect(loaded).toEqual([])
})
