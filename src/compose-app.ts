// Wires the app: an agent that asks through it, formats, models and folders, on top of `compose`.
import type { Agent } from './agent/agent.ts'
import type { Composed } from './compose.ts'
import { type AgentOptions, composeAgent } from './compose-agent.ts'
import { PrecisError } from './core/errors.ts'
import type { ThreadEvent } from './core/log/event.ts'
import { IMPORT_END } from './core/log/import-end.ts'
import type { ResolvedSettings, Settings } from './core/settings/settings.ts'
import { shownSetting } from './core/text/address.ts'
import { SESSION_FORMATS } from './formats/index.ts'
import { PAGE_FORMATS } from './formats/pages.ts'
import { type ImportTarget, importSession } from './formats/reading/import-session.ts'
import { detectFormat, readSample } from './formats/reading/sample.ts'
import type { SessionFormat } from './formats/session-format.ts'
import type { ModelInfo, SettingInfo } from './protocol/client.ts'
import { LISTED_MODELS, modelInfo, readModelOverrides } from './providers/catalogue.ts'
import { costOf } from './providers/costs.ts'
import { PROVIDER_ENTRIES } from './providers/entries.ts'
import { secretsOf } from './redact/known.ts'
import { redactValues } from './redact/redact-values.ts'
import { inheriting } from './server/accounts/owners.ts'
import { type App, createApp } from './server/app.ts'
import type { Page } from './server/http/page.ts'
import { Approvals, Peers } from './server/live/peers.ts'
import { Presence } from './server/live/presence.ts'
import type {
  Access,
  AppFormats,
  AppLimits,
  AppModels,
  AppWorkspaces,
  MachineSessions,
  UploadedFile,
} from './server/ports.ts'
import type { Threads } from './threads/threads.ts'
import { walk } from './tools/files/walk.ts'
import { isInside, openWorkspace } from './tools/workspace.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The dependencies of an app. */
export type AppSource = Pick<Composed, 'threads' | 'store' | 'clock' | 'ids' | 'model' | 'models'>

export interface AppOptions extends Omit<WorkspaceChoices, 'workspace'> {
  readonly settings: ResolvedSettings
  readonly environment: Environment
  readonly version: string // of précis
  /** Options of the agent; its folder is the default for new threads. */
  readonly agent?: Omit<AgentOptions, 'settings' | 'approver'>
  readonly access?: Access
  readonly page?: Page
  readonly machine?: MachineSessions
  /** Other processes may work on the same store. */
  readonly hasPeers?: boolean
  readonly limits?: Partial<AppLimits>
}

export interface ComposedApp {
  readonly app: App
  readonly agent: Agent
  /** Ends the streams, then the agent. Its dependencies stay open. */
  close(): Promise<void>
}

export function composeApp(given: AppSource, options: AppOptions): ComposedApp {
  const { store, clock, ids } = given
  const threads = inheriting(given.threads, store)
  const source = { ...given, threads }
  const { settings: resolved, environment, version, access, page, machine, limits } = options
  const { settings } = resolved
  const approvals = new Approvals()
  const { approver } = approvals
  const agent = composeAgent(source, { ...options.agent, settings, approver })
  const peers = options.hasPeers
    ? new Peers(source, {
        abort: (threadId) => agent.abort(threadId),
        decide: (threadId, callId, decision) => approvals.decide(threadId, callId, decision),
      })
    : undefined
  const presence = options.hasPeers ? new Presence(source, { agent, approvals }) : undefined
  const app = createApp({
    agent,
    threads,
    store,
    clock,
    ids,
    approvals,
    models: listModels(source, settings, environment),
    formats: findFormats(source, environment),
    workspaces: composeWorkspaces({ ...options, ...options.agent }),
    version,
    defaultPreset: settings.preset,
    settings: () => readSettings(resolved, environment),
    ...(access && { access }),
    ...(page && { page }),
    ...(machine && { machine }),
    ...(peers && { peers }),
    ...(presence && { presence }),
    ...(limits && { limits }),
  })
  return {
    app,
    agent,
    async close() {
      app.close()
      await peers?.close()
      await agent.close() // the others still hear of what it ends
      await presence?.close()
    },
  }
}

function listModels(
  { models }: AppSource,
  settings: Settings,
  environment: Environment,
): AppModels {
  const { default: defaultModel, fast } = settings.models
  return {
    ...(defaultModel !== undefined && { defaultModel }),
    async resolve(name) {
      const { ref, window, info } = await (await models()).resolve(name)
      return { ref, windowTokens: window.tokens, costOf: (usage) => costOf(usage, info) }
    },
    async list() {
      const overrides = readModelOverrides(settings.catalogue ?? {}, 'catalogue')
      const chosen = [defaultModel, fast].filter((name) => name !== undefined)
      const names = [...chosen, ...Object.keys(overrides), ...LISTED_MODELS, STAND_IN]
      return [...new Set(names)].map((ref): ModelInfo => {
        const { known, windowTokens } = modelInfo(ref, overrides)
        const isConfigured = canAsk(ref, settings, environment)
        return { ref, ...(known && { windowTokens }), isConfigured }
      })
    },
  }
}

const STAND_IN = 'dev'

