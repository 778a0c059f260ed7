// Import direction: which folder may know which. The table is the one of ARCHITECTURE.md.
import { type Finding, isContract, isTest, type SourceFile } from './finding.ts'
import { type Import, importsOf, packageOf } from './imports.ts'

const PLUG_IN = ['core', 'edl'] as const

/** What each folder of src/ (or file directly in it) may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | 'everything'>> = {
  core: [],
  edl: [],
  validate: ['core'],
  wire: ['core'],
  strategies: PLUG_IN,
  providers: [...PLUG_IN, 'validate', 'wire', 'redact'],
  stores: [...PLUG_IN, 'node-guard'],
  redact: PLUG_IN,
  tools: PLUG_IN,
  formats: [...PLUG_IN, 'wire'],
  'dev-model': ['core', 'validate', 'wire', 'system'],
  compaction: ['core'],
  messages: ['core', 'wire'],
  adapters: ['core', 'compactor', 'messages'],
  compactor: ['core', 'messages', 'strategies', 'compaction', 'threads'],
  threads: ['core', 'compaction'],
  agent: ['core', 'compaction', 'threads'],
  protocol: ['core'],
  server: ['agent', 'compaction', 'threads', 'protocol', 'core'],
  tui: ['protocol'],
  web: ['protocol'],
  hosts: ['core', 'doors', 'formats', 'redact', 'stores', 'strategies', 'threads', 'tools'],
  cli: 'everything',
  compose: 'everything',
  'compose-agent': 'everything',
  'compose-app': 'everything',
  index: 'everything',
  doors: 'everything',
  'node-guard': ['core'],
  system: ['core'],
}

/** Folders that only compute, and the packages that compute with them. */
const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: ['zod'],
  edl: [],
  validate: [],
  wire: [],
  strategies: [],
  messages: [],
  compactor: [],
}

export function isPure(path: string): boolean {
  return (areaOf(path) ?? '') in PURE_PACKAGES && !isTest(path)
}

export function importDirection(files: readonly SourceFile[]): Finding[] {
  return importsOf(files).flatMap((each) => {
    const message = isTest(each.from) ? fromTest(each) : fromSource(each)
    return message === undefined
      ? []
      : [{ rule: 'import-direction', path: each.from, line: each.line, message }]
  })
}

interface Manifest {
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

/** What is published may not need what is only installed for development. */
export function developmentPackages(files: readonly SourceFile[]): Finding[] {
  const manifest = files.find(({ path }) => path === 'package.json')
  if (manifest === undefined) return []
  const { devDependencies = {}, peerDependencies = {} }: Manifest = JSON.parse(manifest.text)
  return importsOf(files)
    .filter(({ from, specifier }) => {
      // The page is published as a bundle that needs nothing.
      const isPublished = ![undefined, 'web'].includes(areaOf(from)) && !isTest(from)
      const name = packageOf(specifier) ?? ''
      // Whoever uses an adapter has its package.
      const isNamed = Object.hasOwn(peerDependencies, name)
      return isPublished && Object.hasOwn(devDependencies, name) && !isNamed
    })
    .map(({ from, line, specifier }) => ({
      rule: 'development-package',
      path: from,
      line,
      message: `${specifier} is a development dependency, and this file is published`,
    }))
}

/** `core` for src/core/…, `compose` for src/compose.ts; undefined outside src/. */
function areaOf(path: string): string | undefined {
  return /^src\/([^/.]+)/.exec(path)?.[1]
}

/** A test may build what it tests from anything; a suite for plug-ins stays in its layer. */
function fromTest({ from, target }: Import): string | undefined {
  if (!isContract(from) || target === undefined || target.startsWith('test/')) return undefined
  return direction(areaOf(from), target)
}

function fromSource({ from, specifier, target }: Import): string | undefined {
  const area = areaOf(from)
  if (area === undefined) return undefined
  if (target !== undefined) {
    if (isTest(target)) return `only tests import tests, and ${target} is one`
    return direction(area, target)
  }
  const packages = PURE_PACKAGES[area]
  if (packages === undefined || packages.includes(packageOf(specifier) ?? specifier)) {
    return undefined
  }
  return `src/${area}/ only computes and may not import ${specifier}`
}

function direction(area: string | undefined, target: string): string | undefined {
  if (area === undefined) return undefined
  const allowed = MAY_IMPORT[area]
  if (allowed === undefined) return `src/${area} has no row in the table of layers`
  const other = areaOf(target)
  if (other === undefined) {
    // The version in package.json is data, not a layer.
    return target === 'package.json' ? undefined : `src/ may not import ${target}`
  }
  if (other === area || allowed === 'everything' || allowed.includes(other)) return undefined
  const list = allowed.length === 0 ? 'nothing' : allowed.join(', ')
  return `src/${area} may not import src/${other} (it may import: ${list})`
}
