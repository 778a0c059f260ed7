// OpenAI's compact call: the same as a last item that asks for a compaction, but with a window as its answer.
import type { Json } from '../../core/json.ts'
import { type Fields, fieldsOf, listOf } from '../../validate/walk.ts'

export function isCompactPath(path: string): boolean {
  return path === '/v1/responses/compact'
}

export function asCompaction(body: Fields): Fields {
  const { input } = body
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
  return { ...body, input: [...items, { type: 'compaction_trigger' }], stream: false, store: false }
}

/** What the user said stays as it is, in front of the compaction. */
export function keptMessages({ input }: Fields): readonly Json[] {
  return listOf(input).filter((item) => fieldsOf(item).role === 'user')
}
