// Before each test file: threads and processes that the tests start get the active mutant, too.
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    mode: 'dry-run' | 'mutant'
    activeMutant: string
  }
}

/** The variable that Stryker's instrumented sources read where they are loaded. */
const VARIABLE = '__STRYKER_ACTIVE_MUTANT__'

if (inject('mode') === 'mutant') process.env[VARIABLE] = inject('activeMutant')
else delete process.env[VARIABLE]
