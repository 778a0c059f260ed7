// Checks returned thinking: ours, unchanged, and after the same conversation.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { dropsUnboundThinking } from '../../validate/anthropic/binding.ts'
import {
  type Block,
  isThinking,
  type Message,
  openRound,
  readMessages,
} from '../../validate/anthropic/conversation.ts'
import type { Profile, Violation } from '../../validate/rule.ts'
import { readFields, readList, readText } from '../../validate/walk.ts'
import { digest, isBoundTo, isOfModel, type Seal, sealed, unsealed } from '../seal.ts'

/** The running hash of a conversation by blocks, without thinking. */
interface Prefix {
  readonly frame: string // system and tools
  readonly told: string
}

function computeHash({ frame, told }: Prefix): string {
  return digest(frame, told)
}

/** The prefix of what follows the whole request. */
export function findPrefix(body: Fields): Prefix {
  const told = readMessages(body).reduce(
    (sum, { role, blocks }) => blocks.reduce((each, block) => afterBlock(each, role, block), sum),
    '',
  )
  return { frame: buildFrame(body), told }
}

export function afterBlock(
  told: string,
  role: string,
  block: Pick<Block, 'type' | 'fields'>,
): string {
  if (isThinking(block)) return told
  if (block.type === 'compaction') return replacedBy(block.fields) ?? told
  return digest(told, role, meaningHash(block.fields))
}

/** Our compactions carry the hash of what they replace, so what follows stays valid. */
function replacedBy({ content, signature }: Fields): string | undefined {
  return unsealed('compaction', readText(content) ?? '', readText(signature) ?? '')?.payload
}

function buildFrame({ system, tools }: Fields): string {
  const prompt = typeof system === 'string' ? [{ type: 'text', text: system }] : readList(system)
  const loaded = readList(tools).filter((tool) => !(isFields(tool) && tool.defer_loading === true))
  return digest(meaningHash(prompt), meaningHash(loaded))
}

export function sealedThinking(kind: string, text: string, prefix: Prefix, model: string): string {
  return kind === 'thinking'
    ? sealed(kind, text, { prefix: computeHash(prefix), model })
    : sealed(
        kind,
        '',
        { prefix: computeHash(prefix), model },
        Buffer.from(text).toString('base64url'),
      )
}

/** A block the API drops, and the reason in its wording. */
export interface Dropped {
  readonly place: string
  readonly reason: 'model_binding_mismatch' | 'prefix_binding_mismatch'
}

interface ThinkingCheck {
  readonly violations: readonly Violation[]
  readonly dropped: readonly Dropped[]
}

/** For thinking that is not ours or was changed. */
export const BAD_SIGNATURE = 'the signature is not valid'

/** Checks the general rules cannot make: they do not know the contents of a signature. */
export function checkThinking(body: Fields, profile: Profile): ThinkingCheck {
  const violations: Violation[] = []
  const dropped: Dropped[] = []
  const messages = readMessages(body)
  const open = openRound(messages)
  const isBinding = profile.preservedThinking
  let told = ''
  for (const message of messages) {
    for (const block of message.blocks) {
      const { place } = block
      const seal = computeSeal(block)
      if (seal === 'broken') {
        violations.push({ id: 'VALID-A12', where: place, message: BAD_SIGNATURE })
      } else if (seal !== undefined && !isOfModel(seal, readText(body.model) ?? '')) {
        dropped.push({ place, reason: 'model_binding_mismatch' })
      } else if (
        isBinding &&
        seal &&
        !isBoundTo(seal, computeHash({ frame: buildFrame(body), told }))
      ) {
        if (dropsUnboundThinking(body)) dropped.push({ place, reason: 'prefix_binding_mismatch' })
        else violations.push(unbound(message, open, place))
      }
      told = afterBlock(told, message.role, block)
    }
  }
  return { violations, dropped }
}

function computeSeal({ type, fields }: Block): Seal | 'broken' | undefined {
  const signature = readText(type === 'thinking' ? fields.signature : fields.data)
  // A missing signature is reported by the rules.
  if (!isThinking({ type }) || signature === undefined || signature === '') return undefined
  const text = type === 'thinking' ? (readText(fields.thinking) ?? '') : ''
  return unsealed(type, text, signature) ?? 'broken'
}

function unbound(message: Message, open: Message | undefined, where: string): Violation {
  return message === open
    ? {
        id: 'VALID-A22',
        where,
        message: 'an open tool round keeps thinking behind a changed prefix',
      }
    : { id: 'VALID-A13', where, message: 'what stood before this thinking was changed' }
}

/** The body as the model sees it, without dropped blocks. */
export function withoutDropped(body: Fields, dropped: readonly Dropped[]): Fields {
  if (dropped.length === 0) return body
  const places = new Set(dropped.map(({ place }) => place))
  const messages = readList(body.messages).map((message, index): Json => {
    const { content } = readFields(message)
    if (!Array.isArray(content)) return message
    const kept = content.filter((_, at) => !places.has(`messages[${index}].content[${at}]`))
    return { ...readFields(message), content: kept }
  })
  return { ...body, messages }
}

/**
 * Equal for values that mean the same to the API: ignores cache marks, field order, and fields that spell out
 * a default. Texts of a tool's author count exactly.
 */
function meaningHash(value: Json): string {
  return digest(JSON.stringify(meant(value, false)))
}

const EXACT = ['input', 'input_schema']

function meant(value: Json, isExact: boolean): Json {
  if (Array.isArray(value)) return readList(value).map((item) => meant(item, isExact))
  if (!isFields(value)) return value
  const kept = Object.keys(value)
    .filter((key) => isExact || counts(key, value))
    .sort()
    .map((key) => [key, meant(value[key] ?? null, isExact || EXACT.includes(key))] as const)
  return Object.fromEntries(kept)
}

function counts(key: string, fields: Fields): boolean {
  const value = fields[key]
  if (value === undefined || value === null || key === 'cache_control') return false
  if (key === 'is_error') return value !== false
  if (key === 'caller') return !(isFields(value) && value.type === 'direct')
  return !(key === 'url' && fields.type === 'url')
}
