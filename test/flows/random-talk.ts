// Random conversations as an agent has them: every answer was asked for, with changes between the requests.
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Part } from '../../src/core/view/content.ts'
import { randomResult, randomText, randomUserContent } from '../generate/content.ts'
import { Random } from '../generate/random.ts'
import { TestLog } from '../generate/test-log.ts'
import { answerWithCalls, changeView, type Generated } from '../generate/thread.ts'
import { randomImageBlocks, randomImages } from './random-images.ts'

interface Listener {
  /** A request is made now. */
  asking(log: TestLog, place: string): void
  /** The answer to it, and its calls, are in the log. */
  answered(log: TestLog): void
}

const MAX_ROUNDS = 4

export function randomTalk(seed: number, turns: number, listener: Listener): TestLog {
  const talk: Generated = { seed, log: new TestLog(), random: new Random(seed) }
  const { log, random } = talk
  if (random.chance(0.8)) log.append([{ type: 'SYSTEM_PROMPT', data: randomText(random) }])
  const done: string[] = []
  let callCount = 0
  for (let turn = 1; turn <= turns; turn += 1) {
    log.append(userTurn(random))
    for (let round = 0; round <= MAX_ROUNDS; round += 1) {
      if (random.chance(0.3)) done.push(changeView(talk))
      if (!isAskable(log)) break
      listener.asking(log, `turn ${turn}, round ${round} (${done.join(', ')})`)
      const calls = Array.from({ length: round < MAX_ROUNDS ? random.int(0, 3) : 0 }, () => {
        callCount += 1
        return `call_${callCount}`
      })
      log.append(answer(random, calls))
      listener.answered(log)
      if (calls.length === 0) break
      if (random.chance(0.1)) done.push(changeView(talk))
      log.append(calls.map((id) => result(random, id)))
    }
  }
  return log
}

/** Nobody sends a request that ends with an answer, or in which a call waits. */
function isAskable(log: TestLog): boolean {
  return log.context.open.size === 0 && log.build().messages.at(-1)?.role === 'user'
}

/** What is sealed differs from answer to answer: it is known by that. */
function answer(random: Random, calls: readonly string[]): EventDraft[] {
  return answerWithCalls(random, calls).map((draft): EventDraft => {
    if (draft.type !== 'AGENT_MESSAGE' || !draft.data.parts) return draft
    const parts = draft.data.parts.map(
      (part): Part =>
        part.type === 'redacted_thinking' ? { ...part, data: `sealed${random.next()}` } : part,
    )
    return { ...draft, data: { ...draft.data, parts } }
  })
}

function userTurn(random: Random): EventDraft[] {
  const content = random.chance(0.1) ? randomImages(random) : randomUserContent(random)
  const drafts: EventDraft[] = [{ type: 'USER_MESSAGE', data: content || 'go on', origin: 'typed' }]
  if (random.chance(0.3)) drafts.push({ type: 'SYSTEM_REMINDER', data: randomText(random) })
  return drafts
}

function result(random: Random, id: string): EventDraft {
  const data = randomResult(random, id)
  if (random.chance(0.9)) return { type: 'TOOL_RESULT', data }
  return {
    type: 'TOOL_RESULT',
    data: { ...data, content: [...data.content, ...randomImageBlocks(random)] },
  }
}
