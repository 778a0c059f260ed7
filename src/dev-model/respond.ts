// One HTTP request: chooses the API, checks access, and answers.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { ERROR_TABLE } from '../core/error-table.ts'
import { PrecisError } from '../core/errors.ts'
import { type Fields, isFields } from '../core/text/json.ts'
import { readFields, readText } from '../validate/walk.ts'
import type { WireId } from './asked.ts'
import { converse } from './converse.ts'
import type { FaultOrder } from './faults.ts'
import { readBody, sendJson } from './http.ts'
import {
  anthropicModel,
  anthropicModels,
  loadedModels,
  localModels,
  type ModelFacts,
  ollamaModel,
  ollamaModels,
  openaiModel,
  openaiModels,
} from './models.ts'
import type { StandIn } from './turn.ts'
import type { HttpAnswer, Refusal } from './wire-format.ts'

const LOOPBACK_HOSTS = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/

export async function respond(
  desk: StandIn,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method = 'GET' } = request
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const route = chooseRoute(method, path, headers['anthropic-version'] !== undefined)
  const format = (route.isLocal ? desk.localFormats : desk.formats)[route.wire]
  if (!isFromHere(headers)) {
    const body = { error: 'only requests to the loopback address are answered' }
    return sendJson(response, { status: 403, body })
  }
  const refusal = admission(desk, route, request)
  if (refusal !== undefined) return sendJson(response, format.refuse(refusal))
  const body =
    method === 'POST' ? await readBody(request, desk.maxBodyBytes) : { value: {}, chars: 0 }
  if (body === 'too-large') return sendJson(response, format.refuse({ kind: 'too-large' }))
  if (body === 'no-json' || !isFields(body.value)) {
    const message = 'The request body is not valid JSON: expected an object'
    return sendJson(response, format.refuse({ kind: 'invalid', message }))
  }
  if (route.kind === 'turn' || route.kind === 'count') {
    const sent = { value: body.value, chars: body.chars, path, headers }
    await converse(desk, route.kind, format, sent, response)
  } else sendJson(response, answerTo(desk, route, method, readFields(body.value)))
}

/**
 * A web page can make a browser send requests here, even under another host name; our clients never do so.
 */
