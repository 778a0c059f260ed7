// Half characters out of what is sent: no provider takes a lone surrogate (VALID-A21).
import type { Json } from '../core/json.ts'

/** The same value where nothing is wrong with it; otherwise a copy in which each half is a `�`. */
export function wellFormed<T extends Json>(value: T, note: (problem: string) => void): T {
  let count = 0
  const repaired = repair(value, () => {
    count += 1
  })
  if (count > 0) note(`half characters in ${count} texts were replaced`)
  return repaired as T
}

function repair(value: Json, found: () => void): Json {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return value
    found()
    return value.toWellFormed()
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => repair(item, found))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const fields = Object.entries(value).map(([name, inner]) => [
    repair(name, found),
    repair(inner, found),
  ])
  const isChanged = Object.entries(value).some(
    ([name, inner], index) => fields[index]?.[0] !== name || fields[index]?.[1] !== inner,
  )
  return isChanged ? Object.fromEntries(fields) : value
}
