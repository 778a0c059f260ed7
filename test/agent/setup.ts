// A real agent for tests: a store, the official SDK, and the strict stand-in over HTTP.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agent/agent.ts'
import type { AgentOptions } from '../../src/compose-agent.ts'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { EventOf, EventType, ThreadEvent } from '../../src/core/log/event.ts'
import type { Clock, Ids, Store } from '../../src/core/ports.ts'
import { type DevModel, type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import type { JobOptions } from '../../src/stores/index.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { storeIn } from '../scale.ts'
import { openHost, type SettingsOptions, settingsFor } from './host.ts'

export interface AgentSetup {
  readonly dev: DevModel
  readonly agent: Agent
  readonly threads: Threads
  readonly store: Store
  readonly storeUrl: string
  readonly threadId: string
  readonly folder: string // the workspace
  readonly frames: AgentFrame[]
  events(): Promise<ThreadEvent[]>
  eventsOf<T extends EventType>(type: T): Promise<EventOf<T>[]>
  /** Another agent on the same store, as another process would have it. */
  another(options?: Partial<AgentOptions>): Agent
  /** The same with a connection of its own to the store, so that nothing is shared in memory. */
  elsewhere(
    options?: Partial<AgentOptions>,
    jobs?: JobOptions,
  ): Promise<{ agent: Agent; threads: Threads }>
}

export interface SetupOptions extends SettingsOptions {
  /** The address of the store; one of its own where absent. */
  readonly storeUrl?: string
  /** A file of its own, also in the fast tier: what `elsewhere` opens once more. */
  readonly onDisk?: boolean
  /** Compactions in the background are jobs. */
  readonly jobs?: JobOptions
  readonly dev?: DevModelOptions
  readonly clock?: Clock
  readonly ids?: Ids
  /** Of the pauses between requests to the model. */
  readonly modelClock?: Clock
  readonly agent?: Partial<AgentOptions>
}

export async function setUpAgent(options: SetupOptions = {}): Promise<AgentSetup> {
  const { windowTokens = 200_000, clock, ids, modelClock } = options
  const dev = await startDevModel({ windowTokens, ...options.dev })
  const home = mkdtempSync(join(tmpdir(), 'precis-agent-'))
  const folder = mkdtempSync(join(tmpdir(), 'precis-work-'))
  const own = options.onDisk ? `sqlite:${join(home, 'threads.db')}` : storeIn(home)
  const { storeUrl = own } = options
  const closings: (() => Promise<void>)[] = []
  const open = async (jobs = options.jobs) => {
    const host = await openHost({
      storeUrl,
      folder,
      settings: settingsFor(dev.url, options),
      ...(clock && { clock }),
      ...(ids && { ids }),
      ...(modelClock && { modelClock }),
      ...(jobs && { jobs }),
      ...(options.agent && { agent: options.agent }),
    })
    closings.push(host.close)
    return host
  }
  const { store, threads, agent: make } = await open()
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
    storeUrl,
    threadId,
    folder,
    frames,
    events,
    async eventsOf<T extends EventType>(type: T) {
      return (await events()).filter((event) => event.type === type) as EventOf<T>[]
    },
    another: make,
    async elsewhere(more, jobs) {
      if (storeUrl === 'memory:') throw new Error('a store in memory is opened once: set `onDisk`')
      const other = await open(jobs)
      const otherAgent = other.agent(more)
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
