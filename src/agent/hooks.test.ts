// What hooks can do to a compaction, and that none of them can break one.
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../test/dev-model/manual-clock.ts'
import { until } from '../../test/wait.ts'
import type { RunResult } from '../core/agent/frame.ts'
import type { Edit } from '../core/edit/change.ts'
import type { Proposal, StrategyInput } from '../core/edit/strategy.ts'
import type { EventOf } from '../core/log/event.ts'
import {
  type BeforeReply,
  type CompactionHooks,
  type HookedRun,
  runAfterHooks,
  runBeforeHooks,
} from './hooks.ts'

const run: HookedRun = { threadId: 'thr_1', runId: 'run_1', trigger: 'auto', strategy: 'extract' }
const INPUT = {} as StrategyInput
const PROPOSAL: Proposal = { edits: [{ covers: ['e1'], put: [] }] }

function setUp() {
  const clock = new ManualClock()
  const controller = new AbortController()
  const options = { clock, signal: controller.signal, timeoutMs: 1_000 }
  return { clock, controller, options }
}

function answering(reply: BeforeReply | undefined, name?: string): CompactionHooks {
  return { before: () => reply, ...(name !== undefined && { name }) }
}

const hanging = () => new Promise<never>(() => undefined)

/** Until the hooks before it are through and the next one waits for the time to pass. */
async function untilSleeping(clock: ManualClock): Promise<void> {
  await until('a hook that waits for the clock', () => clock.sleepers > 0)
  await new Promise((resolve) => setImmediate(resolve))
}

