// A window that a few steps fill, in the configuration of the agents that let one set it
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentName } from './installed.ts'

const OPENCODE = '.config/opencode'

export function narrowModel(agent: AgentName, home: string): void {
  if (agent === 'pi') narrowPi(home)
  if (agent === 'opencode') narrowOpenCode(home)
}

export function narrowPi(home: string): void {
  const models = join(home, '.pi/agent/models.json')
  const { providers } = JSON.parse(readFileSync(models, 'utf8'))
  const [model] = providers.dev.models
  providers.dev.models = [{ ...model, contextWindow: 32_000, maxTokens: 2_000 }]
  writeFileSync(models, JSON.stringify({ providers }))
  const compaction = { enabled: true, reserveTokens: 6_000, keepRecentTokens: 4_000 }
  writeFileSync(join(home, '.pi/agent/settings.json'), JSON.stringify({ compaction }))
}

/** OpenCode fetches a package where it finds a plug-in: here it seems to be there. Gives the file. */
export function narrowOpenCode(home: string): string {
  const file = join(home, OPENCODE, 'opencode.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  settings.provider.dev.models['dev-1'].limit = { context: 44_000, output: 4_000 }
  writeFileSync(file, JSON.stringify(settings))
  mkdirSync(join(home, OPENCODE, 'node_modules'))
  const packages = { '': { dependencies: { '@opencode-ai/plugin': '1' } } }
  writeFileSync(join(home, OPENCODE, 'package-lock.json'), JSON.stringify({ packages }))
  return file
}
