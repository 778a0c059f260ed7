// Installs the pinned agents. Their own install scripts only copy a program that runs where it is.
import { installPinned } from './install-pinned.ts'
import { AGENT_NAMES, VERSIONS } from './installed.ts'

for (const name of AGENT_NAMES) installPinned(name, VERSIONS[name])
