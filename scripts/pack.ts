// Packs the two packages from one tree: `precis`, the library, and `precis-cli`, the command with everything
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const DIST = join(ROOT, 'dist')

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Doors that need Node stay files of their own: their workers are found beside them. The others are bundled. */
const NODE_DOORS: ReadonlySet<string> = new Set([
  './stores',
  './providers',
  './agent',
  './dev-model',
])
/** Small, and without dependencies of their own. */
const NEEDED: readonly string[] = ['@opentelemetry/api', 'zod']
/** In the bundles: as a package its 95 modules take longer to load than the rest of the core. */
const BUNDLED = /^zod(?:\/|$)/
/** What users bring themselves, where they use it. */
const PEERS: readonly string[] = [
  '@anthropic-ai/sdk',
  '@langchain/core',
  'better-sqlite3',
  'gpt-tokenizer',
  'ollama',
  'openai',
  'pg',
  'pg-boss',
]
/** Chunks of their own, so that whoever uses one of them in a browser gets only that one. */
const PARTS = [
  'compactor/compact',
  'compactor/compactor',
  'doors/threads',
  'core/window/tokens/estimate',
]
const SAME_FIELDS = ['license', 'type', 'engines'] as const
const WORKERS = ['./dist/stores/sqlite/worker.js', './dist/tools/search/worker.js']
const PAGES = ['README.md', 'LICENSE', 'CHANGELOG.md']

/** A range that takes later minor versions: exact ones are for development. */
function rangeOf(name: string): string {
  const exact = manifest.dependencies[name] ?? manifest.devDependencies[name] ?? ''
  return `^${exact}`
}

export async function packLibrary(out: string): Promise<string> {
  if (!existsSync(DIST)) throw new Error('There is no dist: run npm run build first.')
  const folder = emptyFolder(join(out, 'precis'))
  const bundled = Object.keys(manifest.exports).filter((door) => !NODE_DOORS.has(door))
  await bundleDoors(bundled, join(folder, 'core'))
  cpSync(join(ROOT, 'node_modules/zod/LICENSE'), join(folder, 'core/LICENSE-zod'))
  const files = reachable(Object.values(manifest.exports).map((door) => door.types))
  const nodeDoors = [...NODE_DOORS].map((door) => manifest.exports[door]?.default ?? '')
  const nodeFiles = reachable([...nodeDoors, ...WORKERS])
  for (const file of new Set([...files, ...nodeFiles])) copyWithoutMap(file, folder)
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([door, { types, default: file }]) => [
      door,
      { types, default: NODE_DOORS.has(door) ? file : `./core/${nameOf(door)}.js` },
    ]),
  )
  writeManifest(folder, {
    name: 'precis',
    version: manifest.version,
    description: 'Keeps the messages of language-model agents inside their context window.',
    exports: { ...exports, './package.json': './package.json' },
    sideEffects: ['./dist/node-guard.js', './dist/**/worker.js'],
    files: ['core', 'dist', ...PAGES],
    dependencies: Object.fromEntries(NEEDED.map((name) => [name, rangeOf(name)])),
    peerDependencies: Object.fromEntries(PEERS.map((name) => [name, rangeOf(name)])),
    peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
  })
  return npmPack(folder, out)
}

export function packCommand(out: string): string {
  const folder = emptyFolder(join(out, 'precis-cli'))
  for (const name of ['bin', 'dist', 'samples', 'docs'])
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/\.(?:map|tsbuildinfo)$/.test(path),
    })
  writeManifest(folder, {
    name: 'precis-cli',
    version: manifest.version,
    description: 'The précis command: compacts the sessions of other agents, chats, serves.',
    bin: manifest.bin,
    exports: { './package.json': './package.json' },
    files: ['bin', 'dist', 'samples', 'docs', ...PAGES],
    dependencies: Object.fromEntries(
      Object.keys(manifest.dependencies).map((name) => [name, rangeOf(name)]),
    ),
  })
  return npmPack(folder, out)
}

function nameOf(door: string): string {
  return door === '.' ? 'index' : door.slice('./'.length)
}

async function bundleDoors(doors: readonly string[], folder: string): Promise<void> {
  const input = Object.fromEntries([
    ...doors.map((door) => [nameOf(door), join(ROOT, manifest.exports[door]?.default ?? '')]),
    ...PARTS.map((part) => [`parts/${basename(part)}`, join(DIST, `${part}.js`)]),
  ])
  const bundle = await rolldown({
    input,
    external: (id) => /^(?:node:|[@a-z])/.test(id) && !BUNDLED.test(id) && !id.startsWith(ROOT),
    treeshake: { moduleSideEffects: false },
    logLevel: 'silent',
  })
  await bundle.write({ dir: folder, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' })
}

const IMPORT = /(?:from\s+|import\s*\(\s*|import\s+|new URL\(\s*)['"](\.[^'"]+)['"]/g

/** Files of dist that these lead to, with the declarations beside sources. */
function reachable(doors: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const todo = doors.map((door) => join(ROOT, door))
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file) || !existsSync(file)) continue
    seen.add(file)
    const isTypes = file.endsWith('.d.ts')
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = join(dirname(file), specifier)
      todo.push(isTypes ? target.replace(/\.[jt]s$/, '.d.ts') : target)
    }
  }
  return seen
}

/** None are published: they would name sources that are not there. */
function copyWithoutMap(file: string, folder: string): void {
  const target = join(folder, relative(ROOT, file))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
}

function writeManifest(folder: string, fields: Readonly<Record<string, unknown>>): void {
  const fieldsOfBoth = Object.fromEntries(SAME_FIELDS.map((name) => [name, manifest[name]]))
  for (const page of PAGES) cpSync(join(ROOT, page), join(folder, page))
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...fields, ...fieldsOfBoth }, null, 2)}\n`,
  )
}

function emptyFolder(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** A link to a page that is not in the package becomes its text. */
function unlinkMissing(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    const checked = text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, mark, label, target) => {
      const path = String(target).split('#')[0] ?? ''
      const isThere =
        /^[a-z]+:/.test(target) || path === '' || existsSync(join(dirname(file), path))
      return isThere ? link : mark === '' ? label : ''
    })
    if (checked !== text) writeFileSync(file, checked)
  }
}

function npmPack(folder: string, out: string): string {
  unlinkMissing(folder)
  const { stdout, stderr, status } = spawnSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', out],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(stderr)
  const [packed] = JSON.parse(stdout)
  return join(out, basename(packed.filename))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = resolve(process.argv[2] ?? join(ROOT, 'build'))
  mkdirSync(out, { recursive: true })
  console.log(await packLibrary(out))
  console.log(packCommand(out))
}
