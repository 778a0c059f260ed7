// Two runs import one file at once: one of them ends with a conflict, and nothing is there twice.
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { readSession } from '../../src/cli/session/read-session.ts'
import { importedFrom } from '../../src/cli/session/replace-unchanged.ts'
import { ProgressLine } from '../../src/cli/terminal/progress.ts'
import { compose } from '../../src/compose.ts'
import type { Store } from '../../src/core/ports.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import { textSource } from '../../src/formats/reading/sample.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'

const record = (seconds: number, parentUuid: string | null, more: object) =>
  JSON.stringify({
    ...{ uuid: `u${seconds}`, parentUuid, sessionId: 's', cwd: '/w', version: '2.1.56' },
    ...{ userType: 'external', isSidechain: false },
    timestamp: new Date(Date.UTC(2026, 0, 2, 12, 0, seconds)).toISOString(),
    ...more,
  })
const asked = (content: string) => ({ type: 'user', message: { role: 'user', content } })
const answered = (id: string, text: string) => ({
  type: 'assistant',
  message: {
    ...{ id, type: 'message', role: 'assistant', model: 'claude-x', stop_reason: 'end_turn' },
    content: [{ type: 'text', text }],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
})
const FILE = [
  record(1, null, asked('Mend the parser.')),
  record(2, 'u1', answered('m1', 'It is mended.')),
  record(3, null, {
    ...{ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' },
    ...{ level: 'info', logicalParentUuid: 'u2' },
    compactMetadata: { trigger: 'manual', preTokens: 5 },
  }),
  record(4, 'u3', { ...asked('In short: the parser was mended.'), isCompactSummary: true }),
  record(5, 'u4', asked('And now the lexer.')),
  record(6, 'u5', answered('m2', 'The lexer is mended.')),
].join('\n')

/** Behind its append of number `stop`, whoever writes there waits until it may go on. */
function stopping(store: Store, stop: number) {
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let appends = 0
  const stopped = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        const answer = await Reflect.apply(value, target, args)
        if (name === 'append') appends += 1
        if (name === 'append' && appends === stop) {
          reached.resolve()
          await goOn.promise
        }
        return answer
      }
    },
  })
  return { store: stopped, reached: reached.promise, goOn: () => goOn.resolve() }
}

function read(store: Store, earlier?: { store: Store; threadId: string }) {
  const composed = compose({ store, settings: resolveSettings([]).settings, environment: {} })
  return readSession(composed, textSource(FILE), 'file', {
    progress: new ProgressLine(new PassThrough() as never),
    source: importedFrom('digest', new Date(0)),
    ...(earlier && { earlier }),
  })
}

// The appends of this file: its beginning, what was said, the compaction, what was said then. Its end has an
// id of its own, and is there once whoever writes it.
it.each([1, 2, 3])('a run that stops behind append %i comes second', async (stop) => {
  const store = memoryStore()
  const slow = stopping(store, stop)
  const first = read(slow.store).then(
    () => 'imported',
    (thrown: unknown) => thrown,
  )
  await slow.reached
  const threadId = (await store.list()).items[0]?.threadId ?? ''
  const second = await read(store, { store, threadId })
  expect(second.threadId).toBe(threadId)
  const whole = await store.read(threadId)
  expect(whole.filter(({ type }) => type === 'COMPACTION')).toHaveLength(1)
  slow.goOn()
  expect(await first).toMatchObject({ code: 'version-conflict' })
  expect(await store.read(threadId)).toEqual(whole)
})
