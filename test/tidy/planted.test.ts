// Faults planted in small trees: each check finds its own, and nothing in a tree without them.
import { describe, expect, it } from 'vitest'
import { CHECKS } from './checks.ts'
import { clocks } from './clocks.ts'
import { importCycles } from './cycles.ts'
import { type Check, type SourceFile, settle } from './finding.ts'
import { developmentPackages, importDirection } from './layers.ts'
import { anyTypes, notesInComments, ownSeeds, switchedOffTests, unnamedSkips } from './leftovers.ts'
import { emptyWordsInCode, emptyWordsInPaths, fileNames } from './names.ts'
import { oneRoad } from './road.ts'
import { fileLength, fileSize, functionLength } from './size.ts'
import { replacedEnvironments, surroundings } from './surroundings.ts'
import {
  documentedFolders,
  machinePaths,
  openingComments,
  outsideFolders,
  registries,
} from './texts.ts'
import { waits } from './waits.ts'

/** Path → text. */
type Tree = Readonly<Record<string, string>>

const lines = (count: number) => `${Array.from({ length: count }, () => 'f()').join('\n')}\n`
/** Written in pieces, so that this file holds no such path itself. */
const absolute = (...parts: string[]) => ['', ...parts].join('/')
const outside = ['..', 'shared'].join('/')
const host = (...parts: string[]) => parts.join('.')

const CLEAN: Tree = {
  'package.json': '{ "devDependencies": { "vitest": "1.0.0" } }',
  'ARCHITECTURE.md': '- `src/core/` pure\n- `src/stores/` plug-ins\n- `src/threads/` runtime\n',
  'README.md': `Run it: ./work/x, https://example.org/work/, \`\${dir}/home/x\`\n`,
  'bin/run': '#!/usr/bin/env bash\n# Starts the thing that is to be run.\n',
  'src/index.ts': "// The front door of the library.\nexport * from './stores/memory.ts'\n",
  'src/core/event.ts': [
    '// Everything that can happen.',
    "import { z } from 'zod'",
    'export const at = (ms: number) => new Date(ms)',
    'export const commonPrefix = z.string()',
    "export const words = 'Date.now() is any TODO, @ts-ignore, it.only(1)'",
    '',
  ].join('\n'),
  'src/stores/memory.ts':
    "// Keeps the log in memory.\nimport type { E } from '../core/event.ts'\nexport const now = () => Date.now()\nexport type M = E\n",
  'src/stores/contract.ts':
    "// The suite that every store must pass.\nimport { it } from 'vitest'\nimport '../../test/generate.ts'\nit('x', () => {})\n",
  'src/threads/thread.test.ts':
    "// A thread over a store.\nimport { memory } from '../stores/memory.ts'\nimport { it } from 'vitest'\nit.skipIf(true)(notice, memory)\n",
  'test/generate.ts': '// Random threads, from a seed.\nexport const x = 1\n',
}

interface Fault {
  readonly name: string
  readonly check: Check
  readonly plant: Tree
  /** `path:line` of every finding. */
  readonly found: readonly string[]
}

const source = (path: string, text: string): Tree => ({ [path]: text })
/** Two files, of which the second one is there to be imported. */
const pair = (path: string, text: string, other: string): Tree => ({
  [path]: text,
  [other]: '// Something to import.\n',
})

