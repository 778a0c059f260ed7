// Compares two parts of a conversation as the API does, which ignores some fields.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { readList } from '../walk.ts'
import { type Block, isThinking, type Message } from './conversation.ts'

/** One block and its role. Turns need no boundary: a change of role is one. */
export interface Step {
  readonly role: string
  readonly fields: Fields
}

/** Later blocks are not bound to earlier thinking. */
export function stepsOfMessage({ role, blocks }: Message): readonly Step[] {
  return findSteps(role, blocks)
}

export function findSteps(role: string, blocks: readonly Block[]): readonly Step[] {
  return blocks.filter((block) => !isThinking(block)).map(({ fields }) => ({ role, fields }))
}

export function sameSteps(some: readonly Step[], others: readonly Step[]): boolean {
  return some.length === others.length && some.every((step, index) => sameStep(step, others[index]))
}

export function sameStep(step: Step, other: Step | undefined): boolean {
  return other !== undefined && step.role === other.role && sameJson(step.fields, other.fields)
}

/** Tools loaded later do not count. */
export function sameTools(some: Json | undefined, others: Json | undefined): boolean {
  return sameJson(loadedTools(some), loadedTools(others))
}

function loadedTools(tools: Json | undefined): readonly Json[] {
  return readList(tools).filter((tool) => !(isFields(tool) && tool.defer_loading === true))
}

/** A string prompt equals one text block. */
export function sameSystem(some: Json | undefined, others: Json | undefined): boolean {
  return sameJson(systemList(some), systemList(others))
}

function systemList(system: Json | undefined): readonly Json[] {
  if (typeof system !== 'string') return readList(system)
  return system === '' ? [] : [{ type: 'text', text: system }]
}

/** Texts of a tool's author are compared exactly. */
const EXACT = ['input', 'input_schema']

/** Ignores cache marks, and fields that spell out a default. */
export function sameJson(some: Json, others: Json): boolean {
  const waiting: { a: Json; b: Json; isExact: boolean }[] = [{ a: some, b: others, isExact: false }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { a, b, isExact } = next
    if (a === b) continue
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false
      for (const [index, item] of a.entries())
        waiting.push({ a: item, b: b[index] ?? null, isExact })
    } else if (isFields(a) && isFields(b)) {
      const keys = isExact ? Object.keys(a) : keysThatCount(a, b)
      const otherKeys = isExact ? Object.keys(b) : keysThatCount(b, a)
      if (keys.length !== otherKeys.length) return false
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false
        const isExactBelow = isExact || EXACT.includes(key)
        waiting.push({ a: a[key] ?? null, b: b[key] ?? null, isExact: isExactBelow })
      }
    } else return false
  }
  return true
}

function keysThatCount(fields: Fields, other: Fields): readonly string[] {
  return Object.keys(fields).filter((key) => {
    const value = fields[key]
    if (value === undefined || value === null || key === 'cache_control') return false
    if (key === 'is_error') return value !== false
    if (key === 'caller') return !(isFields(value) && value.type === 'direct')
    // The API compares the bytes behind an address, which may be renamed.
    return !(key === 'url' && fields.type === 'url' && other.type === 'url')
  })
}
