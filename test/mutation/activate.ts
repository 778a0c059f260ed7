// Before each test file: one seed for random inputs, and the active mutant for what the tests start.
import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    mode: 'dry-run' | 'mutant'
    activeMutant: string
  }
}

/** Stryker's instrumented sources read it where they are loaded: in threads and processes, too. */
const VARIABLE = '__STRYKER_ACTIVE_MUTANT__'

// The same mutant meets the same inputs in every run.
process.env.PRECIS_SEED = '1'
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })

if (inject('mode') === 'mutant') process.env[VARIABLE] = inject('activeMutant')
else delete process.env[VARIABLE]