const FAULTS: readonly Fault[] = [
  ...[
    ['core', 'stores'],
    ['core', 'edl'],
    ['strategies', 'stores'],
    ['stores', 'formats'],
    ['threads', 'stores'],
    ['agent', 'strategies'],
    ['server', 'stores'],
    ['protocol', 'agent'],
    ['web', 'core'],
    ['tui', 'server'],
    ['formats', 'cli'],
    ['somewhere-new', 'core'],
  ].map(([from, to]) => ({
    name: `${from} imports ${to}`,
    check: importDirection,
    plant: pair(`src/${from}/a.ts`, `import '../${to}/b.ts'`, `src/${to}/b.ts`),
    found: [`src/${from}/a.ts:1`],
  })),
  {
    name: 'a layer imports the wiring',
    check: importDirection,
    plant: pair('src/agent/a.ts', "\nimport '../compose.ts'", 'src/compose.ts'),
    found: ['src/agent/a.ts:2'],
  },
  {
    name: 'a type from the wrong layer',
    check: importDirection,
    plant: pair('src/core/a.ts', "import type { X } from '../stores/b.ts'", 'src/stores/b.ts'),
    found: ['src/core/a.ts:1'],
  },
  {
    name: 'every way to import',
    check: importDirection,
    plant: pair(
      'src/core/a.ts',
      [
        "export * from '../stores/b.ts'",
        "export { x } from '../stores/b.ts'",
        "export const load = () => import('../stores/b.ts')",
        "export type X = import('../stores/b.ts').X",
        "export const url = new URL('../stores/b.ts', import.meta.url)",
      ].join('\n'),
      'src/stores/b.ts',
    ),
    found: [1, 2, 3, 4, 5].map((line) => `src/core/a.ts:${line}`),
  },
  {
    name: 'a source imports test code',
    check: importDirection,
    plant: source('src/cli/a.ts', "import '../../test/generate.ts'\nimport '../x.test.ts'\n"),
    found: ['src/cli/a.ts:1', 'src/cli/a.ts:2'],
  },
  {
    name: 'a source imports a suite',
    check: importDirection,
    plant: source('src/stores/a.ts', "import './contract.ts'"),
    found: ['src/stores/a.ts:1'],
  },
  {
    name: 'a suite leaves its layer',
    check: importDirection,
    plant: pair('src/formats/contract.ts', "import '../cli/b.ts'", 'src/cli/b.ts'),
    found: ['src/formats/contract.ts:1'],
  },
  {
    name: 'a pure folder imports Node or a package',
    check: importDirection,
    plant: source('src/core/a.ts', "import 'node:fs'\nimport 'commander'\nimport 'zod/v4'\n"),
    found: ['src/core/a.ts:1', 'src/core/a.ts:2'],
  },
  {
    name: 'a published file needs a development package',
    check: developmentPackages,
    plant: source('src/cli/a.ts', "import { it } from 'vitest/node'"),
    found: ['src/cli/a.ts:1'],
  },
  {
    name: 'a cycle of two',
    check: importCycles,
    plant: { 'src/core/a.ts': "import './b.ts'", 'src/core/b.ts': "import './a.ts'" },
    found: ['src/core/a.ts:1'],
  },
  {
    name: 'a cycle of types alone, over three files',
    check: importCycles,
    plant: {
      'src/core/a.ts': "import type { B } from './b.ts'",
      'src/core/b.ts': "export type { C } from './c.ts'",
      'src/core/c.ts': "export type D = import('./a.ts').D",
    },
    found: ['src/core/a.ts:1'],
  },
  {
    name: 'a file that imports itself',
    check: importCycles,
    plant: source('src/core/a.ts', "import './a.ts'"),
    found: ['src/core/a.ts:1'],
  },
  {
    name: 'a compaction beside the one road',
    check: oneRoad,
    plant: {
      'src/agent/a.ts': [
        'const { passGate } = gate',
        'passGate({})',
        'applyCompaction(thread, record)',
        'core.ports.threads.apply(id, record)',
        "threads['prepare'](id, strategy)",
        'threads.compact(id, strategy)',
        'view.apply(item)',
      ].join('\n'),
      'src/compaction/a.ts': 'applyCompaction(thread, record)\nthreads.apply(id, record)\n',
      'src/agent/a.test.ts': 'threads.apply(id, record)\n',
    },
    found: [2, 3, 4, 5].map((line) => `src/agent/a.ts:${line}`),
  },
  {
    name: 'long files',
    check: fileLength,
    plant: {
      'src/core/a.ts': lines(300),
      'src/core/b.ts': lines(301),
      'src/core/c.test.ts': lines(600),
      'src/core/d.test.ts': lines(601),
    },
    found: ['src/core/b.ts:301', 'src/core/d.test.ts:601'],
  },
  {
    name: 'long functions',
    check: functionLength,
    plant: {
      'src/core/a.ts': `function a() {\n${lines(68)}}\n`,
      'src/core/b.ts': `\nfunction b() {\n${lines(69)}}\n`,
      'src/core/c.ts': `const c = () => {\n${lines(69)}}\n`,
      'src/core/d.ts': `class D {\n  m() {\n${lines(69)}}\n}\n`,
      'src/core/e.test.ts': `describe('e', () => {\n${lines(69)}it.each([])('x', () => {})\n})\n`,
      'src/core/f.test.ts': `it('f', () => {\n${lines(69)}})\n`,
    },
    found: ['src/core/b.ts:2', 'src/core/c.ts:1', 'src/core/d.ts:2', 'src/core/f.test.ts:1'],
  },
  {
    name: 'a large file',
    check: fileSize,
    plant: source('test/data.json', 'x'.repeat(1_000_001)),
    found: ['test/data.json:1'],
  },
  {
    name: 'any',
    check: anyTypes,
    plant: source(
      'src/core/a.ts',
      'const any = 1\nlet x: any\nlet y: Map<string, any[]>\nf(z as any)',
    ),
    found: [2, 3, 4].map((line) => `src/core/a.ts:${line}`),
  },
  {
    name: 'silenced compilers and notes',
    check: notesInComments,
    plant: source(
      'src/core/a.ts',
      '// @ts-ignore\n/* @ts-expect-error */\nf() // TODO later\n// FIXME\n// fixed the todo list\n',
    ),
    found: [1, 2, 3, 4].map((line) => `src/core/a.ts:${line}`),
  },
  {
    name: 'tests that are switched off, or that switch off the others',
    check: switchedOffTests,
    plant: source(
      'src/core/a.test.ts',
      "it.only('a')\ndescribe.skip('b')\ntest.concurrent.skip('c')\nit.todo('d')\nit.fails('e')\nrows.skip(1)\n",
    ),
    found: [1, 2, 3, 4, 5].map((line) => `src/core/a.test.ts:${line}`),
  },
  {
    name: 'skips whose title does not say what is missing',
    check: unnamedSkips,
    plant: source(
      'src/core/a.test.ts',
      [
        "it.skipIf(!a)('b', f)",
        `describe.skipIf(!a)(\`b \${c}\`, f)`,
        "it.runIf(a).each([1])('b', f)",
        `it.skipIf(!a)(\`b \${notice}\`, f)`,
        `it.skipIf(!a).each([1])(\`b \${x.notice}\`, f)`,
        'describe.skipIf(!a)(notice, f)',
      ].join('\n'),
    ),
    found: [1, 2, 3].map((line) => `src/core/a.test.ts:${line}`),
  },
  {
    name: 'random inputs with a seed or a number of their own',
    check: ownSeeds,
    plant: {
      'test/scale.ts': '// Scales.\nexport const runs = (numRuns) => ({ numRuns: numRuns })',
      'src/core/a.test.ts':
        'fc.assert(p)\nfc.assert(p, { numRuns: 9 })\nfc.assert(p, runs())\nexpect.assert(p)\n',
    },
    found: ['src/core/a.test.ts:1', 'src/core/a.test.ts:2'],
  },
  ...[
    'Date.now()',
    'f(Date.now)',
    "Date['now']()",
    'new Date()',
    'Date()',
    'Math.random()',
    'performance.now()',
    'crypto.randomUUID()',
    'globalThis.crypto.randomUUID()',
    'globalThis.Math.random()',
    'const { now } = Date',
    'const { random } = Math',
  ].map((code) => ({
    name: `${code} in pure folders`,
    check: clocks,
    plant: {
      'src/core/deep/a.ts': code,
      'src/strategies/a.ts': code,
      'src/edl/a.ts': code,
      'src/core/a.test.ts': code,
      'src/agent/a.ts': code,
    },
    found: ['src/core/deep/a.ts:1', 'src/edl/a.ts:1', 'src/strategies/a.ts:1'],
  })),
  ...[
    'process.exitCode = 1',
    'const { env } = process',
    'watch(process)',
    "import { argv } from 'node:process'",
    "process['cwd']()",
  ].map((code) => ({
    name: `${code} in a command`,
    check: surroundings,
    plant: {
      'src/cli/commands/a.ts': code,
      'src/cli/process-io.ts': code,
      'src/cli/a.test.ts': code,
      'src/cli/b.ts': 'child.process.kill(process.platform)',
      'src/tools/a.ts': code,
    },
    found: ['src/cli/commands/a.ts:1'],
  })),
  {
    name: 'an environment that is a copy',
    check: replacedEnvironments,
    plant: {
      'src/a.test.ts': 'process.env = before',
      'src/a.ts': 'process.env = before',
      'test/b.ts': "process.env.HOME = '/x'\nother.env = before",
    },
    found: ['src/a.test.ts:1'],
  },
  {
    name: 'folders without a line',
    check: documentedFolders,
    plant: { 'src/core/tokens/a.ts': '', 'bench/data/a.json': '', 'docs/a.md': '', 'x/y/z': '' },
    found: ['bench/data:1', 'src/core/tokens:1'],
  },
  {
    name: 'files without an opening comment',
    check: openingComments,
    plant: {
      'src/core/a.ts': "import 'zod'\n",
      'src/core/b.ts': '\n// Too late to say it here.\n',
      'src/core/c.ts': '//\n',
      'bin/d': '#!/bin/sh\nset -e\n',
      'docs/e.md': 'No comment is needed here.\n',
    },
    found: ['bin/d:2', 'src/core/a.ts:1', 'src/core/b.ts:1', 'src/core/c.ts:1'],
  },
  {
    name: 'file names',
    check: fileNames,
    plant: {
      'src/core/myFile.ts': '',
      'src/Core/a.ts': '',
      'docs/a_b.md': '',
      'docs/log-format.md': '',
      '.ci/a': '',
      '.gitignore': '',
    },
    found: ['docs/a_b.md:1', 'src/Core/a.ts:1', 'src/core/myFile.ts:1'],
  },
  {
    name: 'empty words in paths',
    check: emptyWordsInPaths,
    plant: {
      'src/core/utils.ts': '',
      'src/shared/a.ts': '',
      'src/core/error-handler.ts': '',
      'src/core/database.ts': '',
    },
    found: ['src/core/error-handler.ts:1', 'src/core/utils.ts:1', 'src/shared/a.ts:1'],
  },
  {
    name: 'empty words in names',
    check: emptyWordsInCode,
    plant: source(
      'src/core/a.ts',
      [
        'class ThreadManager {}',
        'interface BaseStore {}',
        'type SettingsV2 = 1',
        'export const SHARED = 1',
        'function parseHelper() {}',
        'const toBase64 = () => { const base = 1 }',
        'const commonPrefix = 1',
        'interface ServiceImpl {}',
      ].join('\n'),
    ),
    found: [1, 2, 3, 4, 5, 8].map((line) => `src/core/a.ts:${line}`),
  },
  {
    name: 'paths of one machine',
    check: machinePaths,
    plant: {
      'docs/a.md': `see ${absolute('root', 'x')}\nand file://${absolute('work', 'x')}\n`,
      'src/core/a.ts': `const home = '${absolute('home', 'ada')}'`,
      'src/core/b.ts': "const parent = '/homework/rooted'",
    },
    found: ['docs/a.md:1', 'docs/a.md:2', 'src/core/a.ts:1'],
  },
  {
    name: 'folders outside of the repository',
    check: outsideFolders,
    plant: {
      '.ci/run': `#!/bin/sh\n# CI may name it.\ncorpus=${outside}/corpus\n`,
      'docs/a.md': `\nsee \`${outside}/corpus\`\n`,
      'test/a.ts': `const corpus = new URL('../${outside}/corpus', import.meta.url)`,
      'test/deep/b.ts': ['../..', '../../..']
        .map((up) => `new URL('${up}/x', import.meta.url)`)
        .join('\n'),
      'src/core/c.ts': `import '${outside}.ts'\nconst other = '../../../etc/passwd'`,
    },
    found: ['docs/a.md:2', 'test/a.ts:1', 'test/deep/b.ts:2'],
  },
  {
    name: 'package registries',
    check: registries,
    plant: {
      '.npmrc': `${['registry', 'http://127.0.0.1/'].join('=')}\n`,
      'docs/a.md': `from ${host('registry', 'npmjs', 'org')}\nhttps://${host('npm', 'registry', 'test')}/x\n`,
      'package-lock.json': `{ ${['"resolved"', ' "https://example.org/x.tgz"'].join(':')} }`,
      'src/core/registry.ts': "import './registry.test.ts'",
    },
    found: ['.npmrc:1', 'docs/a.md:1', 'docs/a.md:2', 'package-lock.json:1'],
  },
  {
    name: 'waits of tests without a bound or a name',
    check: waits,
    plant: {
      'test/a.ts': [
        "import { setTimeout as sleep } from 'node:timers/promises'",
        'await new Promise((resolve) => setTimeout(resolve, 50))',
        'while (!isSo()) await sleep(5)',
        'while (!(await isSo()));',
        'while (asked < 3) {',
        '  await turn()',
        '}',
        'while ((await ask()) !== 200) {}',
        "await once(server, 'close')",
        'await new Promise((resolve) => server.close(resolve))',
      ].join('\n'),
      'src/core/a.test.ts': 'await vi.waitUntil(isSo)\nawait vi.waitFor(isSo)\nsetInterval(f, 5)\n',
      'src/stores/contract.ts': "import timers from 'node:timers/promises'\n",
      // Sources may sleep; giving way is no wait; a loop that does something has an end of its own.
      'src/agent/a.ts': "import { setTimeout } from 'node:timers/promises'\nwhile (x) await y()\n",
      'test/b.ts':
        "import { setImmediate } from 'node:timers/promises'\nwhile (left > 0) {\n  left -= 1\n  await f()\n}\nawait new Promise(setImmediate)\nawait new Promise((done) => setImmediate(done))\nawait within('it', once(a, 'b'))\n",
      'test/wait.ts': "import { setTimeout as sleep } from 'node:timers/promises'\n",
    },
    found: [
      ...[1, 2, 3].map((line) => `src/core/a.test.ts:${line}`),
      'src/stores/contract.ts:1',
      ...[1, 10, 2, 3, 4, 5, 8, 9].map((line) => `test/a.ts:${line}`),
    ],
  },
]

