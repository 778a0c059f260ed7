// Requests that ask no model: lists of models, stored responses, the version, and orders of faults.
import { PrecisError } from '../core/errors.ts'
import type { Fields } from '../core/text/json.ts'
import { fieldsOf, textOf } from '../validate/walk.ts'
import type { FaultOrder } from './faults.ts'
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
import type { Route } from './routes.ts'
import type { Desk } from './stand-in.ts'
import type { HttpAnswer } from './wire-format.ts'

/** A version of Ollama that has the API as it is written here. */
const OLLAMA_VERSION = '0.12.0'

export function answerTo(desk: Desk, route: Route, method: string, body: Fields): HttpAnswer {
  switch (route.kind) {
    case 'models':
      return modelsAnswer(desk, route, textOf(body.model) ?? textOf(body.name))
    case 'loaded':
      return { status: 200, body: loadedModels(factsOf(desk)) }
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

function factsOf({ models, windowTokens }: Desk): readonly ModelFacts[] {
  return (models ?? ['dev']).map((id) => ({ id, windowTokens }))
}

function modelsAnswer(
  desk: Desk,
  { wire, model, isLocal = false }: Extract<Route, { kind: 'models' }>,
  named: string | undefined,
): HttpAnswer {
  const { models, windowTokens, formats } = desk
  if (model === undefined) {
    const openai = isLocal ? localModels : openaiModels
    const list = wire === 'ollama' ? ollamaModels : wire === 'anthropic' ? anthropicModels : openai
    return { status: 200, body: list(factsOf(desk)) }
  }
  const id = wire === 'ollama' ? (named ?? '') : model
  if (models !== undefined && !models.includes(id)) {
    const refusal = { kind: 'not-found', message: `model: ${id}`, code: 'model_not_found' } as const
    return formats[wire].refuse(refusal)
  }
  const one = wire === 'ollama' ? ollamaModel : wire === 'anthropic' ? anthropicModel : openaiModel
  return { status: 200, body: one({ id, windowTokens }) }
}

function storedAnswer({ memory, formats }: Desk, id: string, method: string): HttpAnswer {
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

/** `{"kind": "rate-limit", "times": 2}`: what `fail` does, for other processes. */
function orderFault({ faults }: Desk, body: Fields): HttpAnswer {
  const { kind, at, ms, retryAfterS, windowTokens, times } = fieldsOf(body)
  try {
    faults.order({
      kind: textOf(kind) as FaultOrder['kind'],
      ...((at === 'start' || at === 'middle') && { at }),
      ...(typeof ms === 'number' && { ms }),
      ...(typeof retryAfterS === 'number' && { retryAfterS }),
      ...(typeof windowTokens === 'number' && { windowTokens }),
      ...(typeof times === 'number' && { times }),
    })
  } catch (error) {
    if (!PrecisError.is(error)) throw error
    return { status: error.httpStatus, body: { error: error.message, hint: error.hint ?? null } }
  }
  return { status: 200, body: { ordered: textOf(kind) ?? null } }
}
