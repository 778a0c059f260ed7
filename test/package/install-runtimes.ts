// Installs the other hosts of the library.
import { installPinned } from '../agents/install-pinned.ts'
import { pinnedRuntime, RUNTIME_NAMES } from './runtimes.ts'

for (const name of RUNTIME_NAMES) installPinned(name, pinnedRuntime(name))
