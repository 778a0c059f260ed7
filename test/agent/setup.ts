// A real agent for tests: SQLite on disk, the official SDK, and the strict stand-in over HTTP.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agent/agent.ts'
import { compose } from '../../src/compose.ts'
import { type AgentOptions, composeAgent } from '../../src/compose-agent.ts'
import type { ApprovalPolicy } from '../../src/core/approval.ts'
import type { EventOf, EventType, ThreadEvent } from '../../src/core/event.ts'
import type { AgentFrame } from '../../src/core/frame.ts'
import type { Clock, Ids, Store } from '../../src/core/ports.ts'
import type { PresetId } from '../../src/core/presets.ts'
import { resolveSettings } from '../../src/core/settings.ts'
import { type DevModel, type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import { openStore } from '../../src/stores/index.ts'
import { randomIds, systemClock } from '../../src/system.ts'
import type { Threads } from '../../src/threads/threads.ts'

export interface AgentSetup {
  readonly dev: DevModel
  readonly agent: Agent
  readonly threads: Threads
  readonly store: Store
  readonly threadId: string
  readonly folder: string // the workspace
  readonly frames: AgentFrame[]
  events(): Promise<ThreadEvent[]>
  eventsOf<T extends EventType>(type: T): Promise<EventOf<T>[]>
  /** Another agent on the same store, as another process would have it. */
  another(options?: Partial<AgentOptions>): Agent
  /** The same with a connection of its own to the store, so that nothing is shared in memory. */
  elsewhere(options?: Partial<AgentOptions>): Promise<{ agent: Agent; threads: Threads }>
}

export interface SetupOptions {
  readonly preset?: PresetId
  readonly windowTokens?: number
  /** What the catalogue says of the window; the stand-in's own where absent. */
  readonly believedWindowTokens?: number
  readonly model?: string
  /** The longest answer, as the catalogue has it. */
  readonly outputTokens?: number
  /** What is known of further models. */
  readonly catalogue?: Record<string, object>
  readonly dev?: DevModelOptions
  readonly clock?: Clock
  readonly ids?: Ids
  readonly agent?: Partial<AgentOptions>
  readonly auto?: Record<string, number | boolean>
}

export const MODEL = 'anthropic/stand-in'
const ALLOW_ALL: ApprovalPolicy = { mode: 'allow', allow: [], deny: [], readOnly: false }

export async function setUpAgent(options: SetupOptions = {}): Promise<AgentSetup> {
  const { preset = 'log', windowTokens = 200_000, model = MODEL, clock = systemClock } = options
  const { ids = randomIds, believedWindowTokens = windowTokens, outputTokens = 1_000 } = options
  const dev = await startDevModel({ windowTokens, ...options.dev })
  const home = mkdtempSync(join(tmpdir(), 'precis-agent-'))
  const folder = mkdtempSync(join(tmpdir(), 'precis-work-'))
  const { settings } = resolveSettings([
    {
      origin: 'flag',
      where: 'the test',
      values: {
        preset,
        models: { default: model },
        providers: { anthropic: { baseUrl: dev.url } },
        catalogue: {
          [model]: { windowTokens: believedWindowTokens, outputTokens },
          ...options.catalogue,
        },
        gate: { minTokens: 1_000 },
        ...(options.auto && { auto: options.auto }),
      },
    },
  ])
  const environment = { ANTHROPIC_API_KEY: 'test-key' }
  const closings: (() => Promise<void>)[] = []
  const host = async () => {
    const store = await openStore(`sqlite:${join(home, 'threads.db')}`)
    const composed = compose({ store, settings, environment })
    const { threads } = composed
    const make = (more: Partial<AgentOptions> = {}) =>
      composeAgent(
        { ...composed, clock, ids },
        { settings, workspace: folder, approval: ALLOW_ALL, ...options.agent, ...more },
      )
    closings.push(composed.close)
    return { store, threads, make }
  }
  const { store, threads, make } = await host()
  const agent = make()
  const frames: AgentFrame[] = []
  agent.on((frame) => frames.push(frame))
  onTestFinished(async () => {
    await agent.close()
    for (const close of closings.reverse()) await close()
    await dev.close()
    for (const path of [home, folder]) rmSync(path, { recursive: true, force: true })
  })
  const threadId = await threads.create()
  const events = () => threads.getAllEvents(threadId) as Promise<ThreadEvent[]>
  return {
    dev,
    agent,
    threads,
    store,
    threadId,
    folder,
    frames,
    events,
    async eventsOf<T extends EventType>(type: T) {
      return (await events()).filter((event) => event.type === type) as EventOf<T>[]
    },
    another: make,
    async elsewhere(more) {
      const other = await host()
      const otherAgent = other.make(more)
      closings.push(otherAgent.close)
      return { agent: otherAgent, threads: other.threads }
    },
  }
}

/** What the model was sent last, as plain texts by role. */
export function lastMessages(dev: DevModel): { role: string; text: string }[] {
  const body = dev.requests.at(-1)?.body as { messages?: readonly WireMessage[] } | undefined
  return (body?.messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) }))
}

interface WireMessage {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly text?: string }[]
}

function textOf(content: WireMessage['content']): string {
  if (typeof content === 'string') return content
  return content.map((block) => block.text ?? `[${block.type}]`).join('\n')
}
