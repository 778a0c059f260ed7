// A stand-in and the official clients for it, closed when the test is over.
import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { onTestFinished } from 'vitest'
import { type DevModel, type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'

export interface Setup {
  readonly dev: DevModel
  readonly anthropic: Anthropic
  readonly openai: OpenAI
  readonly ollama: Ollama
}

export const KEY = 'key-that-nobody-may-keep'
export const MODEL = 'dev'

export async function setUp(options: DevModelOptions = {}): Promise<Setup> {
  const dev = await startDevModel(options)
  onTestFinished(() => dev.close())
  return { dev, ...clients(dev.url) }
}

/** Without retries: each test sees each answer. */
export function clients(url: string) {
  return {
    anthropic: new Anthropic({ apiKey: KEY, baseURL: url, maxRetries: 0 }),
    openai: new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 }),
    ollama: new Ollama({ host: url }),
  }
}

export async function collect<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const each of stream) found.push(each)
  return found
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not reject')
    },
    (error: unknown) => error,
  )
}

/** A text of about so many tokens, another one for each seed. */
export function words(count: number, seed = 'word'): string {
  return Array.from({ length: count }, (_, index) => `${seed}${index % 7}`).join(' ')
}

export const PATH_SCHEMA = {
  type: 'object' as const,
  properties: { path: { type: 'string' } },
  required: ['path'],
}
