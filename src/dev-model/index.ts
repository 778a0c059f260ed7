// The strict stand-in for model providers: an HTTP server on the loopback, for tests and users.
import { createServer, type Server } from 'node:http'
import { isIP } from 'node:net'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { systemClock } from '../system.ts'
import type { Profile } from '../validate/rule.ts'
import { PROFILES } from '../validate/validate.ts'
import { anthropicFormat } from './anthropic/anthropic.ts'
import { MarkedCache } from './cache.ts'
import { type FaultOrder, Faults } from './faults.ts'
import { Memory, sendJson } from './http.ts'
import { ollamaFormat } from './ollama/ollama.ts'
import { openaiChatFormat } from './openai/chat.ts'
import { openaiResponsesFormat } from './openai/responses.ts'
import { AutomaticCache } from './prefix-cache.ts'
import { type RecordedRequest, Recorder } from './recorder.ts'
import { respond } from './respond.ts'
import { Responder, type Script } from './responder.ts'
import type { StandIn } from './turn.ts'

export type { Asked, AskedPart, AskedTurn, OfferedTool, ToolChoice, WireId } from './asked.ts'
export type { Fault, FaultKind, FaultOrder } from './faults.ts'
export type { Outcome, RecordedRequest } from './recorder.ts'
export type { AnswerCall, Ending, ScriptedAnswer, ScriptedPart } from './reply.ts'
export type { Script, ScriptFunction, ScriptStep } from './responder.ts'
export type { TurnUsage } from './wire-format.ts'

export interface DevModelOptions {
  readonly port?: number // 0: any free port
  readonly host?: string // a loopback address
  readonly clock?: Clock
  readonly windowTokens?: number
  readonly script?: Script
  /** The rules for requests; default: the strict reading of each format's own API. */
  readonly profiles?: {
    readonly anthropic?: Profile
    readonly 'openai-chat'?: Profile
    readonly 'openai-responses'?: Profile
  }
  /** The only valid key; by default any key is valid. */
  readonly apiKey?: string
  /** Accepts requests without a key, as local servers do. Paths under `/local` always do. */
  readonly keyless?: boolean
  /** The only models; by default every name is one. */
  readonly models?: readonly string[]
  /** Shorter prefixes are not cached. Default: 512 to 4096, by model (VALID-A17). */
  readonly minCacheTokens?: number
  /** As newer models do: answers end at the window, and only longer inputs are rejected. */
  readonly stopsAtWindow?: boolean
  /** Ollama's window for requests without `num_ctx`. */
  readonly ollamaContextTokens?: number
  readonly maxBodyBytes?: number
  /** Pause between the pieces of a stream. */
  readonly pieceDelayMs?: number
}

export interface DevModel {
  readonly url: string // without a path: `http://127.0.0.1:4321`
  readonly port: number
  /** The latest model and counting requests, oldest first; bodies and a few headers, never keys. */
  readonly requests: readonly RecordedRequest[]
  /** Replaces the script. After its end, or when it returns `undefined`, the small assistant answers. */
  script(script: Script): void
  /** Orders a fault for the next requests. */
  fail(order: FaultOrder): void
  /** Resolves when no request is in progress. */
  idle(): Promise<void>
  /** Ends running requests. May be called repeatedly. */
  close(): Promise<void>
}

/** Most local chat templates require alternating turns. */
const LOCAL_CHAT: Profile = { ...PROFILES['openai-chat'], strict: true }
const WINDOW_TOKENS = 200_000
const MAX_BODY_BYTES = 32 * 1_024 * 1_024
const MAX_CONNECTIONS = 256
const HEADERS_TIMEOUT_MS = 30_000
const REQUEST_TIMEOUT_MS = 120_000
/** Longer than the longest possible stall. */
const SILENCE_TIMEOUT_MS = 15 * 60_000

/** Rejects with `usage` if the host is not this machine, or the port is taken. */
export async function startDevModel(options: DevModelOptions = {}): Promise<DevModel> {
  const { host = '127.0.0.1', port = 0 } = options
  if (!isLoopback(host)) {
    throw new PrecisError('usage', `The stand-in listens on this machine only, not on ${host}.`, {
      hint: 'Use 127.0.0.1, ::1 or localhost.',
    })
  }
  const desk = buildStandIn(options)
  const underWay = new UnderWay()
  const server = createServer((request, response) => {
    underWay.add(response)
    respond(desk, request, response).catch((error: unknown) => {
      // The client disconnected while sending, or there is a bug here.
      if (response.headersSent || response.destroyed) response.destroy()
      else sendJson(response, { status: 500, body: { error: asPrecisError(error).message } })
    })
  })
  setLimits(server)
  const address = await listen(server, host, port)
  let closing: Promise<void> | undefined
  return {
    url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${address}`,
    port: address,
    get requests() {
      return desk.recorder.requests
    },
    script: (script) => desk.brain.follow(script),
    fail: (order) => desk.faults.order(order),
    idle: () => underWay.ended(),
    close: () => (closing ??= closed(server)),
  }
}

function buildStandIn(options: DevModelOptions): StandIn {
  const { profiles = {}, ollamaContextTokens } = options
  const { 'openai-chat': chat, 'openai-responses': responses } = profiles
  const anthropic = anthropicFormat(profiles.anthropic, options.windowTokens)
  const ollama = ollamaFormat(ollamaContextTokens)
  return {
    clock: options.clock ?? systemClock,
    brain: new Responder(options.script),
    memory: new Memory(),
    caches: {
      marked: new MarkedCache(options.minCacheTokens),
      automatic: new AutomaticCache(),
    },
    windowTokens: options.windowTokens ?? WINDOW_TOKENS,
    stopsAtWindow: options.stopsAtWindow ?? false,
    formats: {
      anthropic,
      'openai-chat': openaiChatFormat(chat),
      'openai-responses': openaiResponsesFormat(responses),
      ollama,
    },
    localFormats: {
      anthropic,
      'openai-chat': openaiChatFormat(chat ?? LOCAL_CHAT, true),
      'openai-responses': openaiResponsesFormat(responses, true),
      ollama,
    },
    faults: new Faults(),
    recorder: new Recorder(),
    apiKey: options.apiKey,
    keyless: options.keyless ?? false,
    models: options.models,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    pieceDelayMs: options.pieceDelayMs ?? 0,
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function setLimits(server: Server): void {
  server.maxConnections = MAX_CONNECTIONS
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.setTimeout(SILENCE_TIMEOUT_MS)
}

/** Resolves with the actual port. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const hint = 'Choose another port, or 0 for any free one.'
      const message = `The stand-in cannot listen on ${host}:${port}: ${cause.message}`
      reject(new PrecisError('usage', message, { hint, cause }))
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

async function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await done
}

/** Counts running answers. */
class UnderWay {
  #open = 0
  readonly #waiting: (() => void)[] = []

  add(response: { once(event: 'close', listener: () => void): unknown }): void {
    this.#open += 1
    response.once('close', () => {
      this.#open -= 1
      if (this.#open === 0) for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  async ended(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
