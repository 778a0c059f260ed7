// Call ids and tool names a provider accepts, deterministic.
import type { ToolCallPart, ToolResultPart } from '../view/message.ts'
import type { IdRule, RepairProfile } from './profile.ts'
import { type Changes, type Turn, withParts } from './turn.ts'

/** The strictest limit of all providers. */
const STRICT_IDS: IdRule = { maxChars: 40 }
const STRICT_NAME_CHARS = 64

export interface LegalName {
  readonly turns: Turn[]
  /** Renamed tools, for the definitions sent with the messages. */
  readonly names: ReadonlyMap<string, string>
}

/** Legal unique names stay, and no other is mapped onto them. */
export function mendNames(
  turns: readonly Turn[],
  profile: RepairProfile,
  changes: Changes,
): LegalName {
  const calls = turns.flatMap(({ parts }) =>
    parts.flatMap(({ part }) => (part.type === 'tool_call' ? [part] : [])),
  )
  const { toolNames = [] } = profile
  const names = new LegalNames([...toolNames, ...calls.map(({ name }) => name)], profile.nameChars)
  // Before all calls: a tool's name must not depend on the order of calls.
  for (const name of toolNames) names.of(name)
  const ids = new LegalIds(
    calls.map(({ id }) => id),
    profile.ids,
  )
  const mended = turns.map((turn) => {
    if (turn.role === 'assistant') ids.nextAnswer()
    return withParts(
      turn,
      turn.parts.map((placed) => {
        const { part, at } = placed
        if (part.type !== 'tool_call' && part.type !== 'tool_result') return placed
        const id = ids.of(part)
        if (id !== part.id) changes.add('illegal-id', at, idReason(part, id))
        if (part.type === 'tool_result')
          return id === part.id ? placed : { at, part: { ...part, id } }
        const name = names.of(part.name)
        if (name !== part.name) changes.add('illegal-name', at, nameReason(part.name, name))
        return id === part.id && name === part.name ? placed : { at, part: { ...part, id, name } }
      }),
    )
  })
  for (const [index, name] of toolNames.entries()) {
    const legal = names.of(name)
    if (legal !== name) changes.add('illegal-name', `tools[${index}].name`, nameReason(name, legal))
  }
  return { turns: mended, names: names.changed }
}

function nameReason(name: string, legal: string): string {
  return `the tool name ${quoted(name)} became ${legal}`
}

function idReason(part: ToolCallPart | ToolResultPart, id: string): string {
  const whose = part.type === 'tool_call' ? 'the call' : 'the result of the call'
  return `${whose} ${quoted(part.id)} is now ${id}: the id is not legal, or was used before`
}

const QUOTED_CHARS = 80

function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text)
}

/** Call ids. If an answer uses an id twice, calls and results match by order. */
class LegalIds {
  readonly #rule: IdRule
  readonly #reserved: ReadonlySet<string>
  readonly #used = new Set<string>()
  #round = new Map<string, string>()
  #seen = new Map<string, number>()
  readonly #counts = new Map<string, number>()
  #counter = 0

  constructor(ids: readonly string[], rule: IdRule = STRICT_IDS) {
    this.#rule = rule
    this.#reserved = new Set(ids.filter((id) => this.#isLegal(id)))
  }

  nextAnswer(): void {
    this.#round = new Map()
    this.#seen = new Map()
    if (this.#rule.mayRepeat) this.#used.clear()
  }

  of({ type, id }: Pick<ToolCallPart | ToolResultPart, 'type' | 'id'>): string {
    const time = this.#seen.get(`${type} ${id}`) ?? 0
    this.#seen.set(`${type} ${id}`, time + 1)
    const key = `${time} ${id}`
    const known = this.#round.get(key)
    if (known !== undefined) return known
    const legal = this.#isLegal(id) && !this.#used.has(id) ? id : this.#fresh(id)
    this.#used.add(legal)
    this.#round.set(key, legal)
    return legal
  }

  #isLegal(id: string): boolean {
    const { maxChars, exactChars } = this.#rule
    if (exactChars !== undefined) return id.length === exactChars && /^[a-zA-Z0-9]+$/.test(id)
    return id.length <= maxChars && /^[a-zA-Z0-9_-]+$/.test(id)
  }

  #fresh(id: string): string {
    const { maxChars, exactChars } = this.#rule
    const isTaken = (each: string) => this.#used.has(each) || this.#reserved.has(each)
    if (exactChars === undefined) return freshName(id, maxChars, 'call', isTaken, this.#counts)
    for (;;) {
      this.#counter += 1
      const fresh = `c${String(this.#counter).padStart(exactChars - 1, '0')}`
      if (!isTaken(fresh)) return fresh
    }
  }
}

class LegalNames {
  readonly changed = new Map<string, string>()
  readonly #maxChars: number
  readonly #used: Set<string>
  readonly #counts = new Map<string, number>()

  constructor(names: readonly string[], maxChars: number = STRICT_NAME_CHARS) {
    this.#maxChars = maxChars
    this.#used = new Set(names.filter((name) => this.#isLegal(name)))
  }

  of(name: string): string {
    if (this.#isLegal(name)) return name
    const known = this.changed.get(name)
    if (known !== undefined) return known
    const isTaken = (each: string) => this.#used.has(each)
    const maxChars = Math.min(this.#maxChars, STRICT_NAME_CHARS) // ours fit everywhere
    const legal = freshName(name, maxChars, 'unnamed', isTaken, this.#counts)
    this.#used.add(legal)
    this.changed.set(name, legal)
    return legal
  }

  #isLegal(name: string): boolean {
    return name.length <= this.#maxChars && /^[a-zA-Z0-9_-]+$/.test(name)
  }
}

/** As similar to the original as possible, numbered if taken. */
function freshName(
  name: string,
  maxChars: number,
  fallback: string,
  isTaken: (name: string) => boolean,
  counts: Map<string, number>, // the last number used for each name
): string {
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxChars) || fallback
  let fresh = legal
  let count = counts.get(legal) ?? 1
  while (isTaken(fresh)) {
    count += 1
    const suffix = `_${count}`
    fresh = `${legal.slice(0, maxChars - suffix.length)}${suffix}`
  }
  counts.set(legal, count)
  return fresh
}
