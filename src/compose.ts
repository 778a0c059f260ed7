// Wires the parts together: the only file that knows every plug-in.
import type { Clock, Ids, ModelPort, Store } from './core/ports.ts'
import { requireSettings, type Settings } from './core/settings/settings.ts'
import type { DevModel } from './dev-model/index.ts'
import { SESSION_FORMATS } from './formats/index.ts'
import { PAGE_FORMATS, type PageFormat } from './formats/pages.ts'
import type { SessionFormat } from './formats/session-format.ts'
import type { AskedModel } from './providers/redacted-port.ts'
import type { ModelRegistry } from './providers/registry.ts'
import { secretsOf } from './redact/known.ts'
import { memoryStore } from './stores/memory/memory.ts'
import { DEFAULT_STRATEGIES } from './strategies/index.ts'
import { randomIds, systemClock } from './system.ts'
import { createThreads, type Threads } from './threads/threads.ts'

export interface Composed {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly threads: Threads
  /** Session file formats; those without `write` are read-only. Detection takes the first match. */
  readonly formats: readonly SessionFormat[]
  /** Write-only, for people. */
  readonly pages: readonly PageFormat[]
  /** Models by name. Their SDKs load on the first call, which takes a while. */
  models(): Promise<ModelRegistry>
  /** A model for summaries; loads the registry on first use. Redacts prompts to other providers. */
  readonly model: ModelPort
  /** The models asked for summaries, with their latest request. */
  asked(): readonly AskedModel[]
  close(): Promise<void>
}

export interface ComposeOptions {
  readonly store?: Store
  readonly settings?: Pick<Settings, 'models' | 'providers' | 'catalogue'> &
    Partial<Pick<Settings, 'redactPrompts'>>
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** For threads, and for pauses between model requests. */
  readonly clock?: Clock
}

/** Throws `invalid-settings` for an unknown key or a wrong value. */
export function compose(options: ComposeOptions = {}): Composed {
  requireSettings(options.settings ?? {}, 'compose()')
  const { store = memoryStore(), settings = { models: {} }, environment = {} } = options
  const { clock = systemClock } = options
  const threads = createThreads({
    store,
    clock,
    ids: randomIds,
    strategies: DEFAULT_STRATEGIES,
  })
  const asked = new Map<string, AskedModel>()
  let registry: Promise<Registry> | undefined
  const opened = () => {
    registry ??= openRegistry(settings, environment, clock)
    return registry
  }
  const port = async () => {
    const { models } = await opened()
    const [{ modelPort }, { redactedPort }] = await Promise.all([
      import('./providers/model-port.ts'),
      import('./providers/redacted-port.ts'),
    ])
    return redactedPort(modelPort(models), {
      registry: models,
      secrets: secretsOf(environment),
      policy: settings.redactPrompts,
      onAsk: (model) => asked.set(model.ref, model),
    })
  }
  return {
    store,
    clock,
    ids: randomIds,
    threads,
    formats: SESSION_FORMATS,
    pages: PAGE_FORMATS,
    models: async () => (await opened()).models,
    model: {
      ask: async (request) => (await port()).ask(request),
      converse: async (request) => (await port()).converse(request),
      limitsOf: async (name, signal) => (await port()).limitsOf?.(name, signal) ?? {},
    },
    asked: () => [...asked.values()],
    async close() {
      if (registry) await (await registry).close()
      await store.close()
    },
  }
}

interface Registry {
  readonly models: ModelRegistry
  close(): Promise<void>
}

async function openRegistry(
  settings: NonNullable<ComposeOptions['settings']>,
  environment: NonNullable<ComposeOptions['environment']>,
  clock: Clock,
): Promise<Registry> {
  const { createRegistry, devEntry, PROVIDER_ENTRIES, readModelOverrides } = await import(
    './providers/models.ts'
  )
  let standIn: DevModel | undefined
  const dev = devEntry(async () => {
    const { startDevModel } = await import('./dev-model/index.ts')
    standIn = await startDevModel()
    return standIn
  })
  const models = createRegistry({
    entries: [...PROVIDER_ENTRIES, dev],
    settings: {
      models: defined(settings.models),
      providers: Object.fromEntries(
        Object.entries(settings.providers ?? {}).map(([id, given]) => [id, defined(given)]),
      ),
      catalogue: readModelOverrides(settings.catalogue ?? {}, 'catalogue'),
    },
    environment,
    clock,
  })
  return { models, close: async () => standIn?.close() }
}

/** Without undefined fields. */
function defined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
