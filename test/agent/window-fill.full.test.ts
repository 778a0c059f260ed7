// What the agent knows of its window: how full it is, how much stands between checkpoints, what comes next.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PresetId } from '../../src/core/window/presets.ts'
import { longPast, textOf } from './past.ts'
import { setUpAgent } from './setup.ts'
import { rangeCall, transcript, violations, wireLines } from './transcript.ts'

const FULL = /Your context window is (\d+) % full/g

/** How full the agent was told that its window is. */
function sharesIn(reminders: readonly { readonly data: string }[]): number[] {
  return reminders.flatMap(({ data }) => [...data.matchAll(FULL)].map(([, share]) => Number(share)))
}

const WINDOW = 40_000

/** A thread that grows by little at a time, up to a share of the window and a little more. */
async function grown(preset: PresetId, upTo = 0.755, enabled = false) {
  const setup = await setUpAgent({ preset, windowTokens: WINDOW, auto: { enabled } })
  const { agent, dev, threadId, threads, frames } = setup
  dev.script(() => ({ text: 'Yes.' }))
  let share = 0
  for (let step = 1; step <= 20 && share < upTo; step += 1) {
    await threads.import(threadId, longPast(1_500, `part${step}`))
    await agent.sendMessage(threadId, `And now step ${step}?`)
    const reading = frames.findLast((frame) => frame.type === 'reading')
    share = (reading?.type === 'reading' ? (reading.reading.tokens ?? 0) : 0) / WINDOW
  }
  await agent.sendMessage(threadId, 'Is that all?')
  return { ...setup, told: sharesIn(await setup.eventsOf('SYSTEM_REMINDER')) }
}

