// Installs the pinned agents.
import { installPinned } from './install-pinned.ts'
import { AGENT_NAMES, VERSIONS } from './installed.ts'

for (const name of AGENT_NAMES) installPinned(name, VERSIONS[name])
