// A Responses request as the rules see it: input items with their places, and what the server remembers.
import type { Fields, Json } from '../../core/text/json.ts'
import { type Exchange, isGiven, type RuleInput, readFields, readList, readText } from '../walk.ts'

export interface Item {
  readonly where: string // `input[7]`
  readonly type: string | undefined
  readonly id: string | undefined
  readonly fields: Fields
}

/** What precedes the input on the server. */
export interface Chain {
  readonly items: readonly Item[]
  /** False if the request names a response or conversation that nobody here has seen. */
  readonly isKnown: boolean
}

/** The place of what has none in the request but the id that names it. */
const REMEMBERED = 'previous_response_id'

export function readItems(request: Json): readonly Item[] {
  return readList(readFields(request).input).map((value, index) =>
    readItem(value, `input[${index}]`),
  )
}

/** The items of an answer. */
export function readOutput(answer: Json): readonly Item[] {
  return readList(readFields(answer).output).map((value) => readItem(value, REMEMBERED))
}

/** Follows `previous_response_id` through the earlier exchanges, oldest items first. */
export function findChain({ request, earlier }: RuleInput): Chain {
  if (isGiven(readFields(request).conversation)) return { items: [], isKnown: false }
  const byResponse = new Map(
    earlier.map((exchange) => [readText(readFields(exchange.answer).id), exchange]),
  )
  const links: Exchange[] = []
  let current = request
  while (isGiven(readFields(current).previous_response_id)) {
    const id = readText(readFields(current).previous_response_id)
    const exchange = byResponse.get(id)
    if (id === undefined || !exchange) return { items: remembered(links), isKnown: false }
    byResponse.delete(id) // a chain that bites its tail ends here
    links.push(exchange)
    current = exchange.request
  }
  return { items: remembered(links), isKnown: true }
}

/** In this request, not in what the server remembers. */
export function isSent({ where }: Item): boolean {
  return where !== REMEMBERED
}

/** The id of each item of the answers that has encrypted content → that content. */
export function encryptedContents(earlier: readonly Exchange[]): ReadonlyMap<string, string> {
  const contents = new Map<string, string>()
  for (const { id, fields } of earlier.flatMap(({ answer }) => readOutput(answer))) {
    const content = readText(fields.encrypted_content)
    if (id !== undefined && content !== undefined) contents.set(id, content)
  }
  return contents
}

/** A message with or without its type; the short form has a role alone. */
function readItem(value: Json, where: string): Item {
  const fields = readFields(value)
  const type =
    readText(fields.type) ?? (readText(fields.role) === undefined ? undefined : 'message')
  return { where, type, id: readText(fields.id), fields }
}

function remembered(links: readonly Exchange[]): readonly Item[] {
  return links
    .toReversed()
    .flatMap(({ request, answer }) => [
      ...readItems(request).map((item) => ({ ...item, where: REMEMBERED })),
      ...readOutput(answer),
    ])
}
