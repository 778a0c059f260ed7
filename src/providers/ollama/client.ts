// The Ollama SDK for one request: with a signal from the first byte on, and without a word on the console.
import { Ollama } from 'ollama'
import { type Timeouts, timedFetch } from '../failures/timed-fetch.ts'

export interface OllamaAddress {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly timeouts: Partial<Timeouts>
}

/** The SDK can only end a stream that has begun, so each request gets a client with its own fetch. */
export function ollamaClient(address: OllamaAddress, signal: AbortSignal): Ollama {
  const { baseUrl, apiKey, timeouts } = address
  const send = timedFetch(timeouts)
  return new Ollama({
    host: baseUrl,
    ...(apiKey !== undefined && { headers: { Authorization: `Bearer ${apiKey}` } }),
    fetch: async (input, init) => {
      const signals = [signal, ...(init?.signal ? [init.signal] : [])]
      const response = await send(input, { ...init, signal: AbortSignal.any(signals) })
      if (!response.ok) throw await refusalOf(response)
      return response
    },
  })
}

/** Read here, since the SDK writes to the console while it reads one, and forgets its headers. */
async function refusalOf(response: Response): Promise<Error> {
  const { status, headers } = response
  const said = saidIn(await response.text()) || `status ${status}`
  return Object.assign(new Error(said), { status, headers })
}

function saidIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    return typeof error === 'string' ? error : text
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return text
    throw thrown
  }
}
