// `repeated-results`: the same output once more, and outputs of the same call that differ in numbers alone.
import type { EntryId } from '../../core/edit/change.ts'
import { asRef } from '../elision.ts'
import { type Elision, type Prune, withText } from './prune-kind.ts'
import type { ToolUse } from './tool-uses.ts'

const LEAST_CHARS = 200
/** From so many calls on it is someone who waits for something. */
const POLLS = 3

export const repeatedResults: Prune = {
  name: 'repeated-results',
  find({ uses, until }) {
    const keys = uses.map(callKey)
    const polled = pollsIn(keys)
    const later = new Map<string, EntryId>()
    const elisions: Elision[] = []
    for (let index = uses.length - 1; index >= 0; index -= 1) {
      const use = uses[index] as ToolUse
      const { text, call } = use
      const callText = keys[index] as string
      if (text.length < LEAST_CHARS || use.result.content.some((block) => block.text === undefined))
        continue
      const isPoll = polled.has(callText)
      const key = isPoll ? `${callText}\n${text.replace(/\d+/g, '0')}` : text
      const ref = later.get(key)
      if (ref === undefined) later.set(key, use.ref)
      else if (use.at < until) {
        const what = isPoll ? 'but for numbers the same' : 'the same'
        const line = `[Result of ${call.name}: ${what} again later ${asRef(ref)}; here: ${asRef(use.ref)}]`
        elisions.push(withText(use, line))
      }
    }
    return elisions
  },
}

function pollsIn(keys: readonly string[]): Set<string> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return new Set([...counts].flatMap(([key, count]) => (count >= POLLS ? [key] : [])))
}

function callKey({ call }: ToolUse): string {
  return `${call.name} ${JSON.stringify(call.arguments)}`
}
