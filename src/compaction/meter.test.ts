// What a strategy spends is known whatever becomes of it, also where a process was killed before it was billed.
import { describe, expect, it } from 'vitest'
import { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { ModelPort } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { Meter } from './meter.ts'
import { type Notes, RunTab } from './run-tab.ts'

function usage(promptTokens: number): TokenUsage {
  return { promptTokens, completionTokens: 1, totalTokens: promptTokens + 1, model: 'p/m' }
}

function notesOf(kept: Record<string, Json> = {}): Notes {
  return {
    get: async (key) => kept[key],
    change: async (key, next) => void Object.assign(kept, { [key]: next(kept[key]) }),
  }
}

const port: ModelPort = {
  ask: async () => ({ text: 'Yes.', stopReason: 'end', usage: usage(100) }),
}
const ask = (counted: ModelPort | undefined) => counted?.ask({ messages: [] })
const spend = async (counted: ModelPort | undefined) => {
  await ask(counted)
  return {}
}

it('bills every answer, also those that the strategy forgets', async () => {
  const made = await new Meter().run(port, async (counted) => {
    await ask(counted)
    await ask(counted)
    return { usage: usage(1) }
  })
  expect(made.usage).toMatchObject({ promptTokens: 200, completionTokens: 2, model: 'p/m' })
})

it('says in the error what was spent until then, what the model failed with included', async () => {
  const failing: ModelPort = {
    ask: async () => {
      throw new PrecisError('unreachable', 'It broke.', { details: { usage: usage(7) } })
    },
  }
  const run = new Meter().run(failing, async (counted) => {
    await ask(counted)?.catch(() => undefined)
    throw new PrecisError('model-failed', 'No summary.', { hint: 'Try again.' })
  })
  await expect(run).rejects.toMatchObject({
    message: 'No summary.',
    hint: 'Try again.',
    details: { usage: { promptTokens: 7 } },
  })
})

it('leaves a bill alone that it has no part in', async () => {
  const made = await new Meter().run(undefined, async () => ({ usage: usage(5) }))
  expect(made.usage).toEqual(usage(5))
})

describe('the tab of a run', () => {
  const open = (notes: Notes, runId: string, events: readonly object[] = []) =>
    RunTab.open(notes, runId, async () => events as ThreadEvent[])
  const bill = async (notes: Notes, events?: readonly object[]) =>
    (await open(notes, 'asked', events)).take()?.promptTokens

  it('has what a killed run spent, in the strategy or behind it, until it is billed', async () => {
    const notes = notesOf()
    await new Meter(await open(notes, 'killed')).run(port, spend)
    const tab = await open(notes, 'next')
    expect(await new Meter(tab).run(port, spend)).toMatchObject({ usage: { promptTokens: 200 } })
    expect(await bill(notes)).toBe(200)
    await tab.settle()
    expect(await bill(notes)).toBeUndefined()
  })

  it('has what a strategy says that asks a model of its own', async () => {
    const notes = notesOf()
    await new Meter(await open(notes, 'killed')).run(undefined, async () => ({ usage: usage(5) }))
    expect(await bill(notes)).toBe(5)
  })

  it('has nothing that a run without one has spent, and loses nothing by it', async () => {
    const notes = notesOf()
    await (await open(notes, 'killed')).add(usage(30))
    expect(await new Meter().run(port, spend)).toMatchObject({ usage: { promptTokens: 100 } })
    expect(await bill(notes)).toBe(30)
  })

  it('is billed once where a strategy proposes several times', async () => {
    const notes = notesOf()
    await (await open(notes, 'killed')).add(usage(30))
    const tab = await open(notes, 'next')
    expect(await new Meter(tab).run(port, spend)).toMatchObject({ usage: { promptTokens: 130 } })
    expect(await new Meter(tab).run(port, spend)).toMatchObject({ usage: { promptTokens: 100 } })
    expect(await bill(notes)).toBe(230)
  })

  it('is not owed where the kill came between the event and its note', async () => {
    const notes = notesOf()
    const tab = await open(notes, 'run')
    await tab.add(usage(10))
    const failed = { type: 'COMPACTION_FAILED', data: { runId: 'run' } }
    expect(await bill(notes, [failed])).toBeUndefined()
    await tab.settle()
    await tab.add(usage(20)) // of the next attempt
    expect(await bill(notes, [failed])).toBe(20)
    expect(await bill(notes, [failed, { type: 'COMPACTION', data: { runId: 'run' } }])).toBe(
      undefined,
    )
  })

  it('goes to the next attempt where nothing was written of one', async () => {
    const notes = notesOf()
    const tab = await open(notes, 'run')
    await tab.add(usage(10))
    tab.carry()
    expect(tab.take()?.promptTokens).toBe(10)
    expect(tab.take()).toBeUndefined()
  })

  it('keeps what was left over where an attempt failed before it was taken', async () => {
    const notes = notesOf()
    await (await open(notes, 'killed')).add(usage(30))
    const tab = await open(notes, 'next')
    await tab.settle()
    expect(await bill(notes)).toBe(30)
    expect(tab.take()?.promptTokens).toBe(30)
  })

  it('bills nothing twice where a run goes on that lost its thread', async () => {
    const notes = notesOf()
    const lost = await open(notes, 'lost')
    await lost.add(usage(10))
    lost.lose()
    const next = await open(notes, 'next')
    expect(next.take()?.promptTokens).toBe(10)
    await lost.add(usage(3))
    await next.add(usage(100))
    await next.settle()
    expect(await bill(notes)).toBe(3)
  })

  it('counts requests that are sent side by side', async () => {
    const notes = notesOf()
    const slow: Notes = {
      ...notes,
      async change(key, next) {
        await new Promise(setImmediate)
        await notes.change(key, next)
      },
    }
    const tab = await open(slow, 'run')
    await Promise.all([1, 2, 4, 8].map((tokens) => tab.add(usage(tokens))))
    expect(await bill(notes)).toBe(15)
  })

  it('is empty where the note is of another shape', async () => {
    expect(await bill(notesOf({ spent: { promptTokens: 3 } }))).toBeUndefined()
    expect(await bill(notesOf({ spent: { run: { recorded: 0, usage: 3 } } }))).toBeUndefined()
  })
})
