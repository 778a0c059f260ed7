// What OpenCode sends of a session: a brief replaces its start, stable between two compactions.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { stateFolderPath } from './platform-folders.ts'

/** The used part of OpenCode's client. */
export interface Client {
  readonly session: {
    messages(given: { path: { id: string } }): Promise<{ data?: unknown }>
    get(given: { path: { id: string } }): Promise<{ data?: unknown }>
  }
  readonly config: { providers(): Promise<{ data?: unknown }> }
}

/** The relevant part of an OpenCode message. */
export interface OpenCodeMessage {
  info: { id: string; sessionID: string; role: 'user' | 'assistant' }
  parts: object[]
}

type MakeBrief = (sessionID: string, until: string, budgetTokens: number) => Promise<string>

/** Share of the size at which OpenCode compacts by itself. */
const TRIGGER_SHARE = 0.8
/** Share of what the system prompt and tools leave below the trigger. */
const TAIL_SHARE = 0.35
const BRIEF_SHARE = 0.2
const MOST_BRIEF_TOKENS = 12_000
/** With less room a view would be rebuilt after a few requests. */
const LEAST_ROOM_TOKENS = 4_000
const REST_MESSAGES = 10

export class OpenCodeViews {
  readonly #client: Client
  readonly #makeBrief: MakeBrief
  readonly #views = new Map<string, View | undefined>()
  readonly #limits = new Map<string, number>()
  readonly #failed = new Map<string, number>() // session → its number of messages
  readonly #compacting = new Set<string>()

  constructor(client: Client, makeBrief: MakeBrief) {
    this.#client = client
    this.#makeBrief = makeBrief
  }

  /** OpenCode passes the messages it will summarise next: they get no new view. */
  isCompacting(sessionID: string): void {
    this.#compacting.add(sessionID)
  }

  /** Changes the list in place, because OpenCode continues with it. */
  async rewrite(messages: OpenCodeMessage[]): Promise<void> {
    const [first] = messages
    if (first === undefined) return
    const { sessionID } = first.info
    const isSummary = this.#compacting.delete(sessionID)
    let view = await this.#viewOf(sessionID, messages)
    if (!isSummary && !this.#isResting(sessionID, messages.length))
      view = (await this.#tryRenew(messages, view)) ?? view
    if (view === undefined) return
    const at = findMessage(messages, view.keptFrom)
    if (at < 0 && !isSummary) return
    messages.splice(
      0,
      messages.length,
      ...withBrief(messages, at < 0 ? messages.length : at, view.brief),
    )
  }

  /** A brief of messages the user took back is invalid. */
  async #viewOf(
    sessionID: string,
    messages: readonly OpenCodeMessage[],
  ): Promise<View | undefined> {
    if (!this.#views.has(sessionID)) this.#views.set(sessionID, await readView(sessionID))
    const view = this.#views.get(sessionID)
    if (view?.first !== messages[0]?.info.id) return undefined
    if (view === undefined || findMessage(messages, view.keptFrom) >= 0) return view
    // When OpenCode summarises it passes only some; the session has the rest.
    const { data } = await this.#client.session.messages({ path: { id: sessionID } })
    if (!Array.isArray(data)) return undefined
    if (findMessage(data, view.keptFrom) >= 0) return view
    this.#views.set(sessionID, undefined)
    await dropView(sessionID)
    return undefined
  }

  /** If none can be built, the previous one stays. */
  async #tryRenew(
    messages: readonly OpenCodeMessage[],
    view: View | undefined,
  ): Promise<View | undefined> {
    try {
      return await this.#renewed(messages, view)
    } catch (thrown) {
      this.#failed.set(messages[0]?.info.sessionID ?? '', messages.length)
      const { notePluginFailure } = await import('./failure-log.ts')
      await notePluginFailure('opencode', thrown)
      return undefined
    }
  }

  /** Do not retry a failure on every request. */
  #isResting(sessionID: string, length: number): boolean {
    const at = this.#failed.get(sessionID)
    return at !== undefined && length >= at && length < at + REST_MESSAGES
  }

  /** A new view if the last answer shows a nearly full window. */
  async #renewed(
    messages: readonly OpenCodeMessage[],
    view: View | undefined,
  ): Promise<View | undefined> {
    const [first] = messages
    const last = messages.at(-1)
    const since = view ? findMessage(messages, view.madeAt) + 1 : 0
    const answerAt = messages.findLastIndex((message, at) => at >= since && usedBy(message) > 0)
    const answer = messages[answerAt]
    if (first === undefined || last === undefined || answer === undefined) return undefined
    const trigger = (await this.#limitOf(answer)) * TRIGGER_SHARE
    const kept = view ? Math.max(0, findMessage(messages, view.keptFrom)) : 0
    const weights = messages.map(weigh)
    const shown = sum(weights.slice(kept, answerAt + 1)) + (view ? estimateTokens(view.brief) : 0)
    const used = usedBy(answer)
    if (trigger <= 0 || used + sum(weights.slice(answerAt + 1)) < trigger) return undefined
    const room = trigger - Math.max(0, used - shown)
    if (room < LEAST_ROOM_TOKENS) return undefined
    const at = tailStart(weights, room * TAIL_SHARE)
    const keptFrom = messages[at]?.info.id
    if (at <= kept || keptFrom === undefined) return undefined
    const { sessionID } = first.info
    const budget = Math.min(MOST_BRIEF_TOKENS, Math.floor(room * BRIEF_SHARE))
    const brief = await this.#makeBrief(sessionID, keptFrom, budget)
    const made = { first: first.info.id, keptFrom, madeAt: last.info.id, brief }
    this.#views.set(sessionID, made)
    await writeView(sessionID, made)
    return made
  }

  /** The tokens up to which OpenCode lets this model's session grow; 0 if unknown. */
  async #limitOf({ info }: OpenCodeMessage): Promise<number> {
    const { providerID = '', modelID = '' } = info as { providerID?: string; modelID?: string }
    const name = `${providerID}/${modelID}`
    const known = this.#limits.get(name)
    if (known !== undefined) return known
    const { data } = await this.#client.config.providers()
    const { providers = [] } = data as { providers?: readonly Provider[] }
    const limit = providers.find(({ id }) => id === providerID)?.models[modelID]?.limit
    const tokens = limit === undefined ? 0 : computeUsable(limit)
    this.#limits.set(name, tokens)
    return tokens
  }
}

