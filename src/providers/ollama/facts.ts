// What an Ollama server tells about a model: its window, and what it can do.
import type { Json } from '../../core/json.ts'
import { type Fields, isFields } from '../../wire/openai-chat/fields.ts'

export interface ModelFacts {
  /** The most the model was made for. */
  readonly longestTokens?: number
  /** What its Modelfile sets: a choice somebody made for this machine. */
  readonly setTokens?: number
  /** Absent where the server is too old to tell. */
  readonly capabilities?: readonly string[]
  readonly family?: string
}

/**
 * Memory for the window is taken when the model is loaded, whether it is used or not; this is about
 * 4 GB for a model of 8 billion parameters. Who has more sets `windowTokens`.
 */
const DEFAULT_WINDOW_TOKENS = 32_768

export function readFacts(shown: Json): ModelFacts {
  if (!isFields(shown)) return {}
  const longest = longestOf(isFields(shown.model_info) ? shown.model_info : {})
  const set = setIn(typeof shown.parameters === 'string' ? shown.parameters : '')
  const family = isFields(shown.details) ? shown.details.family : undefined
  const { capabilities } = shown
  return {
    ...(longest !== undefined && { longestTokens: longest }),
    ...(set !== undefined && { setTokens: set }),
    ...(Array.isArray(capabilities) && { capabilities: capabilities.map(String) }),
    ...(typeof family === 'string' && { family }),
  }
}

/** The window the model gets: as wished, as its Modelfile says, or a default; never more than it can. */
export function windowFrom(
  { longestTokens, setTokens }: ModelFacts,
  wishedTokens: number | undefined,
): number | undefined {
  if (wishedTokens === undefined && setTokens === undefined && longestTokens === undefined)
    return undefined
  const wanted = wishedTokens ?? setTokens ?? DEFAULT_WINDOW_TOKENS
  return Math.min(wanted, longestTokens ?? wanted)
}

/** Under the name of the architecture: `qwen3.context_length`. */
function longestOf(info: Fields): number | undefined {
  const architecture = info['general.architecture']
  const named = info[`${String(architecture)}.context_length`]
  const any = Object.entries(info).find(([name]) => name.endsWith('.context_length'))?.[1]
  const value = named ?? any
  return typeof value === 'number' && value > 0 ? value : undefined
}

/** One parameter a line: its name, blanks, its value. */
function setIn(parameters: string): number | undefined {
  const value = Number(/^num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1])
  return value > 0 ? value : undefined
}
