// The tool by which a model reads what compactions removed from its messages.
import type { Compactor } from '../compactor/compactor-interface.ts'
import { asPrecisError } from '../core/errors.ts'

export const RECALL_NAME = 'recall'

export const RECALL_DESCRIPTION =
  'Reads what was taken out of this conversation to save space. Give a ref such as e12, or words to search for.'

/** Mutable, as the SDKs type it. */
type RecallInput = {
  type: 'object'
  properties: Record<string, { type: string; minimum?: number; description: string }>
  required: string[]
  additionalProperties: false
}

/** JSON Schema of its input. */
export const RECALL_INPUT: RecallInput = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'A ref such as e12, or words to search for.' },
    offset: { type: 'integer', minimum: 0, description: 'Where to go on in a long text.' },
  },
  required: ['query'],
  additionalProperties: false,
}

/** Never throws: errors are returned as the result. */
export function runRecall(compactor: Pick<Compactor<never>, 'recall'>, input: unknown): string {
  const { query, offset } = Object(input)
  try {
    return compactor.recall(String(query ?? ''), typeof offset === 'number' ? { offset } : {})
  } catch (thrown) {
    return asPrecisError(thrown).message
  }
}
