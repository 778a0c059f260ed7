// The contract suite for lists of rules: each rule is broken alone, kept and needed.
import fc from 'fast-check'
import { expect } from 'vitest'
import { runs } from '../../../test/scale.ts'
import type { Json } from '../../core/text/json.ts'
import type { Exchange, Profile, Rule } from '../rule.ts'

export interface Case {
  readonly request: Json
  readonly profile?: Partial<Profile>
  readonly earlier?: readonly Exchange[]
}

export interface BrokenCase extends Case {
  readonly where: string | readonly string[]
}

export interface Proof {
  readonly broken: readonly BrokenCase[]
  readonly kept: readonly Case[]
}

export interface RuleSuite {
  /** Breaks only this rule, at these places, and passes without it. */
  prove(id: string, proof: Proof): void
  /** Neither random JSON nor a damaged valid request makes a rule throw. */
  surviveAnything(samples: readonly Json[]): void
  /** Twice the request means twice the reads: counted instead of timed. */
  readInProportion(requestOf: (size: number) => Json): void
}

export function createSuite(rules: readonly Rule[], usual: Profile): RuleSuite {
  const violations = (list: readonly Rule[], { request, profile, earlier = [] }: Case) =>
    list.flatMap((rule) => rule.check({ request, profile: { ...usual, ...profile }, earlier }))

  return {
    prove(id, { broken, kept }) {
      const others = rules.filter((rule) => rule.id !== id)
      expect(others).toHaveLength(rules.length - 1)
      for (const { where, ...each } of broken) {
        const found = violations(rules, each).map((violation) => [violation.id, violation.where])
        const places = typeof where === 'string' ? [where] : where
        expect(found).toEqual(places.map((place) => [id, place]))
        expect(violations(others, each)).toEqual([])
      }
      for (const each of kept) expect(violations(rules, each)).toEqual([])
    },

    surviveAnything(samples) {
      const profiles = fc.record({ strict: fc.boolean(), thinkingEnabled: fc.boolean() })
      const requests = fc.oneof(fc.jsonValue(), damaged(samples), damaged(samples))
      fc.assert(
        fc.property(requests, profiles, requests, (anything, profile, answer) => {
          const request = anything as Json
          const earlier = [{ request, answer: answer as Json }]
          for (const { id, where, message } of violations(rules, { request, profile, earlier })) {
            expect(id).toMatch(/^VALID-[A-Z]\d+$/)
            expect(message).not.toBe('')
            expect(indexedItemsExist(request, where)).toBe(true)
          }
        }),
        runs(3_000),
      )
    },

    readInProportion(requestOf) {
      const reads = (size: number) => {
        const [request, count] = counted(requestOf(size))
        for (const rule of rules) rule.check({ request, profile: usual, earlier: [] })
        return count()
      }
      expect(reads(400)).toBeLessThan(reads(200) * 2.1)
    },
  }
}

type Path = readonly (string | number)[]

/** One of the samples with some values replaced, by others of it or by nonsense. */
function damaged(samples: readonly Json[]) {
  const nonsense = fc.constantFrom<Json | undefined>(undefined, null, 7, true, '', ' ', [], {})
  const exchange = fc.record({
    at: fc.nat(),
    from: fc.option(fc.nat(), { nil: undefined }),
    nonsense,
  })
  const exchanges = fc.array(exchange, { minLength: 1, maxLength: 5 })
  return fc.tuple(fc.constantFrom(...samples), exchanges).map(([sample, list]) =>
    list.reduce<Json>((request, { at, from, nonsense: other }) => {
      const nodes = listNodes(request, [])
      const path = nodes[at % nodes.length]?.path ?? []
      const value = from === undefined ? other : nodes[from % nodes.length]?.value
      return replaceAt(request, path, value) ?? null
    }, sample),
  )
}

function listNodes(value: Json, path: Path): readonly { path: Path; value: Json }[] {
  const isParent = typeof value === 'object' && value !== null
  const below = isParent ? Object.entries(value as Record<string, Json>) : []
  return [
    { path, value },
    ...below.flatMap(([key, item]) =>
      listNodes(item, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ]
}

/** Undefined removes the item or field. */
function replaceAt(value: Json, [key, ...rest]: Path, other: Json | undefined): Json | undefined {
  if (key === undefined) return other
  const entries = Object.entries(value as Record<string, Json>).flatMap(([name, item]) => {
    const kept = name === String(key) ? replaceAt(item, rest, other) : item
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}

/** A place may name a missing field, but never a missing item. */
function indexedItemsExist(request: Json, where: string): boolean {
  let current: Json | undefined = request
  return [...where.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].every(([, index, name]) => {
    if (index !== undefined) {
      current = Array.isArray(current) ? current[Number(index)] : undefined
      return current !== undefined
    }
    const isObject = typeof current === 'object' && current !== null
    current = isObject ? (current as Record<string, Json>)[name ?? ''] : undefined
    return true
  })
}

/** The same value, with a counter of fields and items read. */
function counted(value: Json): readonly [Json, () => number] {
  let reads = 0
  const wrap = (each: unknown): unknown =>
    typeof each !== 'object' || each === null
      ? each
      : new Proxy(each, {
          get(target, key, receiver) {
            reads += 1
            return wrap(Reflect.get(target, key, receiver))
          },
        })
  return [wrap(value) as Json, () => reads]
}
