// A server of a team in a process of its own, quick to take over from one that died: ADDRESS MODEL_URL.
import { compose } from '../../src/compose.ts'
import { composeApp } from '../../src/compose-app.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import { listen } from '../../src/server/http/listen.ts'
import { openStore } from '../../src/stores/index.ts'
import { MODEL } from '../agent/host.ts'

const [address = '', modelUrl = ''] = process.argv.slice(2)
const environment = { ANTHROPIC_API_KEY: 'test-key-of-nobody' }
const settings = resolveSettings([
  {
    origin: 'flag',
    where: 'the test',
    values: {
      models: { default: MODEL },
      providers: { anthropic: { baseUrl: modelUrl } },
      catalogue: { [MODEL]: { windowTokens: 200_000, outputTokens: 1_000 } },
    },
  },
])
const store = await openStore(address)
const home = compose({ store, settings: settings.settings, environment })
const { app } = composeApp(home, {
  settings,
  environment,
  version: '0.0.0',
  hasPeers: true,
  agent: { limits: { leaseMs: 1_500 } },
})
const { url } = await listen(app, { host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
