// Models that do not write what they are asked for, as somebody in the chat sees it.
import { describe, expect, it } from 'vitest'
import { EIGHT_HEADINGS } from '../../src/strategies/summary/summarizer-prompt.ts'
import { CHARACTERS, ODD_CHARACTERS } from '../models/characters.ts'
import { plantedDrafts, summaryOf } from '../models/doors.ts'
import { FURTHER } from '../models/further-characters.ts'
import { HASTE, sent, WINDOW } from '../models/honest.ts'
import { REQUEST } from '../models/planted.ts'
import { user } from '../say.ts'
import { inTurn } from '../scale.ts'
import { type ChatSetup, openChat } from './setup.ts'

const NAMES = ['does the task instead', 'changes digits', 'claims files that do not exist']
const CHOSEN = FURTHER.filter(({ name }) => NAMES.includes(name))
function openPlanted(preset: string): Promise<ChatSetup> {
  return openChat({ preset, rows: 40, windowTokens: WINDOW, modelClock: HASTE })
}

/** How a compaction ends on the screen. */
const ENDS = [/compacted by [\w-]+: [\d,]+ → [\d,]+/, /✗ Compaction failed: ./, /Nothing was com/]

describe('/compact', () => {
  it.each(
    CHOSEN.flatMap((character, at) =>
      inTurn(['log', 'fold', 'precis'], at).map(
        (preset) => [character.name, preset, character] as const,
      ),
    ),
  )(
    'with a model that «%s», in the preset %s, has one end that is true, and the request stays',
    async (name, preset, character) => {
      const chat = await openPlanted(preset)
      const { threads } = chat.home
      const { threadId, terminal, dev } = chat
      await threads.import(threadId, [...plantedDrafts(0.5 * WINDOW).drafts, user(REQUEST)])
      const before = await threads.messages(threadId)
      dev.script((asked) => summaryOf(character, asked))
      terminal.enter('/compact')
      await terminal.sees(new RegExp(ENDS.map(({ source }) => source).join('|')))
      const screen = await terminal.sees('Esc stops it', false)
      expect(
        ENDS.filter((end) => end.test(screen)),
        screen,
      ).toHaveLength(1)
      expect(screen).not.toMatch(/undefined|\[object|NaN|You (?:did|have) |stop_reason/)
      if (name === 'does the task instead') expect(screen).not.toContain('successfully')
      const left = await sent({ threads }, threadId)
      expect(left).toContain(REQUEST)
      const isCommitted = (await threads.context(threadId)).stack.length > 0
      expect(isCommitted).toBe(screen.includes('compacted by'))
      if (!isCommitted) return
      terminal.enter('/undo')
      await terminal.sees('compaction was undone.')
      expect(await threads.messages(threadId)).toEqual(before)
    },
  )
})

describe('a summary that came to nothing', () => {
  it.each([
    ['empty', 'log', /summary\. trim-tool-results took its place/, []],
    [
      'calls tools',
      'fold',
      /without changing the summary\.\n.*type (\/strategy cascade) and then \/compact\./,
      ['cascade'],
    ],
    ['refuses', 'range', /call was refused[\s\S]*type (\/strategy summarize) and/, ['summarize']],
  ] as const)(
    'of a model that is «%s», in the preset %s: what to do is said and can be typed, and the chat goes on',
    async (name, preset, told, strategies) => {
      const character = [...CHARACTERS, ...ODD_CHARACTERS].find((each) => each.name === name)
      if (!character) throw new Error(name)
      const size = { columns: 160, rows: 40, windowTokens: WINDOW, modelClock: HASTE }
      const { terminal, dev, threadId, home } = await openChat({ preset, ...size })
      const { threads } = home
      await threads.import(threadId, plantedDrafts(0.5 * WINDOW).drafts)
      dev.script((asked) => summaryOf(character, asked))
      terminal.enter('/compact')
      await terminal.sees(told)
      const before = (await threads.context(threadId)).tokens
      for (const strategy of strategies) {
        terminal.enter(`/strategy ${strategy}`)
        await terminal.sees(`This thread is compacted by ${strategy} from now on.`)
        dev.script(() => ({ text: EIGHT_HEADINGS.map((each) => `## ${each}\nSaid.`).join('\n') }))
        terminal.enter('/compact')
        await terminal.sees(/compacted by [\w-]+: [\d,]+ → [\d,]+/)
        expect((await threads.context(threadId)).tokens).toBeLessThan(before)
      }
      dev.script(() => ({ text: 'Renamed.' }))
      terminal.enter('Now rename it.')
      await terminal.sees('Renamed.')
    },
  )
})
