// Media types that Gemini accepts
import type { Accepts } from '../openai-chat/pieces.ts'

export interface GeminiProfile {
  /** The id under which thinking and parts of this API are in a log. */
  readonly provider: string
  readonly accepts: Accepts
}

export const GEMINI: GeminiProfile = {
  provider: 'gemini',
  accepts: {
    images: 'inline',
    imageTypes: /^image\/(?:png|jpeg|jpg|webp|heic|heif|\*)$/,
    files: true,
  },
}