const filesOf = (tree: Tree): SourceFile[] =>
  Object.entries(tree).map(([path, text]) => ({ path, text }))

describe('a planted fault is found', () => {
  it.each(FAULTS)('$name', ({ check, plant, found }) => {
    const findings = check(filesOf({ ...CLEAN, ...plant }))
    expect(findings.map(({ path, line }) => `${path}:${line}`).sort()).toEqual(found)
  })
})

describe('a tree without faults', () => {
  it.each(Object.entries(CHECKS))('%s', (_, check) => {
    expect(check(filesOf(CLEAN))).toEqual([])
  })

  it('has a planted fault for each check', () => {
    const planted = new Set(FAULTS.map(({ check }) => check))
    expect(Object.values(CHECKS).filter((check) => !planted.has(check))).toEqual([])
  })
})

describe('exceptions', () => {
  const finding = { rule: 'any', path: 'src/core/a.ts', line: 3, message: 'the type any' }
  const exception = { rule: 'any', path: 'src/core/a.ts', reason: 'a foreign interface' }

  it('cover one rule in one file', () => {
    const elsewhere = { ...finding, path: 'src/core/b.ts' }
    const otherRule = { ...finding, rule: 'clock' }
    expect(settle([finding, elsewhere, otherRule], [exception])).toEqual({
      remaining: [elsewhere, otherRule],
      unneeded: [],
    })
  })

  it('are reported as soon as nothing needs them', () => {
    expect(settle([], [exception])).toEqual({ remaining: [], unneeded: [exception] })
  })
})
