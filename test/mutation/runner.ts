// A Stryker plug-in: its vitest runner, which skips what is not in the sample and knows code that runs apart.
import { readFileSync } from 'node:fs'
import { matchesGlob, relative, sep } from 'node:path'
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner'
import { readPlan } from './folders.ts'
import { type Mutant, placeOf } from './mutants.ts'

interface Runner {
  capabilities(): unknown
  init?(): Promise<void>
  dispose?(): Promise<void>
  dryRun(options: { readonly files?: readonly string[] }): Promise<DryRun>
  mutantRun(options: { readonly activeMutant: ActiveMutant }): Promise<unknown>
}

interface ActiveMutant {
  readonly fileName: string
  readonly mutatorName: string
  readonly location: Pick<Mutant, 'start' | 'end'>
  readonly replacement: string
}

interface DryRun {
  readonly status: string
  readonly tests?: readonly { readonly id: string; readonly fileName?: string }[]
  readonly mutantCoverage?: { readonly perTest: Record<string, Record<string, number>> }
}

interface Injector {
  injectFunction(factory: unknown): Runner
}

/** So many hits that no limit on them is met: code that runs apart is not counted. */
const MANY_HITS = 1_000_000

const [vitest] = vitestPlugins
if (vitest === undefined) throw new Error('the vitest runner of Stryker declares no plug-in')

sampledRunner.inject = ['$injector'] as const
export const strykerPlugins = [{ kind: vitest.kind, name: 'sampled', factory: sampledRunner }]

function sampledRunner(injector: Injector): Runner {
  const inner = injector.injectFunction(vitest?.factory)
  const plan = readPlan()
  const places = new Set(plan.places)
  return {
    capabilities: () => inner.capabilities(),
    init: async () => inner.init?.(),
    dispose: async () => inner.dispose?.(),
    async dryRun(options) {
      const result = await inner.dryRun(options)
      for (const file of options.files ?? []) {
        const path = relative(process.cwd(), file).split(sep).join('/')
        if (plan.apart?.sources.some((pattern) => matchesGlob(path, pattern)))
          cover(result, mutantsIn(file), plan.apart.tests)
      }
      return result
    },
    async mutantRun(options) {
      const { fileName, mutatorName, location, replacement } = options.activeMutant
      const path = relative(plan.root, fileName)
      const isSampled = places.has(
        placeOf({ path, mutator: mutatorName, ...location, replacement }),
      )
      return isSampled ? inner.mutantRun(options) : { status: 'error', errorMessage: 'not sampled' }
    },
  }
}

/** Says that these tests cover these mutants, whatever was seen. */
function cover(
  { tests = [], mutantCoverage }: DryRun,
  ids: readonly string[],
  paths: readonly string[],
) {
  if (mutantCoverage === undefined) return
  for (const { id, fileName } of tests) {
    if (!paths.some((path) => fileName?.endsWith(path))) continue
    mutantCoverage.perTest[id] ??= {}
    for (const each of ids) mutantCoverage.perTest[id][each] = MANY_HITS
  }
}

/** The ids that Stryker has written into a source, each in a call that counts it. */
function mutantsIn(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(/stryCov_9fa48\(([^)]*)\)/g)
  return [...calls].flatMap(([, ids = '']) => ids.match(/\d+/g) ?? [])
}
