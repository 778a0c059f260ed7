// What agents really send to their own `compact` tool: in a loop, odd ranges, odd files, the request as the next step.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/text/json.ts'
import type { Asked } from '../../src/dev-model/index.ts'
import { runsIn } from '../agent/past.ts'
import { compactCall, violations } from '../agent/transcript.ts'
import { textSent } from './doors.ts'
import { expectBilled, type Planted, planted, sent, timesIn, undoAll } from './honest.ts'
import { REQUEST } from './planted.ts'

type Call = (sent: string) => Json

function factsIn(text: string): string {
  return [...new Set(text.match(/Fact \d+: [^\n.]+\./g) ?? [])].join('\n') || 'They talked.'
}

/** The ids of the checkpoints that it was shown, oldest first. */
function checkpointsIn(text: string): string[] {
  return [...text.matchAll(/<checkpoint:(\w+)>/g)].map(([, id = '']) => id)
}

/** Less than what begins a compaction by itself. Said turn by turn, so that there are checkpoints. */
async function talk(preset: 'range' | 'whole'): Promise<Planted> {
  const setup = await planted(preset, 0.3)
  setup.dev.script(() => ({ text: 'Noted. '.repeat(40) }))
  for (const at of [901, 902, 903, 904])
    await setup.agent.sendMessage(setup.threadId, `Fact ${at}: service s${at} is called x-${at}.`)
  return setup
}

interface Turn {
  /** What each of the calls was answered with. */
  readonly refusals: readonly string[]
  readonly committed: number
  readonly asked: number
  /** What the agent was sent at last. */
  readonly left: string
  readonly tokens: number
}

/** Says the request to an agent that answers with these calls one after the other, then does as told. */
async function runTurn(setup: Planted, calls: readonly Call[]): Promise<Turn> {
  const { agent, dev, threadId, threads, frames, eventsOf } = setup
  const before = await threads.messages(threadId)
  const depth = (await threads.context(threadId)).stack.length
  frames.length = 0
  let asked = 0
  dev.script((given: Asked) => {
    asked += 1
    const call = calls[asked - 1]
    return call === undefined ? { text: 'Renamed.' } : compactCall(call(textSent(given)))
  })
  const results = await eventsOf('TOOL_RESULT')
  const outcome = await agent.sendMessage(threadId, REQUEST)
  expect(outcome).toMatchObject({ status: 'done', text: 'Renamed.' })
  const left = await sent(setup, threadId)
  expect(left).toContain(REQUEST)
  expect(violations(dev)).toEqual([])
  await expectBilled(setup, undefined)
  const refusals = (await eventsOf('TOOL_RESULT'))
    .slice(results.length)
    .map(({ data }) => data.content.map(({ text = '' }) => text).join('\n'))
  const committed = runsIn(frames).filter(({ success }) => success).length
  expect((await threads.context(threadId)).stack).toHaveLength(depth + committed)
  const { tokens } = await threads.context(threadId)
  await undoAll(setup)
  const undone = (await threads.messages(threadId)).messages
  expect(undone.slice(0, before.messages.length)).toEqual(before.messages)
  return { refusals, committed, asked, left, tokens }
}

describe('an agent that compacts in a loop', () => {
  it.each([
    ['range', 'everything', (text) => ({ replacements: [{ summary: factsIn(text) }] })],
    [
      'range',
      'behind the first checkpoint',
      (text) => ({
        replacements: [{ ...fromOf(checkpointsIn(text)[0]), summary: factsIn(text) }],
      }),
    ],
    ['whole', 'everything', (text) => ({ summary: factsIn(text), continuation: 'Go on.' })],
  ] as const satisfies readonly (readonly ['range' | 'whole', string, Call])[])(
    'in the preset %s, %s: twice, then it is told to go on, and does',
    async (preset, _, call) => {
      const { committed, refusals, asked } = await runTurn(
        await talk(preset),
        Array.from({ length: 9 }, () => call),
      )
      expect(committed).toBe(2)
      expect(asked).toBe(10)
      expect(refusals).toHaveLength(7)
      for (const refusal of refusals)
        expect(refusal).toMatch(/^The thread was compacted 2 times in this turn/)
    },
  )

  it('may do so again in the next turn, and where the thread has grown', async () => {
    const setup = await talk('range')
    const all: Call = (text) => ({ replacements: [{ summary: factsIn(text) }] })
    expect(await runTurn(setup, [all, all])).toMatchObject({ committed: 2, refusals: [] })
    writeFileSync(join(setup.folder, 'long.txt'), 'a line of it that says little\n'.repeat(400))
    const { agent, dev, threadId, frames } = setup
    frames.length = 0
    let asked = 0
    dev.script((given) => {
      asked += 1
      if (asked === 3) return { calls: [{ name: 'read', arguments: { path: 'long.txt' } }] }
      return asked < 5 ? compactCall(all(textSent(given))) : { text: 'Renamed.' }
    })
    await agent.sendMessage(threadId, REQUEST)
    expect(runsIn(frames).map(({ success }) => success)).toEqual([true, true, true])
  })
})

function fromOf(id: string | undefined): { from?: string } {
  return id === undefined ? {} : { from: id }
}