/** Its key exists; or it needs none and someone configured or chose it. */
function canAsk(ref: string, { models, providers }: Settings, environment: Environment): boolean {
  const id = ref.split('/', 1)[0] ?? ''
  if (id === STAND_IN) return true
  const entry = PROVIDER_ENTRIES.find((each) => each.id === id)
  if (!entry) return false
  const { keyVariables, baseUrlVariable = '' } = entry
  if (keyVariables.length > 0) return keyVariables.some((name) => environment[name]?.trim())
  return (
    providers?.[id]?.baseUrl !== undefined ||
    Boolean(environment[baseUrlVariable]) ||
    models.default === ref ||
    models.fast === ref
  )
}

function findFormats(source: AppSource, environment: Environment): AppFormats {
  const { threads, clock } = source
  const writing = SESSION_FORMATS.filter(({ write }) => write !== undefined)
  return {
    read: SESSION_FORMATS.map(({ id }) => id),
    written: [...PAGE_FORMATS, ...writing].map(({ id }) => id),
    importThread: (file, options) => importInto(threads, file, { ...options, at: clock.now() }),
    async exportThread(threadId, id) {
      const secrets = secretsOf(environment)
      const { system, messages } = await threads.messages(threadId)
      const { value: view } = redactValues({ system, messages }, secrets)
      const page = PAGE_FORMATS.find((each) => each.id === id)
      if (page) return { text: page.write(view).text, mediaType: `text/${id}` }
      const format = writing.find((each) => each.id === id)
      if (!format?.write) throw unknownFormat(id, [...PAGE_FORMATS, ...writing])
      const { value: events } = redactValues(await threads.getAllEvents(threadId), secrets)
      const { text } = format.write(
        { view, events: events as ThreadEvent[] },
        { now: clock.now(), newId: () => crypto.randomUUID() },
      )
      return { text, mediaType: 'text/plain' }
    },
  }
}

/** All or nothing. */
async function importInto(
  threads: Threads,
  source: UploadedFile,
  { format, owner, at }: { readonly format?: string; readonly owner?: string; readonly at: Date },
): Promise<string> {
  const found =
    format === undefined
      ? detectFormat(await readSample(source), SESSION_FORMATS)
      : SESSION_FORMATS.find(({ id }) => id === format)
  if (!found) throw unknownFormat(format ?? '', SESSION_FORMATS)
  const begun: string[] = []
  const target: ImportTarget = {
    async create(started) {
      const threadId = await threads.create({ ...started, ...(owner !== undefined && { owner }) })
      begun.push(threadId)
      return threadId
    },
    append: threads.append,
    compact: threads.compact,
  }
  try {
    const marked = { source: { end: IMPORT_END, at: at.toISOString() } }
    const { threadId, notes } = await importSession(target, found, source, marked)
    if (notes.account.modelled === 0) throw noConversation(found.id)
    return threadId
  } catch (error) {
    for (const threadId of begun) await threads.delete(threadId)
    throw error
  }
}

function noConversation(format: string): PrecisError {
  return new PrecisError('invalid-input', `The file holds no conversation of ${format}.`, {
    where: 'body',
    hint: 'Name the right format, or omit it so that it is detected.',
  })
}

function unknownFormat(id: string, known: readonly Pick<SessionFormat, 'id'>[]): PrecisError {
  return new PrecisError('unknown-format', `Unknown format: ${id}`, {
    where: 'format',
    hint: `Known formats: ${known.map((each) => each.id).join(', ')}.`,
  })
}

function readSettings({ origins }: ResolvedSettings, environment: Environment): SettingInfo[] {
  const secrets = secretsOf(environment)
  return Object.entries(origins).map(([key, { value = null, origin }]) => ({
    key,
    value: redactValues(shownSetting(key, value), secrets).value,
    origin,
  }))
}

interface WorkspaceChoices {
  /** The folder of new threads. */
  readonly workspace?: string
  /** Other allowed folders. */
  readonly workspaces?: readonly string[]
  /** The rules of a folder for new threads there; the caller trusts them. */
  readonly rules?: (workspace: string) => string | undefined
  /** Threads from other folders may not work there from here. */
  readonly onlyThese?: boolean
}

const DEEPEST = 12

function composeWorkspaces(choices: WorkspaceChoices): AppWorkspaces {
  const { workspace, workspaces = [], onlyThese = false } = choices
  const allowed = [...(workspace === undefined ? [] : [workspace]), ...workspaces]
  const require = (path: string) => {
    const asked = folderAt(path)
    const roots = allowed.map(folderAt).filter((root) => root !== undefined)
    if (asked !== undefined && roots.some((root) => isInside(root, asked))) return asked
    throw new PrecisError('forbidden', 'This directory is not allowed as a workspace.', {
      where: 'workspace',
      hint: 'Check that it exists. Start précis in it, or allow it with --workspace.',
    })
  }
  return {
    ...(workspace !== undefined && { default: workspace }),
    ...(choices.rules && { rules: choices.rules }),
    require,
    admit(path) {
      if (onlyThese) require(path)
    },
    walk(path, isOver) {
      const { root } = openWorkspace({ root: path })
      return walk({ root, start: root, maxDepth: DEEPEST, isOver })
    },
  }
}

/** Undefined if missing: other folders must not be revealed. */
function folderAt(path: string): string | undefined {
  if (path.includes('\0')) return undefined
  try {
    return openWorkspace({ root: path }).root
  } catch (error) {
    if (PrecisError.is(error)) return undefined
    throw error
  }
}
