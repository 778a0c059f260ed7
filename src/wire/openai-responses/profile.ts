// Differences between servers that speak Responses
import type { Accepts } from '../openai-chat/pieces.ts'

export interface ResponsesProfile {
  /** The id under which reasoning items and other items of this API are in a log. */
  readonly provider: string
  /** Asks for reasoning to carry along. Models that do not reason refuse to be asked. */
  readonly encryptedReasoning: boolean
  /** Asks for a summary of the reasoning. Some organisations may not. */
  readonly reasoningSummary: boolean
  readonly accepts: Accepts
}

export const OPENAI_RESPONSES: ResponsesProfile = {
  provider: 'openai',
  encryptedReasoning: true,
  reasoningSummary: true,
  accepts: { images: 'any', files: true },
}