interface Limit {
  readonly context: number
  readonly input?: number
  readonly output: number
}

interface Provider {
  readonly id: string
  readonly models: Readonly<Record<string, { readonly limit: Limit }>>
}

/** OpenCode's maximum for an answer. */
const MOST_OUTPUT_TOKENS = 32_000
const RESERVED_TOKENS = 20_000

/** OpenCode's own calculation. */
function computeUsable({ context, input, output }: Limit): number {
  const most = Math.min(output || MOST_OUTPUT_TOKENS, MOST_OUTPUT_TOKENS)
  return input ? input - Math.min(RESERVED_TOKENS, most) : context - most
}

/** The provider's count for this answer and everything before. */
function usedBy({ info }: OpenCodeMessage): number {
  const { tokens } = info as {
    tokens?: { input: number; output: number; cache: { read: number; write: number } }
  }
  if (tokens === undefined) return 0
  return tokens.input + tokens.output + tokens.cache.read + tokens.cache.write
}

function weigh({ parts }: OpenCodeMessage): number {
  return sum(parts.map((part) => estimateTokens(readText(part))))
}

/** As a request contains it. */
function readText(part: object): string {
  const { text = '', state } = part as {
    text?: string
    state?: { input?: unknown; output?: string; error?: string }
  }
  if (state === undefined) return text
  return `${JSON.stringify(state.input ?? {})}${state.output ?? state.error ?? ''}`
}

/** The last message always stays: it will be answered next. */
function tailStart(weights: readonly number[], most: number): number {
  let tokens = 0
  for (let at = weights.length - 1; at > 0; at -= 1) {
    tokens += weights[at] ?? 0
    if (tokens > most) return Math.min(at + 1, weights.length - 1)
  }
  return 0
}

/** The brief is a user message, with the latest request if that is removed. */
function withBrief(
  messages: readonly OpenCodeMessage[],
  at: number,
  brief: string,
): OpenCodeMessage[] {
  const [head, tail] = [messages.slice(0, at), messages.slice(at)]
  const isUser = ({ info }: OpenCodeMessage) => info.role === 'user'
  const [next] = tail
  const opens = next !== undefined && isUser(next)
  const asked = opens ? next : head.findLast(isUser)
  if (asked === undefined) return [...messages]
  const isRequest = opens || !tail.some(isUser)
  const { id: messageID, sessionID } = asked.info
  const text = {
    id: `prt_precis_${messageID}`,
    messageID,
    sessionID,
    type: 'text',
    text: brief,
    synthetic: true,
  }
  const opening = { ...asked, parts: [text, ...(isRequest ? asked.parts : [])] }
  return [opening, ...(opens ? tail.slice(1) : tail)]
}

function findMessage(messages: readonly OpenCodeMessage[], id: string): number {
  return messages.findIndex(({ info }) => info.id === id)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** A brief that replaces messages. */
interface View {
  /** OpenCode's first message: another one means that it compacted, or that the user went back. */
  readonly first: string
  /** The first message sent unchanged. */
  readonly keptFrom: string
  /** The last message at that time: only later ones show how full the window is with this view. */
  readonly madeAt: string
  readonly brief: string
}

/** An unreadable view is rebuilt. */
async function readView(sessionID: string): Promise<View | undefined> {
  try {
    const { first, keptFrom, madeAt, brief } = Object(
      JSON.parse(await readFile(nameFile(sessionID), 'utf8')),
    ) as Partial<Record<keyof View, unknown>>
    const isWhole = [first, keptFrom, madeAt, brief].every((field) => typeof field === 'string')
    return isWhole ? ({ first, keptFrom, madeAt, brief } as View) : undefined
  } catch {
    return undefined
  }
}

/** Atomic: another OpenCode process reads the old or the new one. */
async function writeView(sessionID: string, view: View): Promise<void> {
  const file = nameFile(sessionID)
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  try {
    await writeFile(beside, JSON.stringify(view), { mode: 0o600 })
    await rename(beside, file)
  } catch (thrown) {
    await rm(beside, { force: true })
    throw thrown
  }
}

async function dropView(sessionID: string): Promise<void> {
  await rm(nameFile(sessionID), { force: true })
}

function nameFile(sessionID: string): string {
  const folder = join(stateFolderPath({ cwd: process.cwd(), environment: process.env }), 'opencode')
  return join(folder, `${sessionID.replaceAll(/[^\w-]/g, '_')}.json`)
}
