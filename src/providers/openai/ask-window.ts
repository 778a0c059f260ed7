// Asks servers for the window of a model, in each server's own way
import type OpenAI from 'openai'
import { PrecisError } from '../../core/errors.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { type Attempts, retryCall } from '../failures/timed-fetch.ts'

interface Source {
  /** From the base URL, usually ending in `/v1`, to the URL to ask. */
  place(baseUrl: string): string
  read(answer: Fields, model: string): number | undefined
}

const SOURCES: readonly Source[] = [
  {
    // vLLM, OpenRouter, Groq, llama.cpp: next to the name in the list of models.
    place: (baseUrl) => `${trimmed(baseUrl)}/models`,
    read(answer, model) {
      const entry = readEntry(answer, model)
      const meta = isFields(entry.meta) ? entry.meta : {}
      return tokens(
        entry.max_model_len ?? entry.context_length ?? entry.context_window ?? meta.n_ctx,
      )
    },
  },
  {
    // LM Studio: the window of a loaded model. The window of an unloaded one is a user setting that no API
    // reports; its maximum would be a guess.
    place: (baseUrl) => `${findRoot(baseUrl)}/api/v0/models`,
    read: (answer, model) => tokens(readEntry(answer, model).loaded_context_length),
  },
  {
    // LM Studio since 0.4: per instance, of which there may be several.
    place: (baseUrl) => `${findRoot(baseUrl)}/api/v1/models`,
    read({ models }, model) {
      const entries: readonly Json[] = Array.isArray(models) ? models : []
      const loaded = entries.filter(isFields).flatMap(({ key = null, loaded_instances: each }) => {
        const instances: readonly Json[] = Array.isArray(each) ? each : []
        return instances.filter(isFields).map((instance) => ({ key, instance }))
      })
      const named =
        loaded.find(({ instance }) => instance.id === model) ??
        loaded.find(({ key }) => key === model)
      return isFields(named?.instance.config)
        ? tokens(named.instance.config.context_length)
        : undefined
    },
  },
  {
    // Older llama.cpp, which serves a single model.
    place: (baseUrl) => `${findRoot(baseUrl)}/props`,
    read({ default_generation_settings: settings }) {
      return isFields(settings) ? tokens(settings.n_ctx) : undefined
    },
  },
]

/** Undefined if the server supports none of the questions, or does not know the model. */
export async function askWindow(
  client: OpenAI,
  baseUrl: string,
  model: string,
  attempts: Attempts,
): Promise<number | undefined> {
  for (const { place, read } of SOURCES) {
    const answer = await answerFrom(client, place(baseUrl), attempts)
    const window = isFields(answer) ? read(answer, model) : undefined
    if (window !== undefined) return window
  }
  return undefined
}

async function answerFrom(
  client: OpenAI,
  url: string,
  attempts: Attempts,
): Promise<Json | undefined> {
  try {
    return await retryCall(attempts, (signal) => client.get<Json>(url, { signal }))
  } catch (thrown) {
    if (PrecisError.is(thrown) && isNoSuchPlace(thrown)) return undefined
    throw thrown
  }
}

function isNoSuchPlace({ details }: PrecisError): boolean {
  return [400, 404, 405, 501].includes(Number(details.status))
}

function readEntry({ data }: Fields, model: string): Fields {
  const entries: readonly Json[] = Array.isArray(data) ? data : []
  return entries.filter(isFields).find(({ id }) => id === model) ?? {}
}

function tokens(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

function findRoot(baseUrl: string): string {
  return trimmed(baseUrl).replace(/\/v\d+$/, '')
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}