describe('on the way to the trigger', () => {
  it.each(['range', 'whole', 'chat', 'precis'] as const)(
    'under %s the agent is reminded at 60 and at 75 percent, once each',
    async (preset) => {
      const { told, dev } = await grown(preset)
      expect(told).toHaveLength(2)
      expect(told[0]).toBeGreaterThanOrEqual(60)
      expect(told[0]).toBeLessThan(75)
      expect(told[1]).toBeGreaterThanOrEqual(75)
      expect(violations(dev)).toEqual([])
    },
  )

  it.each(['fold', 'log', 'fresh'] as const)(
    'under %s, without the tool, it is not',
    async (preset) => {
      const { told } = await grown(preset)
      expect(told).toEqual([])
    },
  )

  it('it is told how much stands between which checkpoints, before the one that ends the message', async () => {
    const { dev, eventsOf } = await grown('range', 0.62, true)
    const ids = (await eventsOf('CHECKPOINT')).map(({ data }) => data.id)
    const [reminder] = (await eventsOf('SYSTEM_REMINDER')).slice(-1)
    expect(reminder?.data).toContain('From 32,000 tokens on, older parts are compacted')
    const rows = [
      ...(reminder?.data ?? '').matchAll(
        /^- (?:up to|from (\w+) to|after) (\w+): about ([\d,]+)/gm,
      ),
    ]
    expect(rows.length).toBeGreaterThanOrEqual(4)
    for (const [, from, to] of rows) for (const id of [from, to]) if (id) expect(ids).toContain(id)
    const tokens = rows.map(([, , , size = '']) => Number(size.replace(',', '')))
    expect(Math.max(...tokens)).toBeGreaterThan(1_400)
    const sent = dev.requests.map((request) => wireLines(request).join('\n'))
    expect(
      sent.filter((lines) => /step \d+\?", reminder, <cp>\]/.test(lines)).length,
    ).toBeGreaterThan(1)
    expect(sent.filter((lines) => /<cp>, reminder|<cp>, <cp>/.test(lines))).toEqual([])
  })

  it('results of a tool are followed by it, too, and a compaction lets it be said again', async () => {
    const { agent, dev, threadId, threads, eventsOf, folder } = await setUpAgent({
      preset: 'range',
      windowTokens: 20_000,
      auto: { enabled: false },
    })
    await threads.import(threadId, longPast(8_000))
    writeFileSync(join(folder, 'big.md'), textOf(4_000))
    dev.script([
      { calls: [{ id: 'big', name: 'read', arguments: { path: 'big.md' } }] },
      { ...rangeCall({ summary: 'We looked at part one, and found nothing.' }) },
      { text: 'Done.' },
      { text: 'Yes.' },
    ])
    await agent.sendMessage(threadId, 'Read big.md.')
    const said = async () =>
      (await eventsOf('SYSTEM_REMINDER')).filter(({ data }) => data.match(FULL))
    expect(await said()).toHaveLength(1)
    const types = (await eventsOf('COMPACTION')).map(({ data }) => data.strategyId)
    expect(types).toEqual(['checkpoint-range'])
    await threads.import(threadId, longPast(12_500, 'more'))
    await agent.sendMessage(threadId, 'And now?')
    expect(await said()).toHaveLength(2)
    expect(violations(dev)).toEqual([])
  })
})

describe('/compact, where the agent compacts', () => {
  it('says how large the ranges are, and what to aim for', async () => {
    const { agent, dev, threadId, threads } = await setUpAgent({
      preset: 'range',
      windowTokens: 30_000,
    })
    dev.script(() => ({ text: 'Yes.' }))
    for (const part of ['one', 'two']) {
      await threads.import(threadId, longPast(4_000, part))
      await agent.sendMessage(threadId, `Seen ${part}?`)
    }
    dev.script([rangeCall({ summary: 'We looked at two parts, and found nothing.' })])
    await agent.sendMessage(threadId, '/compact')
    const asked = JSON.stringify(dev.requests.at(-1)?.asked?.turns.at(-1))
    expect(asked).toMatch(
      /- up to \w{6}: about [34],\d{3} tokens\\n- from \w{6} to \w{6}: about [34],\d{3}/,
    )
    expect(asked).toMatch(/has about 8,\d{3} tokens\. Aim for at most 2,\d{3}/)
  })

  it.each(['range', 'whole'] as const)(
    'under %s gives the agent what the user says next',
    async (preset) => {
      const { agent, dev, threadId } = await transcript({ preset })
      const input = preset === 'range' ? { replacements: [{ summary: 'S' }] } : { summary: 'S' }
      dev.script([{ calls: [{ name: 'compact', arguments: input }] }, { text: 'on it' }])
      const asked = dev.requests.length
      await agent.sendMessage(threadId, '@compact Now fix\nthe port in src/net.ts.')
      const request = JSON.stringify(dev.requests[asked]?.asked?.turns.at(-1))
      expect(request).toContain('> Now fix\\n> the port in src/net.ts.')
      expect(wireLines(dev.requests.at(-1)).join('\n')).toContain(
        '"Now fix\\nthe port in src/net.ts."',
      )
    },
  )
})

describe('a checkpoint', () => {
  it.each([
    ['as it is written', (id: string) => `<checkpoint:${id}>`],
    ['with its word', (id: string) => `checkpoint:${id}`],
    ['in backticks', (id: string) => `\`${id}\``],
  ])('is found %s', async (_, written) => {
    const { compactFork, a, c } = await transcript()
    const { lines } = await compactFork({ from: written(a), to: written(c), summary: 'S' })
    expect(lines.slice(0, 3)).toEqual([
      'user["content", <a>]',
      'assistant["S"]',
      'assistant["content3"]',
    ])
  })

  it('that is none is named as it was given [RANGE-48]', async () => {
    const { compactFork, a } = await transcript()
    const { result, before, after } = await compactFork({ to: '<checkpoint:zzzzzz>', summary: 'S' })
    expect(result).toMatchObject({ status: 'failed' })
    expect(result?.text).toContain('<checkpoint:zzzzzz>')
    expect(result?.text).toContain(a)
    expect(after).toBe(before)
  })
})
