// JSON as somebody edited it: values replaced, removed, doubled or put in, at any depth.
import type { Json } from '../../src/core/text/json.ts'
import type { Random } from './random.ts'

type Mutable = Json[] | { [key: string]: Json }

/** What can stand in the place of anything. */
export const ODD_VALUES: readonly Json[] = [null, '', ' ', 'tool', 7, true, [], {}, [[]], '\ud83d']

/** One change at a random depth. */
export function damageOne(list: Mutable, odd: readonly Json[], random: Random): string {
  let current: Mutable = list
  const path: string[] = []
  for (;;) {
    const keys: readonly string[] = Object.keys(current)
    if (keys.length === 0) return `nothing at ${path.join('.')}`
    const key = random.pick(keys)
    path.push(key)
    const below: Json | undefined = (current as { [key: string]: Json })[key]
    const isDeeper = typeof below === 'object' && below !== null
    if (isDeeper && random.chance(0.75)) {
      current = below as Mutable
      continue
    }
    return `${change(current, key, random.pick(odd), random)} ${path.join('.')}`
  }
}

function change(parent: Mutable, key: string, value: Json, random: Random): string {
  const action = random.pick(['replace', 'remove', 'double', 'insert'])
  const odd = structuredClone(value)
  if (!Array.isArray(parent)) {
    if (action === 'remove') delete parent[key]
    else parent[action === 'insert' ? 'odd' : key] = odd
  } else if (action === 'remove') parent.splice(Number(key), 1)
  else if (action === 'double')
    parent.splice(Number(key), 0, structuredClone(parent[Number(key)] as Json))
  else parent.splice(Number(key), action === 'insert' ? 0 : 1, odd)
  return action
}
