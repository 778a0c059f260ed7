// A long file is read as it comes: progress is told, and what is held does not grow with the file.
import { describe, expect, it } from 'vitest'
import { type Progress, ReadNotes } from '../../src/formats/reading/notes.ts'
import type { Source, Step } from '../../src/formats/session-format.ts'
import { formatOf } from './session.ts'

/** Rounds of a Claude Code session, made as they are asked for. */
function generated(rounds: number): Source {
  const output = 'a line of output that a tool gave\n'.repeat(60)
  return {
    async *open() {
      for (let at = 0; at < rounds; at += 1) {
        const line = (uuid: string, parentUuid: string | null, rest: object) =>
          `${JSON.stringify({ uuid, parentUuid, sessionId: 's', ...rest })}\n`
        const call = { type: 'tool_use', id: `t${at}`, name: 'read', input: { path: `f${at}` } }
        const result = { type: 'tool_result', tool_use_id: `t${at}`, content: output }
        yield line(`a${at}`, at === 0 ? null : `r${at - 1}`, {
          type: 'assistant',
          message: { id: `m${at}`, content: [call] },
        }) + line(`r${at}`, `a${at}`, { type: 'user', message: { content: [result] } })
      }
    },
  }
}

describe('a long session', () => {
  it('is given out while it is read, with progress', async () => {
    const seen: Progress[] = []
    const notes = new ReadNotes((progress) => seen.push(progress))
    let drafts = 0
    let largestStep = 0
    for await (const step of formatOf('claude-code').read(generated(2_000), notes)) {
      const size = stepSize(step)
      drafts += size
      largestStep = Math.max(largestStep, size)
    }
    expect(drafts).toBe(3 * 2_000)
    // Nothing waits for the end of the file: one round at a time.
    expect(largestStep).toBeLessThan(10)
    expect(seen.length).toBeGreaterThan(100)
    expect(seen.at(-1)?.records).toBe(4_000)
    expect(seen.every(({ bytes }, at) => at === 0 || bytes >= (seen[at - 1]?.bytes ?? 0))).toBe(
      true,
    )
  })
})

function stepSize(step: Step): number {
  return step.type === 'drafts' ? step.drafts.length : 0
}