describe('odd ranges', () => {
  const one = (at: number) => (text: string) => checkpointsIn(text).at(at) ?? ''
  const [first, second, third] = [one(0), one(1), one(2)]

  it.each([
    ['reversed', (text) => [{ from: third(text), to: first(text), summary: factsIn(text) }]],
    ['empty', (text) => [{ from: second(text), to: second(text), summary: factsIn(text) }]],
    [
      'overlapping',
      (text) => [
        { to: second(text), summary: factsIn(text) },
        { from: first(text), to: third(text), summary: factsIn(text) },
      ],
    ],
    [
      'the same twice',
      (text) => [
        { to: second(text), summary: factsIn(text) },
        { to: second(text), summary: factsIn(text) },
      ],
    ],
    ['to a place that there is not', (text) => [{ to: 'zzzzzz', summary: factsIn(text) }]],
  ] as const satisfies readonly (readonly [string, (text: string) => Json])[])(
    '%s: refused with a reason, nothing is changed, and the task goes on',
    async (_, replacements) => {
      const call: Call = (text) => ({ replacements: replacements(text) })
      const { committed, refusals } = await runTurn(await talk('range'), [call, call])
      expect(committed).toBe(0)
      expect(refusals).toHaveLength(2)
      for (const refusal of refusals) {
        expect(refusal).toMatch(/checkpoint|overlap|range/i)
        expect(refusal).not.toMatch(/undefined|\[object/)
      }
    },
  )

  it('in any order, in the tags that the model was shown: carried out', async () => {
    const call: Call = (text) => ({
      replacements: [
        {
          from: `<checkpoint:${second(text)}>`,
          to: `checkpoint:${third(text)}`,
          summary: 'x-903.',
        },
        { to: first(text), summary: factsIn(text) },
      ],
    })
    expect(await runTurn(await talk('range'), [call])).toMatchObject({ committed: 1, refusals: [] })
  })
})

describe('odd contextFiles', () => {
  it.each([
    ['outside of the folder', ['/etc/passwd', '../../../etc/passwd', '~/.ssh/id_rsa', '..']],
    ['huge', ['huge.txt']],
    ['the same fifty times', Array.from({ length: 50 }, () => 'small.txt')],
    ['two hundred that there are not', Array.from({ length: 200 }, (_, at) => `gone/${at}.txt`)],
    ['a directory, a binary, no name', ['folder', '.', '', 'a.bin', '\u0000', 'small.txt\nx']],
  ])('%s: the thread gets smaller, and says what is missing', async (name, contextFiles) => {
    const setup = await talk('whole')
    const { folder, threads, threadId, frames } = setup
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'huge.txt'), 'a line of it that says little\n'.repeat(100_000))
    writeFileSync(join(folder, 'small.txt'), 'SMALL-TEXT\n')
    writeFileSync(join(folder, 'a.bin'), Buffer.from([0, 1, 2, 255, 254, 0]))
    const before = (await threads.context(threadId)).tokens
    const call: Call = (text) => ({ summary: factsIn(text), contextFiles, continuation: 'Go on.' })
    const { left, ...turn } = await runTurn(setup, [call])
    expect(turn).toMatchObject({ committed: 1, refusals: [] })
    expect(turn.tokens).toBeLessThan(before)
    expect(left).not.toMatch(/root:x?:0:0/)
    expect(timesIn(left, 'SMALL-TEXT')).toBe(name.includes('fifty') ? 1 : 0)
    const notices = frames.filter(({ type }) => type === 'notice')
    expect(notices.length).toBeLessThanOrEqual(30)
  })
})

describe('a continuation', () => {
  it.each([
    ['that is the request', REQUEST],
    ['that holds the request', `The user said:\n${REQUEST}\nI begin with it.`],
  ])('%s: the request is there word for word, and is done', async (_, continuation) => {
    const call: Call = (text) => ({ summary: factsIn(text), continuation })
    expect(await runTurn(await talk('whole'), [call])).toMatchObject({ committed: 1, asked: 2 })
  })

  it.each([
    ['word for word', REQUEST],
    ['with other blanks', `  ${REQUEST.replaceAll(/\s+/g, ' ')}\n`],
  ])('that is the request, %s: it stands there once, also after the next one', async (_, text) => {
    const setup = await talk('whole')
    const { threads, threadId } = setup
    const call: Call = (given) => ({ summary: factsIn(given), continuation: text })
    const inOneLine = (given: string) => given.replaceAll(/\s+/g, ' ')
    const said = inOneLine(REQUEST)
    const first = await runTurn(setup, [call, call])
    expect(first).toMatchObject({ committed: 2 })
    expect(timesIn(inOneLine(first.left), said), first.left).toBe(1)
    expect(await threads.compact(threadId, 'extract', { targetTokens: 1_500 })).toMatchObject({
      committed: expect.anything(),
    })
    const left = await sent(setup, threadId)
    expect(timesIn(inOneLine(left), said), left).toBe(1)
  })

  it('of nothing: the agent waits, and the request stays', async () => {
    const setup = await talk('whole')
    const { agent, dev, threadId } = setup
    dev.script((asked) => compactCall({ summary: factsIn(textSent(asked)), continuation: ' \n' }))
    expect(await agent.sendMessage(threadId, REQUEST)).toMatchObject({ status: 'waiting' })
    expect(timesIn(await sent(setup, threadId), REQUEST)).toBe(1)
  })
})