function isFromHere({ host = '', origin }: IncomingHttpHeaders): boolean {
  const from = origin?.replace(/^https?:\/\//, '')
  return LOOPBACK_HOSTS.test(host) && (from === undefined || LOOPBACK_HOSTS.test(from))
}

/** Rejects a missing or wrong key, which local servers do not need, and a missing version. */
function admission(
  { apiKey, keyless }: StandIn,
  { wire, kind, isLocal = false }: Route,
  { headers }: IncomingMessage,
): Refusal | undefined {
  if (kind === 'running' || kind === 'version' || kind === 'order-fault') return undefined
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const key = String(headers['x-api-key'] ?? bearer ?? '')
  const isOpen = isLocal || keyless || (wire === 'ollama' && apiKey === undefined)
  const isFine = isOpen || (apiKey === undefined ? key !== '' : key === apiKey)
  if (!isFine) return { kind: 'unauthorised', isMissing: key === '' }
  if (wire !== 'anthropic' || headers['anthropic-version'] !== undefined) return undefined
  return { kind: 'invalid', message: 'anthropic-version: header is required' }
}

/** A version of Ollama with this API. */
const OLLAMA_VERSION = '0.12.0'

/** Requests without a model: model lists, stored responses, the version, and fault orders. */
function answerTo(desk: StandIn, route: Route, method: string, body: Fields): HttpAnswer {
  switch (route.kind) {
    case 'models':
      return modelsAnswer(desk, route, readText(body.model) ?? readText(body.name))
    case 'loaded':
      return { status: 200, body: loadedModels(readFacts(desk)) }
    case 'stored':
      return storedAnswer(desk, route.id, method)
    case 'version':
      return { status: 200, body: { version: OLLAMA_VERSION } }
    case 'running':
      return { status: 200, body: 'Ollama is running' }
    case 'order-fault':
      return orderFault(desk, body)
    default: {
      const message = 'there is nothing under this path'
      return desk.formats[route.wire].refuse({ kind: 'not-found', message })
    }
  }
}

function readFacts({ models, windowTokens }: StandIn): readonly ModelFacts[] {
  return (models ?? ['dev']).map((id) => ({ id, windowTokens }))
}

function modelsAnswer(
  desk: StandIn,
  { wire, model, isLocal = false }: Extract<Route, { kind: 'models' }>,
  named: string | undefined,
): HttpAnswer {
  const { models, windowTokens, formats } = desk
  if (model === undefined) {
    const openai = isLocal ? localModels : openaiModels
    const list = wire === 'ollama' ? ollamaModels : wire === 'anthropic' ? anthropicModels : openai
    return { status: 200, body: list(readFacts(desk)) }
  }
  const id = wire === 'ollama' ? (named ?? '') : model
  if (models !== undefined && !models.includes(id)) {
    const refusal = { kind: 'not-found', message: `model: ${id}`, code: 'model_not_found' } as const
    return formats[wire].refuse(refusal)
  }
  const one = wire === 'ollama' ? ollamaModel : wire === 'anthropic' ? anthropicModel : openaiModel
  return { status: 200, body: one({ id, windowTokens }) }
}

function storedAnswer({ memory, formats }: StandIn, id: string, method: string): HttpAnswer {
  const key = `response ${id}`
  const found = memory.find(key)
  if (found === undefined) {
    const message = `Response with id '${id}' not found.`
    return formats['openai-responses'].refuse({ kind: 'not-found', message })
  }
  if (method === 'GET') return { status: 200, body: found.answer }
  memory.forget(key)
  return { status: 200, body: { id, object: 'response', deleted: true } }
}

/** `{"kind": "rate-limit", "times": 2}`: the same as `fail`, for other processes. */
function orderFault({ faults }: StandIn, body: Fields): HttpAnswer {
  const { kind, at, ms, retryAfterS, windowTokens, times } = readFields(body)
  try {
    faults.order({
      kind: readText(kind) as FaultOrder['kind'],
      ...((at === 'start' || at === 'middle') && { at }),
      ...(typeof ms === 'number' && { ms }),
      ...(typeof retryAfterS === 'number' && { retryAfterS }),
      ...(typeof windowTokens === 'number' && { windowTokens }),
      ...(typeof times === 'number' && { times }),
    })
  } catch (error) {
    if (!PrecisError.is(error)) throw error
    return {
      status: ERROR_TABLE[error.code].status,
      body: { error: error.message, hint: error.hint ?? null },
    }
  }
  return { status: 200, body: { ordered: readText(kind) ?? null } }
}

/** The routes: four chat APIs, their token counters, and the model lists. */
type Route = Target & {
  /** Under `/local`: like a server on the user's own machine, such as LM Studio. */
  readonly isLocal?: boolean
}

type Target =
  | { readonly kind: 'turn' | 'count'; readonly wire: WireId }
  | { readonly kind: 'models'; readonly wire: WireId; readonly model?: string }
  | { readonly kind: 'stored'; readonly wire: 'openai-responses'; readonly id: string }
  | { readonly kind: 'loaded' | 'version' | 'running' | 'order-fault'; readonly wire: WireId }
  | { readonly kind: 'unknown'; readonly wire: WireId }

const FIXED: Readonly<Record<string, Target>> = {
  'POST /v1/messages': { kind: 'turn', wire: 'anthropic' },
  'POST /v1/messages/count_tokens': { kind: 'count', wire: 'anthropic' },
  'POST /v1/chat/completions': { kind: 'turn', wire: 'openai-chat' },
  'POST /v1/responses': { kind: 'turn', wire: 'openai-responses' },
  'POST /v1/responses/compact': { kind: 'turn', wire: 'openai-responses' },
  'POST /v1/responses/input_tokens': { kind: 'count', wire: 'openai-responses' },
  'POST /api/chat': { kind: 'turn', wire: 'ollama' },
  'GET /api/tags': { kind: 'models', wire: 'ollama' },
  'POST /api/show': { kind: 'models', wire: 'ollama', model: '' },
  'GET /api/v0/models': { kind: 'loaded', wire: 'openai-chat' },
  'GET /api/version': { kind: 'version', wire: 'ollama' },
  'GET /': { kind: 'running', wire: 'ollama' },
  'HEAD /': { kind: 'running', wire: 'ollama' },
  'POST /precis/fail': { kind: 'order-fault', wire: 'ollama' },
}

const LOCAL = '/local'

function chooseRoute(method: string, path: string, isAnthropic: boolean): Route {
  if (!path.startsWith(`${LOCAL}/`)) return chooseTarget(method, path, isAnthropic)
  return { ...chooseTarget(method, path.slice(LOCAL.length), isAnthropic), isLocal: true }
}

/** Anthropic and OpenAI list models under the same path; `isAnthropic` tells the client. */
function chooseTarget(method: string, path: string, isAnthropic: boolean): Target {
  const fixed = FIXED[`${method} ${path}`]
  if (fixed !== undefined) return fixed
  const wire = isAnthropic ? 'anthropic' : 'openai-chat'
  const [, models, model] = /^\/v1\/(models)(?:\/(.+))?$/.exec(path) ?? []
  if (models !== undefined && method === 'GET') {
    return { kind: 'models', wire, ...(model !== undefined && { model: decoded(model) }) }
  }
  const id = /^\/v1\/responses\/([\w-]+)$/.exec(path)?.[1]
  if (id !== undefined && (method === 'GET' || method === 'DELETE')) {
    return { kind: 'stored', wire: 'openai-responses', id }
  }
  if (path.startsWith('/api/')) return { kind: 'unknown', wire: 'ollama' }
  return { kind: 'unknown', wire: path.startsWith('/v1/messages') ? 'anthropic' : wire }
}

/** An invalid encoding is kept as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
