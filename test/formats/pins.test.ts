// What a user has bound an agent to survives a file that is compacted, written and compacted again.
import { describe, expect, it } from 'vitest'
import type { EventDraft } from '../../src/core/log/event.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { answer, result, user } from '../say.ts'
import { formatOf, type Opened, openText, outgoingOf, threadOf, writing } from './session.ts'

const FIRST = 'Never touch the migrations folder.'
const LATER = 'Always use tabs in the Makefile.'
const CYCLES = 3
const TURNS = 10

const FORMATS = [
  'claude-code',
  'codex',
  'pi',
  'opencode',
  'anthropic',
  'openai-chat',
  'openai-responses',
  'ai-sdk',
]
const STRATEGIES = ['cascade', 'extract', 'drop-turns']

function turns(from: number): EventDraft[] {
  return Array.from({ length: TURNS }, (_, index): EventDraft[] => {
    const turn = from + index
    const asked =
      turn === 0 ? `Mend the harbour. ${FIRST}` : turn === 4 ? LATER : `Look at ${turn}.`
    const id = `call${turn}`
    return [
      user(asked),
      ...answer(`I look at ${turn}.`, id),
      result(id, `line of file ${turn}\n`.repeat(80)),
      ...answer(`Seen: ${turn}.`),
    ]
  }).flat()
}

async function compacted(opened: Opened, strategyId: string): Promise<string> {
  const { threads, threadId, format } = opened
  const strategy = DEFAULT_STRATEGIES.find(({ id }) => id === strategyId)
  if (!strategy || !format.write) throw new Error(`${strategyId} on ${format.id}`)
  const outcome = await threads.compact(threadId, strategy, {
    pinning: { detect: true },
    trigger: 'command',
  })
  if (!outcome.committed) throw new Error(outcome.refusal.message)
  return format.write(await outgoingOf(opened), writing()).text
}

describe('pins found by code survive any number of files', () => {
  it.each(FORMATS.flatMap((id) => STRATEGIES.map((strategy) => [id, strategy] as const)))(
    '%s, %s',
    async (id, strategy) => {
      const format = formatOf(id)
      const { view } = await threadOf(turns(0))
      let text = format.write?.({ view }, writing()).text ?? ''
      for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
        const opened = await openText(text, format)
        await opened.threads.import(opened.threadId, turns(cycle * TURNS))
        text = await compacted(opened, strategy)
        const pins = await opened.threads.pins(opened.threadId)
        const texts = pins.map((pin) => pin.text)
        expect(texts, `cycle ${cycle}`).toEqual([FIRST, LATER])
        const { messages } = (await openText(text, format)).view
        for (const sentence of [FIRST, LATER]) expect(JSON.stringify(messages)).toContain(sentence)
        const said = messages.flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === 'text' ? part.text.split('\n\n') : [])),
        )
        expect(said, 'never as if it was said again').not.toContain(FIRST)
      }
    },
  )
})
