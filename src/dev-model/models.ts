// Model lists in each provider's shape. The window is where clients look for it.
import type { Fields, Json } from '../core/text/json.ts'
import { readFields, readList } from '../validate/walk.ts'
import { ENVELOPE_TOKENS, tokensOfJson } from './count.ts'
import { digest } from './seal.ts'

/** A fixed creation date, so that answers are deterministic. */
const CREATED = new Date('2026-01-01T00:00:00Z')

export interface ModelFacts {
  readonly id: string
  readonly windowTokens: number
}

export function anthropicModel({ id, windowTokens }: ModelFacts): Json {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: CREATED.toISOString(),
    deprecated_at: null,
    retires_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: windowTokens,
    max_tokens: windowTokens,
    capabilities: null,
  }
}

export function anthropicModels(models: readonly ModelFacts[]): Json {
  return {
    data: models.map(anthropicModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }
}

/** Compatible servers add `context_length` and `max_model_len`. */
export function openaiModel({ id, windowTokens }: ModelFacts): Json {
  return {
    id,
    object: 'model',
    created: CREATED.getTime() / 1_000,
    owned_by: 'precis',
    context_length: windowTokens,
    max_model_len: windowTokens,
  }
}

export function openaiModels(models: readonly ModelFacts[]): Json {
  return { object: 'list', data: models.map(openaiModel) }
}

/** In the form of local servers, which do not report windows here. */
export function localModels(models: readonly ModelFacts[]): Json {
  return {
    object: 'list',
    data: models.map(({ id }) => ({ id, object: 'model', owned_by: 'organization_owner' })),
  }
}

/** LM Studio's own list: the maximum window and the loaded one. */
export function loadedModels(models: readonly ModelFacts[]): Json {
  return {
    object: 'list',
    data: models.map(({ id, windowTokens }) => ({
      id,
      object: 'model',
      type: 'llm',
      publisher: 'precis',
      arch: 'dev',
      compatibility_type: 'gguf',
      quantization: 'F16',
      state: 'loaded',
      max_context_length: windowTokens,
      loaded_context_length: windowTokens,
    })),
  }
}

const DETAILS = {
  parent_model: '',
  format: 'gguf',
  family: 'dev',
  families: ['dev'],
  parameter_size: '0B',
  quantization_level: 'F16',
}

export function ollamaModels(models: readonly ModelFacts[]): Json {
  return {
    models: models.map(({ id }) => ({
      name: id,
      model: id,
      modified_at: CREATED.toISOString(),
      size: 0,
      digest: digest(id),
      details: DETAILS,
    })),
  }
}

export function ollamaModel({ id, windowTokens }: ModelFacts): Json {
  return {
    license: '',
    modelfile: `FROM ${id}`,
    parameters: '',
    template: '{{ .Prompt }}',
    details: DETAILS,
    model_info: {
      'general.architecture': 'dev',
      'general.parameter_count': 0,
      'dev.context_length': windowTokens,
    },
    capabilities: ['completion', 'tools', 'thinking'],
    modified_at: CREATED.toISOString(),
  }
}

const KEPT_ROLES = ['system', 'developer']

/** System messages and the last message stay, even if they alone exceed the window. */
export function withoutOldest(body: Fields, field: string, windowTokens: number): Fields {
  const items = readList(body[field])
  const { tools, system, instructions } = body
  const fixed = [tools, system, instructions].map((each) => tokensOfJson(each ?? null))
  const sizes = items.map((item) => tokensOfJson(item) + ENVELOPE_TOKENS)
  let tokens = [...fixed, ...sizes].reduce((sum, each) => sum + each, 0)
  const kept = items.filter((item, index) => {
    const stays = KEPT_ROLES.includes(String(readFields(item).role)) || index === items.length - 1
    if (stays || tokens <= windowTokens) return true
    tokens -= sizes[index] ?? 0
    return false
  })
  return { ...body, [field]: kept }
}
