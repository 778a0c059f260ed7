// Reasoning items in Responses, and the items they led to: kept together or not at all.
import type { Fields, Json } from '../../core/text/json.ts'
import { type Exchange, type Rule, type RuleInput, rule } from '../rule.ts'
import { isGiven, readFields, readList, readText } from '../walk.ts'

/** Calls the client runs, and messages of the model (VALID-R3). */
const OWN_CALLS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
])
/** Calls the server runs (VALID-R9). */
const HOSTED_CALLS: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'tool_search_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_call',
])

/** A reasoning run shared by items of one answer, and how much of it the request has so far. */
interface Bond {
  readonly run: readonly string[]
  kept: number
}

/**
 * An item with an id is bound to the reasoning before it; without the id it is free. Items are kept only with
 * `store`, which is on by default.
 */
const reasoningIsKeptWhole = rule('VALID-R3', (input, report) => {
  for (const item of unfollowed(readItems(input.request))) {
    report(item.where, 'the item that followed this reasoning is not there')
  }
  if (isStoreless(input)) return
  for (const item of withoutReasoning(input, isOwnOutput)) {
    report(
      item.where,
      `the reasoning before this ${item.type} is not there; keep it, or drop the id`,
    )
  }
})

/**
 * Whether another organisation, model or provider wrote the content cannot be seen; a content
 * that differs from the one an earlier answer had under the same id can. That `include` asks for
 * the content of the next answer is no condition of this request, and is not checked.
 * Read strictly, a reference to reasoning has no content either, whatever was stored before.
 */
const reasoningIsEncrypted = rule('VALID-R5', (input, report) => {
  const known = encryptedContents(input.earlier)
  for (const { where, type, id, fields } of readItems(input.request)) {
    const content = fields.encrypted_content
    if (isStoreless(input) && type === 'item_reference' && id?.startsWith('rs_')) {
      report(where, 'store is false: the server has no reasoning under this id')
    }
    if (type !== 'reasoning') continue
    if (typeof content !== 'string' || content === '') {
      if (isStoreless(input)) {
        report(`${where}.encrypted_content`, 'store is false: reasoning needs its content')
      }
    } else if (id !== undefined && (known.get(id) ?? content) !== content) {
      report(`${where}.encrypted_content`, 'the content is not the one the answer had')
    }
  }
})

/** Read strictly: whether or not the server stores the items. */
const hostedCallsKeepReasoning = rule('VALID-R9', (input, report) => {
  for (const item of withoutReasoning(input, ({ type = '' }) => HOSTED_CALLS.has(type))) {
    report(item.where, `the reasoning before this ${item.type} is not there`)
  }
})

export const REASONING_RULES: readonly Rule[] = [
  reasoningIsKeptWhole,
  reasoningIsEncrypted,
  hostedCallsKeepReasoning,
]

function isStoreless({ request }: RuleInput): boolean {
  return readFields(request).store === false
}

/** Reasoning with an id whose run leads to no item of the model. */
function unfollowed(items: readonly Item[]): readonly Item[] {
  const found: Item[] = []
  let isFollowed = false
  for (const item of items.toReversed()) {
    if (item.type !== 'reasoning') isFollowed = isOutput(item)
    else if (!isFollowed && item.id !== undefined) found.push(item)
  }
  return found.toReversed()
}

/**
 * Items with an id whose reasoning is gone. Earlier answers tell exactly which reasoning an item
 * had. Of an item that none of them holds nothing is known: read strictly, it had some, and some
 * must stand between it and the last message of another role, unless the model does not reason.
 */
function withoutReasoning(input: RuleInput, isBound: (item: Item) => boolean): readonly Item[] {
  const chain = findChain(input)
  const bonds = knownBonds(input.earlier)
  const seen = new Set(chain.items.flatMap(({ id }) => id ?? []))
  let isReasoned = !chain.isKnown
  return readItems(input.request).filter((item) => {
    if (item.id !== undefined) seen.add(item.id)
    if (isReasoning(item)) isReasoned = true
    if (item.type === 'message' && !isOwnOutput(item)) isReasoned = !chain.isKnown
    if (item.id === undefined || !isBound(item)) return false
    const bond = bonds.get(item.id)
    if (bond) return chain.isKnown && !isKept(bond, seen)
    return input.profile.thinkingEnabled !== false && !isReasoned
  })
}

/** The id of each answer item → the reasoning run before it. */
function knownBonds(earlier: readonly Exchange[]): ReadonlyMap<string, Bond> {
  const bonds = new Map<string, Bond>()
  for (const { answer } of earlier) {
    let run: string[] = []
    let bond: Bond = { run, kept: 0 }
    let isOpen = false
    for (const { type, id } of readOutput(answer)) {
      if (type === 'reasoning') {
        if (!isOpen) {
          run = []
          bond = { run, kept: 0 }
        }
        if (id !== undefined) run.push(id)
      } else if (id !== undefined) bonds.set(id, bond)
      isOpen = type === 'reasoning'
    }
  }
  return bonds
}

/** A counted item is never checked again. */
function isKept(bond: Bond, seen: ReadonlySet<string>): boolean {
  for (let id = bond.run[bond.kept]; id !== undefined && seen.has(id); id = bond.run[bond.kept]) {
    bond.kept += 1
  }
  return bond.kept === bond.run.length
}

function isOwnOutput({ type = '', fields }: Item): boolean {
  return OWN_CALLS.has(type) || (type === 'message' && fields.role === 'assistant')
}

/** Any item reasoning may lead to; a reference may stand for one. */
function isOutput(item: Item): boolean {
  const { type = '' } = item
  return isOwnOutput(item) || HOSTED_CALLS.has(type) || type === 'item_reference'
}

function isReasoning({ type, id }: Item): boolean {
  return type === 'reasoning' || (type === 'item_reference' && id?.startsWith('rs_') === true)
}

export interface Item {
  readonly where: string // `input[7]`
  readonly type: string | undefined
  readonly id: string | undefined
  readonly fields: Fields
}

/** What precedes the input on the server. */
interface Chain {
  readonly items: readonly Item[]
  /** False if the request names an unknown response or conversation. */
  readonly isKnown: boolean
}

/** The place of items that the request names only by an id. */
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
    byResponse.delete(id) // a cyclic chain ends here
    links.push(exchange)
    current = exchange.request
  }
  return { items: remembered(links), isKnown: true }
}

/** In this request, not in the server's memory. */
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
