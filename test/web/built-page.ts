// The page as it is handed out: built once for every state of its sources, also where several tests ask at a time.
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { type Page, readPage } from '../../src/server/http/page.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/precis-page')
const SOURCES = ['src/web', 'src/protocol', 'src/core', 'vite.config.ts', 'package-lock.json']

export async function builtPage(): Promise<Page> {
  return readPage(await builtFolder())
}

/** Where `npm run build` puts it, so that a server that is started finds it there. */
export async function putBuiltPage(): Promise<void> {
  const folder = await builtFolder()
  const place = join(ROOT, 'dist/web')
  rmSync(place, { recursive: true, force: true })
  cpSync(folder, place, { recursive: true })
}

async function builtFolder(): Promise<string> {
  const folder = join(CACHE, sourceHash())
  if (!existsSync(folder)) await buildInto(folder)
  return folder
}

/** Built beside it and moved there whole: who is second throws its own away. */
async function buildInto(folder: string): Promise<void> {
  const own = `${folder}-${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  await build({
    root: join(ROOT, 'src/web'),
    configFile: join(ROOT, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: own },
  })
  if (existsSync(folder)) rmSync(own, { recursive: true })
  else renameSync(own, folder)
}

function sourceHash(): string {
  const hash = createHash('sha256')
  for (const file of SOURCES.flatMap(filesUnder).toSorted())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

function filesUnder(path: string): string[] {
  if (path.includes('.')) return [path]
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
}
