// Whether what a thread has become can be sent: the next request, as every provider would get it.
import { expect } from 'vitest'
import { validate } from '../../src/validate/validate.ts'
import type { TestLog } from '../generate/test-log.ts'
import { TARGETS } from './request-targets.ts'

/** Says something where it is the user's turn. A thread that waits for results, or is empty, has no request. */
export function expectAccepted(log: TestLog): void {
  const built = log.build()
  if (log.context.open.size > 0 || built.messages.length === 0) return
  if (built.messages.at(-1)?.role !== 'user') log.append([{ type: 'USER_MESSAGE', data: 'go on' }])
  const { system, messages } = log.build()
  for (const target of TARGETS) {
    const request = target.begin().write({
      system,
      messages,
      model: 'some-model',
      tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }],
      toolChoice: 'auto',
      maxOutputTokens: 1_000,
      cache: true,
    })
    expect([target.name, validate(target.profile, request)]).toEqual([target.name, []])
  }
}
