// Facts about a model from an Ollama server: window and abilities
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { HOME_WINDOW_TOKENS } from '../catalogue.ts'

export interface ModelFacts {
  /** The most the model was made for. */
  readonly longestTokens?: number
  /** What its Modelfile sets: a choice someone made for this machine. */
  readonly setTokens?: number
  /** Absent if the server is too old to tell. */
  readonly capabilities?: readonly string[]
  readonly family?: string
}

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

/**
 * The window the model gets: as wished, as its Modelfile says, or a default; never more than it can.
 * Who has the memory for more sets `windowTokens`.
 */
export function windowFrom(
  { longestTokens, setTokens }: ModelFacts,
  wishedTokens: number | undefined,
): number | undefined {
  if (wishedTokens === undefined && setTokens === undefined && longestTokens === undefined)
    return undefined
  const wanted = wishedTokens ?? setTokens ?? HOME_WINDOW_TOKENS
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
