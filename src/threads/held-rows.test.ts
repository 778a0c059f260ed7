// A thread that grows by many rows in one process holds only the latest, and is the same as one that holds all.
import { expect, it } from 'vitest'
import { testClock, testIds } from '../../test/generate/test-log.ts'
import type { EventDraft } from '../core/log/event.ts'
import { memoryStore } from '../stores/memory/memory.ts'
import { trimToolResults } from '../strategies/trim.ts'
import { createThreads } from './threads.ts'

const ROUNDS = 4_500 // of three rows each: far more than are held

function round(at: number): EventDraft[] {
  const text = Array.from({ length: 9 }, (_, line) => `line ${line} of ${at}`).join('\n')
  return [
    { type: 'AGENT_MESSAGE', data: { content: `look ${at}`, calls: [`c${at}`] } },
    { type: 'TOOL_CALL', data: { id: `c${at}`, name: 'read', arguments: { at }, answer: 0 } },
    {
      type: 'TOOL_RESULT',
      data: { id: `c${at}`, content: [{ type: 'text', text }], status: 'completed' },
    },
  ]
}

it('reads what it no longer holds when it is needed', async () => {
  const store = memoryStore()
  const threads = () => createThreads({ store, clock: testClock(), ids: testIds() })
  const growing = threads()
  const threadId = await growing.create()
  const drafts = Array.from({ length: ROUNDS }, (_, at) => round(at)).flat()
  await growing.import(threadId, [{ type: 'USER_MESSAGE', data: 'go' }, ...drafts])
  const { messages } = await growing.messages(threadId)
  expect(messages).toEqual((await threads().messages(threadId)).messages)
  const outcome = await growing.compact(threadId, trimToolResults, { trigger: 'command' })
  expect(outcome.committed && outcome.event?.data.edits.length).toBe(ROUNDS)
  await growing.append(threadId, [{ type: 'USER_MESSAGE', data: 'and on' }])
  await growing.undo(threadId)
  expect((await growing.messages(threadId)).messages.slice(0, -1)).toEqual(messages.slice(0, -1))
})
