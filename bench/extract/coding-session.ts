// A coding session from a seed, of any length: calls, results with code and logs, answers that come back to them.
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Random } from '../../test/generate/random.ts'
import { prose } from '../core/conversation.ts'

const FOLDERS = ['src/core', 'src/net', 'src/store', 'test/flows', 'docs']
const VERBS = ['parse', 'load', 'write', 'merge', 'check', 'send', 'fold', 'split']
const NOUNS = ['Config', 'Thread', 'Event', 'Token', 'Budget', 'Ledger', 'Entry', 'Pin']
const RESULT_LINES = 60
const ROUNDS_OF_TURN = 12

/** Whole rounds until about so many characters are there. */
export function codingSession(random: Random, chars: number): EventDraft[] {
  const drafts: EventDraft[] = []
  let made = 0
  for (let round = 0; made < chars; round += 1) {
    if (round % ROUNDS_OF_TURN === 0) {
      const text = `Please ${prose(random, 120)} in ${path(random)}.`
      drafts.push({ type: 'USER_MESSAGE', data: text, origin: 'typed' })
      made += text.length
    }
    const [more, length] = toolRound(random, `call_${round}`)
    drafts.push(...more)
    made += length
  }
  return drafts
}

function toolRound(random: Random, id: string): [EventDraft[], number] {
  const content = `Now ${name(random)} in ${path(random)}: ${prose(random, 200)}`
  const given = random.chance(0.5)
    ? { path: path(random), limit: random.int(20, 400) }
    : { command: `npm test -- ${path(random)} -t ${name(random)}` }
  const output = Array.from({ length: RESULT_LINES }, () => line(random)).join('\n')
  const drafts: EventDraft[] = [
    { type: 'AGENT_MESSAGE', data: { content, calls: [id], stopReason: 'tool_use' } },
    { type: 'TOOL_CALL', data: { id, name: 'run', arguments: given, answer: 0 } },
    {
      type: 'TOOL_RESULT',
      data: { id, content: [{ type: 'text', text: output }], status: 'completed' },
    },
  ]
  return [drafts, content.length + output.length + JSON.stringify(given).length]
}

function line(random: Random): string {
  const kind = random.int(0, 3)
  if (kind === 0)
    return `${path(random)}:${random.int(1, 900)}: ${name(random)}(${prose(random, 20)})`
  if (kind === 1)
    return `  const ${name(random)} = ${name(random)}(${random.int(0, 99)}) // ${prose(random, 30)}`
  if (kind === 2) return `✓ ${prose(random, 40)} ${random.int(1, 999)}ms`
  return prose(random, 60)
}

function path(random: Random): string {
  return `${random.pick(FOLDERS)}/${random.pick(VERBS)}-${random.int(1, 300)}.ts`
}

function name(random: Random): string {
  return `${random.pick(VERBS)}${random.pick(NOUNS)}${random.int(1, 200)}`
}
