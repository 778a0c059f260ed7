// Package managers: which project files an installation writes.
import type { FileOperation } from '../operation.ts'
import { type Effect, hasAny, readArguments, UNCLEAR } from './programs.ts'
import type { ShellWord } from './text.ts'

interface Installer {
  readonly manifest: string
  readonly lock?: string
  /** With package names, both files change. */
  readonly changes: readonly string[]
  /** They only read, or run something judged elsewhere. */
  readonly harmless: readonly string[]
}

const NODE_CHANGES = ['add', 'remove', 'uninstall', 'rm', 'un']

const NODE_HARMLESS = [
  'ls',
  'list',
  'view',
  'info',
  'outdated',
  'audit',
  'test',
  't',
  'why',
  'ping',
]

const INSTALLERS: Readonly<Record<string, Installer>> = {
  npm: {
    manifest: 'package.json',
    lock: 'package-lock.json',
    changes: ['install', 'i', ...NODE_CHANGES],
    harmless: NODE_HARMLESS,
  },
  pnpm: {
    manifest: 'package.json',
    lock: 'pnpm-lock.yaml',
    changes: ['install', 'i', ...NODE_CHANGES],
    harmless: NODE_HARMLESS,
  },
  yarn: {
    manifest: 'package.json',
    lock: 'yarn.lock',
    changes: NODE_CHANGES,
    harmless: NODE_HARMLESS,
  },
  cargo: {
    manifest: 'Cargo.toml',
    changes: ['add', 'remove', 'rm'],
    harmless: ['test', 'check', 'clippy', 'tree', 'search', 'metadata', 'version'],
  },
  poetry: {
    manifest: 'pyproject.toml',
    lock: 'poetry.lock',
    changes: ['add', 'remove'],
    harmless: ['show', 'check', 'env'],
  },
  uv: {
    manifest: 'pyproject.toml',
    lock: 'uv.lock',
    changes: ['add', 'remove'],
    harmless: ['tree', 'version'],
  },
  go: {
    manifest: 'go.mod',
    lock: 'go.sum',
    changes: ['get'],
    harmless: ['test', 'vet', 'version', 'list', 'env', 'doc'],
  },
  pip: { manifest: '', changes: [], harmless: ['install', 'list', 'show', 'freeze', 'check'] },
}

/** Undefined for other programs. */
export function packageEffect(program: string, words: readonly ShellWord[]): Effect | undefined {
  const name = program === 'pip3' ? 'pip' : program
  const installer = Object.hasOwn(INSTALLERS, name) ? INSTALLERS[name] : undefined
  if (installer === undefined) return undefined
  const { options, rest } = readArguments(words)
  const action = rest[0]?.text ?? ''
  if (installer.harmless.includes(action)) return { operations: [], isUnclear: false }
  const isElsewhere = hasAny(
    options,
    '-g',
    '--global',
    '--no-save',
    '--prefix',
    '-C',
    '--dir',
    '-w',
  )
  if (!installer.changes.includes(action) || rest.length < 2 || isElsewhere)
    return isElsewhere && hasAny(options, '-g', '--global')
      ? { operations: [], isUnclear: false }
      : UNCLEAR
  const operations: FileOperation[] = [{ op: 'edit', path: { name: installer.manifest } }]
  if (installer.lock !== undefined) operations.push({ op: 'write', path: { name: installer.lock } })
  return { operations, isUnclear: false }
}
