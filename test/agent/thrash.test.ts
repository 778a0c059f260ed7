// Progress in place of thrashing: files that nearly fill a small window, with the preset `log`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ScriptFunction } from '../../src/dev-model/index.ts'
import { ManualClock } from '../dev-model/manual-clock.ts'
import { runsIn } from './past.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from './setup.ts'

const WINDOW_TOKENS = 12_000
/** The end of what `read` shows of the large file at once. */
const LAST_LINE = 'value356'

/** Reads the file that the user names last, and once more where its end is missing. */
const READER: ScriptFunction = ({ tools, turns }) => {
  if (tools.length === 0) return { text: 'The user had files read. Nothing is left to do.' }
  const said = JSON.stringify(turns.findLast(({ role }) => role === 'user')?.parts)
  const asked = JSON.stringify(turns).match(/read ([\w./-]+)(?!.*read [\w./-]+)/)?.[1]
  const isDone = said.includes(LAST_LINE) || said.includes('4711') || said.includes('thanks')
  if (isDone || asked === undefined) return { text: 'Done.' }
  return { calls: [{ name: 'read', arguments: { path: asked } }] }
}

async function bigFile(options: SetupOptions = {}): Promise<AgentSetup> {
  const setup = await setUpAgent({ preset: 'log', windowTokens: WINDOW_TOKENS, ...options })
  const { folder } = setup
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'notes.md'), '# Notes\n\nThe port is 4711.\n')
  const line = (at: number) => `export const value${at} = ${at * 7} // number ${at} of the values\n`
  writeFileSync(
    join(folder, 'src/big.ts'),
    Array.from({ length: 400 }, (_, at) => line(at)).join(''),
  )
  setup.dev.script(READER)
  return setup
}

describe('large files in a small window', () => {
  it.each(['log', 'precis', 'whole'] as const)(
    'are seen whole and read once in the preset %s: one compaction for each [LOG-72]',
    async (preset) => {
      // Time stands still: in the preset log only a refusal goes around the cooldown.
      const setup = await bigFile({ preset, clock: new ManualClock() })
      const { agent, threadId, threads, frames, dev, eventsOf } = setup
      const big = 'read src/big.ts'
      for (const text of ['read notes.md', big, big, big, 'thanks'])
        expect(await agent.sendMessage(threadId, text), text).toMatchObject({ status: 'done' })
      expect(await eventsOf('TOOL_CALL')).toHaveLength(4)
      const runs = runsIn(frames)
      expect(runs.map(({ end }) => end)).toEqual(['committed', 'committed'])
      const refused = dev.requests.filter(({ outcome }) => outcome === 'refused')
      expect(refused).toHaveLength(preset === 'log' ? 1 : 0)
      expect(runs.filter(({ trigger }) => trigger === 'overflow')).toHaveLength(refused.length)
      expect((await threads.reading(threadId)).tokens).toBeLessThan(0.75 * WINDOW_TOKENS)
    },
  )

  it('that are larger than the window are shown by head, tail and ref', async () => {
    const setup = await bigFile({ windowTokens: 7_000, outputTokens: 1_000 })
    const { agent, threadId, frames, dev } = setup
    dev.script([{ calls: [{ name: 'read', arguments: { path: 'src/big.ts' } }] }])
    dev.script((asked) =>
      JSON.stringify(asked.turns).includes('characters left out: [ref:e') ||
      asked.tools.length === 0
        ? { text: 'Seen in part.' }
        : { calls: [{ name: 'read', arguments: { path: 'src/big.ts' } }] },
    )
    expect(await agent.sendMessage(threadId, 'read src/big.ts')).toMatchObject({
      text: 'Seen in part.',
    })
    expect(runsIn(frames).length).toBeLessThanOrEqual(2)
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('export const value0 =')
  })
})
