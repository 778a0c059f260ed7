// A Responses request as it is read: its input as a list, and the compact call as an item that asks for it.
import type { Fields, Json } from '../../core/text/json.ts'
import { fieldsOf, listOf } from '../../validate/walk.ts'

export function isCompactPath(path: string): boolean {
  return path === '/v1/responses/compact'
}

/** An input that is a text is one message of the user. */
export function responsesBody(body: Fields, path: string): Fields {
  const { input } = body
  const given = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const withItems = given === undefined ? body : { ...body, input: given }
  if (!isCompactPath(path)) return withItems
  const asked = [...listOf(given), { type: 'compaction_trigger' }]
  return { ...body, input: asked, stream: false, store: false }
}

/** What the user said stays as it is, in front of the compaction. */
export function keptMessages({ input }: Fields): readonly Json[] {
  return listOf(input).filter((item) => fieldsOf(item).role === 'user')
}