describe('hooks before a compaction', () => {
  it('are asked in order, and all they add counts [ALWAYS-16]', async () => {
    const asked: unknown[] = []
    const hooks: CompactionHooks[] = [
      { before: (given) => void asked.push(given) },
      {},
      answering({ instructions: 'keep the plan', pins: ['never push'] }),
      { before: async () => ({ pins: ['use pnpm', '  '], instructions: '' }) },
      answering({ instructions: 'and the ports', entries: ['e4'] }),
    ]
    expect(await runBeforeHooks(hooks, run, setUp().options)).toEqual({
      instructions: ['keep the plan', 'and the ports'],
      pins: ['never push', 'use pnpm'],
      entries: ['e4'],
      notices: [],
    })
    expect(asked).toEqual([run])
  })

  it('may refuse it, and then nobody else is asked [ALWAYS-16] [NEED-18]', async () => {
    const asked: string[] = []
    const hooks = [answering({ veto: 'a release runs' }), { before: () => void asked.push('late') }]
    const wishes = await runBeforeHooks(hooks, run, setUp().options)
    expect(wishes).toMatchObject({ veto: 'a release runs', notices: [] })
    expect(asked).toEqual([])
    const silent = await runBeforeHooks([answering({ veto: ' ' })], run, setUp().options)
    expect(silent.veto).toBe('no reason was given')
  })

  it('may propose in its place; the first one counts [ALWAYS-16] [NEED-18]', async () => {
    const other = { edits: [] }
    const hooks = [
      answering({ pins: ['p'], proposal: PROPOSAL }, 'mine'),
      answering({ proposal: async () => other, instructions: 'i' }),
    ]
    const { strategy, pins, instructions, notices } = await runBeforeHooks(
      hooks,
      run,
      setUp().options,
    )
    expect([strategy?.id, pins, instructions]).toEqual(['hook:mine', ['p'], ['i']])
    expect(await strategy?.propose(INPUT)).toBe(PROPOSAL)
    expect(notices).toEqual(['The proposal of hook 2 was left out: hook:mine was first.'])
  })

  it('may leave the proposal until it is asked for, which has its own limit', async () => {
    const { clock, options } = setUp()
    const given: unknown[] = []
    const lazy = async (input: StrategyInput) => {
      given.push(input)
      return PROPOSAL
    }
    const quick = await runBeforeHooks([answering({ proposal: lazy })], run, options)
    expect(given).toEqual([])
    expect(await quick.strategy?.propose(INPUT)).toBe(PROPOSAL)
    expect(given).toEqual([INPUT])
    const stuck = await runBeforeHooks([answering({ proposal: hanging })], run, options)
    const proposing = expect(stuck.strategy?.propose(INPUT)).rejects.toMatchObject({
      code: 'timeout',
    })
    clock.advance(120_000)
    await proposing
  })

  const BROKEN: [what: string, hook: () => unknown, notice: RegExp][] = [
    [
      'throws',
      () => {
        throw new Error('no luck')
      },
      /no luck/,
    ],
    ['rejects', () => Promise.reject(new Error('no luck')), /no luck/],
    ['throws no error', () => Promise.reject('bad'), /bad/],
    ['answers with a text', () => 'yes', /not an object/],
    ['answers with wrong pins', () => ({ pins: 'all' }), /pins/],
    ['answers with pins that are no texts', () => ({ pins: [1] }), /pins/],
    ['answers with wrong instructions', () => ({ instructions: 7 }), /instructions/],
    ['answers with a proposal of nothing', () => ({ proposal: {} }), /no edits/],
    ['answers with no proposal', () => ({ proposal: null }), /no edits/],
  ]
  it.each(BROKEN)('one that %s is left out and told of [ALWAYS-16]', async (_, broken, notice) => {
    const hooks = [
      { name: 'odd', before: broken as () => undefined },
      answering({ instructions: 'still heard' }),
    ]
    const wishes = await runBeforeHooks(hooks, run, setUp().options)
    expect(wishes.instructions).toEqual(['still heard'])
    expect(wishes.notices).toEqual([expect.stringMatching(/^Hook odd was left out: /)])
    expect(wishes.notices[0]).toMatch(notice)
  })

  it('one that hangs is left out when its time is over, and hears of it [ALWAYS-16]', async () => {
    const { clock, options } = setUp()
    let heard = false
    const hooks: CompactionHooks[] = [
      {
        before: (_, signal) => {
          signal.addEventListener('abort', () => {
            heard = true
          })
          return hanging()
        },
      },
      answering({ pins: ['still heard'] }),
    ]
    const asking = runBeforeHooks(hooks, run, options)
    await untilSleeping(clock)
    clock.advance(999)
    expect(heard).toBe(false)
    clock.advance(1)
    expect(await asking).toMatchObject({
      pins: ['still heard'],
      notices: ['Hook 1 was left out: it did not answer within 1000 ms.'],
    })
    expect(heard).toBe(true)
  })

  it('end at once when the run is aborted, also where one hangs', async () => {
    const { clock, controller, options } = setUp()
    const asking = runBeforeHooks([{ before: hanging }], run, options)
    await untilSleeping(clock)
    controller.abort()
    await expect(asking).rejects.toMatchObject({ code: 'aborted' })
    const late = runBeforeHooks([answering({ pins: ['p'] })], run, options)
    await expect(late).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('hooks after a compaction', () => {
  const done: RunResult = { ...run, success: true, end: 'committed', durationMs: 5 }

  function committed(edits: readonly Edit[]): RunResult {
    return { ...done, event: { seq: 20, data: { edits } } as EventOf<'COMPACTION'> }
  }

  it('hear of every end, in order, and may say something [ALWAYS-16] [NEED-18]', async () => {
    const heard: unknown[] = []
    const hooks: CompactionHooks[] = [
      { after: (result, given) => void heard.push([1, result, given]) },
      { after: async () => 'The plan was saved.' },
      { after: (result) => void heard.push([3, result]) },
    ]
    const failed: RunResult = { ...done, success: false, end: 'failed' }
    for (const result of [done, failed]) {
      heard.length = 0
      const { notices } = await runAfterHooks(hooks, run, result, setUp().options)
      expect(notices).toEqual(['The plan was saved.'])
      expect(heard).toEqual([
        [1, result, run],
        [3, result],
      ])
    }
  })

  it('are told what was dropped, and by which ref to read it [NEED-18]', async () => {
    const summary = { type: 'USER_MESSAGE', data: 'S', label: 'summary' } as const
    const files = { type: 'USER_MESSAGE', data: 'F', label: 'files' } as const
    const edits: Edit[] = [
      { covers: [['e1', 'e9', 9]], put: [summary, files, { keep: ['e8', 'e9', 2] }] },
      { covers: ['e10', 'c3.0'], put: [] },
      { covers: ['e11'], put: [{ keep: 'e11' }, summary] },
      { covers: ['e12'], put: [{ ...summary, label: 'trimmed', of: 'e12' }] },
    ]
    const dropped: unknown[] = []
    const hooks: CompactionHooks[] = [{ onDrop: (given) => void dropped.push(given) }]
    expect(await runAfterHooks(hooks, run, committed(edits), setUp().options)).toEqual({
      notices: [],
      reminders: [],
    })
    expect(dropped).toEqual([
      [
        { ref: 'c20.0', entries: 7, label: 'summary' },
        { ref: 'c20.2', entries: 2 },
        { ref: 'c20.4', entries: 1, label: 'trimmed' },
      ],
    ])
    await runAfterHooks(hooks, run, committed([]), setUp().options)
    await runAfterHooks(hooks, run, done, setUp().options)
    expect(dropped).toHaveLength(1)
  })

  it('break nothing where they throw or hang, and the others are still told [ALWAYS-16]', async () => {
    const { clock, options } = setUp()
    const heard: string[] = []
    const hooks: CompactionHooks[] = [
      { name: 'a', after: () => Promise.reject(new Error('no luck')) },
      { name: 'b', onDrop: () => Promise.reject(new Error('nor here')), after: () => 'b' },
      { name: 'c', after: hanging },
      { name: 'd', after: () => void heard.push('d') },
    ]
    const telling = runAfterHooks(hooks, run, committed([{ covers: ['e1'], put: [] }]), options)
    await untilSleeping(clock)
    clock.advance(1_000)
    expect((await telling).notices).toEqual([
      'Hook a failed after the compaction: no luck',
      'Hook b failed after the compaction: nor here',
      'b',
      'Hook c failed after the compaction: it did not answer within 1000 ms.',
    ])
    expect(heard).toEqual(['d'])
  })

  it('hear of an aborted run too, and an abort ends the waiting', async () => {
    const { clock, controller, options } = setUp()
    const stuck = runAfterHooks([{ after: hanging }], run, done, options)
    await untilSleeping(clock)
    controller.abort()
    expect((await stuck).notices).toEqual([
      'Hook 1 failed after the compaction: The compaction was aborted.',
    ])
    const result: RunResult = { ...done, success: false, end: 'aborted' }
    expect(await runAfterHooks([{ after: () => 'heard' }], run, result, options)).toMatchObject({
      notices: ['heard'],
    })
  })
})
