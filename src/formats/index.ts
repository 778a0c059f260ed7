// The file formats, under their ids.
import { anthropic } from './anthropic.ts'
import type { Format } from './format.ts'

export const FORMATS: readonly Format[] = [anthropic]
