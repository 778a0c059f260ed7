// What one process has of a store in tests: its own connection, its threads, and agents on them.
import type { Agent, SendOutcome } from '../../src/agent/agent.ts'
import { compose } from '../../src/compose.ts'
import { type AgentOptions, composeAgent } from '../../src/compose-agent.ts'
import type { ApprovalPolicy } from '../../src/core/agent/approval.ts'
import type { Clock, Ids, Store } from '../../src/core/ports.ts'
import { resolveSettings, type Settings } from '../../src/core/settings/settings.ts'
import type { PresetId } from '../../src/core/window/presets.ts'
import { type JobOptions, openJobs, openStore } from '../../src/stores/index.ts'
import { randomIds, systemClock } from '../../src/system.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { until } from '../wait.ts'

export const MODEL = 'anthropic/stand-in'
const ALLOW_ALL: ApprovalPolicy = { mode: 'allow', allow: [], deny: [], readOnly: false }

export interface SettingsOptions {
  readonly preset?: PresetId
  readonly windowTokens?: number
  /** What the catalogue says of the window; the stand-in's own where absent. */
  readonly believedWindowTokens?: number
  readonly model?: string
  /** The longest answer, as the catalogue has it. */
  readonly outputTokens?: number
  /** What is known of further models. */
  readonly catalogue?: Record<string, object>
  readonly auto?: Record<string, number | boolean>
  /** How long to wait for an answer, and for its next piece. */
  readonly timeoutMs?: number
  /** Further settings, in place of those above. */
  readonly settings?: Record<string, unknown>
}

/** Goes on with a thread once the lease of whoever was killed has run out. */
export function resumed(agent: Agent, threadId: string): Promise<SendOutcome> {
  return until(
    'the thread to be free',
    async () => {
      const outcome = await agent.resume(threadId)
      return outcome.status === 'queued' ? undefined : outcome
    },
    { everyMs: 50 },
  ) as Promise<SendOutcome>
}

/** The settings of an agent that asks the stand-in at this address. */
export function settingsFor(devUrl: string, options: SettingsOptions = {}): Settings {
  const { preset = 'log', windowTokens = 200_000, model = MODEL, outputTokens = 1_000 } = options
  const { believedWindowTokens = windowTokens, catalogue, auto, timeoutMs } = options
  const values = {
    preset,
    models: { default: model },
    providers: { anthropic: { baseUrl: devUrl, ...(timeoutMs !== undefined && { timeoutMs }) } },
    catalogue: { [model]: { windowTokens: believedWindowTokens, outputTokens }, ...catalogue },
    gate: { minTokens: 1_000 },
    ...(auto && { auto }),
    ...options.settings,
  }
  return resolveSettings([{ origin: 'flag', where: 'the test', values }]).settings
}

export interface Host {
  readonly store: Store
  readonly threads: Threads
  agent(options?: Partial<AgentOptions>): Agent
  close(): Promise<void>
}

export interface HostOptions {
  readonly storeUrl: string
  readonly folder: string // the workspace
  readonly settings: Settings
  readonly clock?: Clock
  readonly ids?: Ids
  /** Of the pauses between requests to the model; else the same as everybody's. */
  readonly modelClock?: Clock
  readonly agent?: Partial<AgentOptions>
  /** Compactions in the background are jobs in the queue of the store. */
  readonly jobs?: JobOptions
  /** Stands between the store and everything else. */
  readonly around?: (store: Store) => Store
}

export async function openHost(options: HostOptions): Promise<Host> {
  const { storeUrl, folder, settings, clock = systemClock, ids = randomIds } = options
  const opened = await openStore(storeUrl)
  const store = options.around?.(opened) ?? opened
  const { modelClock } = options
  const environment = { ANTHROPIC_API_KEY: 'test-key' }
  const composed = compose({
    store,
    settings,
    environment,
    ...(modelClock && { clock: modelClock }),
  })
  const { threads, models, model } = composed
  const jobs = options.jobs && (await openJobs(storeUrl, store, options.jobs))
  return {
    store,
    threads,
    agent: (more) =>
      composeAgent(
        { threads, store, clock, ids, model, models },
        {
          settings,
          workspace: folder,
          approval: ALLOW_ALL,
          ...(jobs && { jobs }),
          ...options.agent,
          ...more,
        },
      ),
    async close() {
      await jobs?.close()
      await composed.close()
    },
  }
}
