// The routes: four chat APIs, their token counters, and the model lists
import type { WireId } from './asked.ts'

export type Route = Target & {
  /** Under `/local`: a server on the user's own machine, such as LM Studio. */
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

export function routeOf(method: string, path: string, isAnthropic: boolean): Route {
  if (!path.startsWith(`${LOCAL}/`)) return targetOf(method, path, isAnthropic)
  return { ...targetOf(method, path.slice(LOCAL.length), isAnthropic), isLocal: true }
}

/** Anthropic and OpenAI list their models under the same path; `isAnthropic` tells whose client asks. */
function targetOf(method: string, path: string, isAnthropic: boolean): Target {
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

/** A name that is badly encoded is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
