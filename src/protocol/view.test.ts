// The view of a thread: what is drawn of events and frames, in any order in which they come.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../test/generate/test-log.ts'
import { generateThread } from '../../test/generate/thread.ts'
import { answer, local, result, thoughtAnswer, user } from '../../test/say.ts'
import { seeds } from '../../test/scale.ts'
import type { AgentFrame, FrameDraft } from '../core/agent/frame.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventDraft } from '../core/log/event.ts'
import { ThreadView } from './view.ts'

const THREAD = 'thr_test'
const NOON = new Date(Date.UTC(2026, 0, 1, 12))

function frame(draft: Omit<FrameDraft, 'threadId'>): AgentFrame {
  return { threadId: THREAD, timestamp: NOON, ...draft } as AgentFrame
}

/** What a view draws, a line for each block. */
function drawn({ blocks }: ThreadView): string[] {
  return blocks.map((block) => {
    switch (block.kind) {
      case 'tool':
        return `tool ${block.name} ${block.subject} ${block.state}: ${block.result ?? block.progress ?? ''}`
      case 'compaction':
        return `compaction ${block.state} ${block.strategy}: ${block.summary ?? block.error ?? block.message ?? ''}`
      case 'notice':
        return `${block.level}: ${block.text}`
      default:
        return `${block.kind}: ${block.text}`
    }
  })
}

/** Drafts become events of a log; frames are frames. */
function play(...steps: (EventDraft | AgentFrame | readonly EventDraft[])[]): ThreadView {
  const log = new TestLog()
  const view = new ThreadView()
  for (const step of steps) {
    if ('threadId' in step) view.apply({ kind: 'frame', frame: step })
    else
      for (const event of log.append(Array.isArray(step) ? step : [step as EventDraft], 'leave'))
        view.apply({ kind: 'event', event })
  }
  return view
}

const startOfRun = frame({
  type: 'COMPACTION_START',
  runId: 'r1',
  trigger: 'command',
  strategy: 'chunked-fold',
  message: 'Compacting',
} as FrameDraft)

function endOfRun(more: object): AgentFrame {
  return frame({
    type: 'COMPACTION_COMPLETE',
    runId: 'r1',
    trigger: 'command',
    strategy: 'chunked-fold',
    success: true,
    end: 'committed',
    durationMs: 5,
    ...more,
  } as unknown as FrameDraft)
}

describe('events', () => {
  it('draws a conversation in order, thinking before the text, results at their calls', () => {
    const view = play(user('hi'), thoughtAnswer('hm', 'look', 'c1'), result('c1', 'body'))
    expect(drawn(view)).toEqual([
      'user: hi',
      'thinking: hm',
      'answer: look',
      'tool read c1.ts completed: body',
    ])
  })

  it('draws what the thread itself says, and nothing of prompts, pins and settings', () => {
    const view = play(
      { type: 'SYSTEM_PROMPT', data: 'be good' },
      { type: 'THREAD_SETTINGS', data: { preset: 'chat' } },
      { type: 'PIN', data: { pinId: 'p', text: 'x' } },
      local('note'),
    )
    expect(drawn(view)).toEqual(['info: note'])
  })

  it('takes the summary that opens a thread for a compaction, and other openings for text', () => {
    const summary = { type: 'USER_MESSAGE', origin: 'summary' } as const
    const view = play(
      { ...summary, data: 'before:\n\n<summary>\nall of it\n</summary>' },
      { ...summary, data: 'a pinned text' },
    )
    expect(drawn(view)).toEqual(['compaction done fresh-session: all of it', 'user: a pinned text'])
    expect(view.blocks[1]).toMatchObject({ isAutomatic: true })
  })

  it('shows the note behind a summary with it, and never as words of the user', () => {
    const opening = { type: 'USER_MESSAGE', origin: 'summary' } as const
    const note = '[Context note, not a new request: more facts.]\n- port 4321'
    const view = play(
      { ...opening, data: 'before:\n\n<summary>\nall of it\n</summary>' },
      { ...opening, data: note },
      user('next'),
    )
    expect(drawn(view)).toEqual([
      `compaction done fresh-session: all of it\n\n${note}`,
      'user: next',
    ])
    expect(drawn(play({ ...opening, data: note }))).toEqual([`info: ${note}`])
    expect(drawn(play(user(note)))).toEqual([`user: ${note}`])
  })

  it('says why an answer stopped short', () => {
    const data = { content: 'half', calls: [], stopReason: 'aborted' } as const
    const view = play({ type: 'AGENT_MESSAGE', data })
    expect(view.blocks).toMatchObject([{ kind: 'answer', text: 'half', cut: 'aborted' }])
  })

  it('keeps the queue: what waits, what was delivered, what was withdrawn [NEED-12]', () => {
    const queued = (messageId: string): EventDraft => ({
      type: 'MESSAGE_QUEUED',
      data: { messageId, content: `text ${messageId}` },
    })
    const view = play(
      queued('m1'),
      queued('m2'),
      queued('m3'),
      { type: 'USER_MESSAGE', id: 'm1', data: 'text m1' },
      { type: 'MESSAGE_WITHDRAWN', data: { messageId: 'm3' } },
    )
    expect(view.status.queued).toEqual([{ messageId: 'm2', text: 'text m2' }])
  })

  it('shows nothing as waiting that a fresh session has taken along', () => {
    const waiting: EventDraft = {
      type: 'MESSAGE_QUEUED',
      data: { messageId: 'm1', content: 'and this' },
    }
    // Told by a frame to whoever was there, and by the thread itself to whoever comes later.
    const moved = play(
      waiting,
      frame({
        type: 'COMPACTION_COMPLETE',
        runId: 'r1',
        strategy: 'fresh-session',
        trigger: 'command',
        success: true,
        end: 'committed',
        durationMs: 1,
        fresh: { threadId: 'thr_next', summary: 'all of it' },
      } as FrameDraft),
    )
    expect(moved.status.queued).toEqual([])
    const late = play(waiting)
    late.assume({ isWorking: false, approvals: [], queued: 1 })
    expect(late.status.queued).toHaveLength(1)
    late.assume({ isWorking: false, approvals: [], queued: 0 })
    expect(late.status.queued).toEqual([])
  })

  it('asks for a call whose question was asked before one looked', () => {
    const view = play(answer('I look.', 'c1', 'c2'))
    const asked = { callId: 'c1', name: 'read', subject: 'c1.ts', reason: 'it reads' }
    view.assume({ isWorking: true, approvals: [asked] })
    expect(drawn(view).slice(1)).toEqual(['tool read c1.ts asking: ', 'tool read c2.ts waiting: '])
  })

  it.each([
    [{ filePath: 'a.ts', content: 'x' }, 'a.ts'],
    [{ cmd: 'git push', workdir: '/srv' }, 'git push'],
    [{ command: ['bash', '-lc', 'npm test && ls'] }, 'npm test && ls'],
    [{ command: ['git', 'status'] }, 'git status'],
    [{ count: 3 }, '{"count":3}'],
  ])('names a call of any agent by what it is about: %j', (input, subject) => {
    const listed = { type: 'AGENT_MESSAGE', data: { content: '', calls: ['c1'] } } as const
    const called = { id: 'c1', name: 'any', arguments: input, answer: 0 }
    const view = play([listed, { type: 'TOOL_CALL', data: called }])
    expect(drawn(view)).toEqual([`tool any ${subject} waiting: `])
  })
})

describe('frames', () => {
  it('streams an answer, which the log then takes the place of', () => {
    const delta = (type: 'text-delta' | 'thinking-delta', text: string) =>
      frame({ type, text } as FrameDraft)
    const streamed = [
      user('hi'),
      frame({ type: 'turn-start' } as FrameDraft),
      delta('thinking-delta', 'h'),
      delta('thinking-delta', 'm'),
      delta('text-delta', 'lo'),
      delta('text-delta', 'ok'),
    ]
    expect(drawn(play(...streamed))).toEqual(['user: hi', 'thinking: hm', 'answer: look'])
    expect(drawn(play(...streamed, answer('look')))).toEqual(['user: hi', 'answer: look'])
  })

  it('forgets an answer that is asked for again, and one that was cut off without a trace', () => {
    const delta = frame({ type: 'text-delta', text: 'lo' } as FrameDraft)
    const restart = frame({ type: 'answer-restart', reason: 'Broken.' } as FrameDraft)
    const end = frame({ type: 'turn-end', end: 'aborted' } as FrameDraft)
    expect(drawn(play(delta, restart))).toEqual(['warning: Broken. Asking again.'])
    expect(drawn(play(delta, end))).toEqual(['info: Stopped.'])
  })

  it('says on one line which attempt comes next, when, and why', () => {
    const retry = (attempt: number, waitMs: number) =>
      frame({
        type: 'model-retry',
        attempt,
        attempts: 5,
        reason: 'Overloaded.',
        waitMs,
      } as FrameDraft)
    const view = play(frame({ type: 'turn-start' } as FrameDraft), retry(2, 900), retry(3, 1_800))
    expect(drawn(view)).toEqual(['warning: Asking again, attempt 3 of 5: Overloaded.'])
    expect(view.status.activity?.what).toBe('Attempt 3 of 5 in 2 s')
  })

  it('calls a compaction that the user stopped stopped', () => {
    const run = { runId: 'r1', trigger: 'command', strategy: 'summarize' }
    const ended = (end: string) =>
      frame({
        type: 'COMPACTION_COMPLETE',
        ...run,
        end,
        success: false,
        durationMs: 1,
        error: new PrecisError('aborted', 'The request was aborted.'),
      } as unknown as FrameDraft)
    expect(play(ended('aborted')).blocks[0]).toMatchObject({ state: 'failed', isStopped: true })
    expect(play(ended('failed')).blocks[0]).not.toHaveProperty('isStopped')
  })

  it('forgets what it streamed when the connection was lost: the log has the answer', () => {
    const view = play(user('hi'), frame({ type: 'text-delta', text: 'lo' } as FrameDraft))
    view.apply({ kind: 'reconnected' })
    expect(drawn(view)).toEqual(['user: hi'])
  })

  it('follows a tool from its question to its result', () => {
    const about = { callId: 'c1', name: 'run', subject: 'npm test' }
    const asked = play(
      answer('', 'c1'),
      frame({ type: 'approval-request', ...about, reason: 'it runs' } as FrameDraft),
    )
    expect(asked.status.approvals).toEqual([{ ...about, reason: 'it runs' }])
    expect(drawn(asked)).toEqual(['tool run npm test asking: '])
    const running = play(
      answer('', 'c1'),
      frame({ type: 'approval-request', ...about, reason: 'it runs' } as FrameDraft),
      frame({ type: 'tool-start', ...about } as FrameDraft),
      frame({ type: 'tool-progress', callId: 'c1', text: '3 of 5' } as FrameDraft),
    )
    expect(running.status).toMatchObject({ approvals: [], activity: { what: 'Running a command' } })
    expect(drawn(running)).toEqual(['tool run npm test running: 3 of 5'])
  })

  it('says once what every request says again, and a warning each time', () => {
    const said = (level: 'info' | 'warning', message: string) =>
      frame({ type: 'notice', level, message } as FrameDraft)
    const told = [said('info', 'Left out.'), said('warning', 'Slow.')]
    expect(drawn(play(...told, said('info', 'Folded.'), ...told))).toEqual([
      'info: Left out.',
      'warning: Slow.',
      'info: Folded.',
      'warning: Slow.',
    ])
  })

  it('tells the error of a failed turn once', () => {
    const error = new PrecisError('overloaded', 'Too busy.', { hint: 'Wait.' })
    const context = { operation: 'turn', threadId: THREAD }
    const view = play(
      frame({ type: 'error', error, context } as unknown as FrameDraft),
      frame({ type: 'turn-end', end: 'failed', error } as FrameDraft),
    )
    expect(drawn(view)).toEqual(['error: Too busy. Wait.'])
    expect(view.status.isWorking).toBe(false)
  })
})

describe('compactions', () => {
  it('are pending, then done with their summary [RANGE-67]', () => {
    expect(drawn(play(startOfRun))).toEqual(['compaction running chunked-fold: Compacting'])
    const fresh = { threadId: 'thr_new', summary: 'short' }
    const view = play(startOfRun, endOfRun({ fresh }))
    expect(drawn(view)).toEqual(['compaction done chunked-fold: short'])
    expect(view.status.compaction).toBeUndefined()
  })

  it('are pending, then failed with the reason [RANGE-67]', () => {
    const error = new PrecisError('gate-refused', 'not smaller')
    const ended = endOfRun({ success: false, end: 'refused', error })
    expect(drawn(play(startOfRun, ended))).toEqual(['compaction failed chunked-fold: not smaller'])
  })

  it('are drawn where they failed, and say what they fell back from', () => {
    const failed = (strategyId: string): EventDraft =>
      ({
        type: 'COMPACTION_FAILED',
        data: { runId: 'r1', strategyId, trigger: 'command', reason: `${strategyId} is down` },
      }) as unknown as EventDraft
    const done = {
      type: 'COMPACTION',
      data: { runId: 'r1', strategyId: 'extract', edits: [], inverse: [] },
      ...{ v: 2, id: 'x', seq: 3, threadId: THREAD, timestamp: NOON },
    }
    const fellBack = [{ from: 'summarize', reason: 'summarize is down' }]
    expect(play(failed('summarize')).blocks).toMatchObject([
      { state: 'failed', strategy: 'summarize', error: 'summarize is down' },
    ])
    for (const before of [[], [startOfRun]]) {
      const view = play(user('hi'), ...before, failed('summarize'))
      view.apply({ kind: 'event', event: done as never })
      expect(view.blocks[1]).toMatchObject({ state: 'done', strategy: 'extract', fellBack })
      expect(view.blocks).toHaveLength(2)
    }
  })

  it('say in which chunk they are [FOLD-68]', () => {
    const progress = frame({
      type: 'COMPACTION_PROGRESS',
      runId: 'r1',
      trigger: 'command',
      strategy: 'chunked-fold',
      message: 'Folding',
      done: 1,
      total: 4,
    } as FrameDraft)
    const { status, blocks } = play(startOfRun, progress)
    expect(status.compaction).toMatchObject({ what: 'Folding', done: 1, total: 4, since: NOON })
    expect(blocks).toMatchObject([{ state: 'running', done: 1, total: 4 }])
  })

  it('are one block, whether the event or the end of the run comes first', () => {
    const data = {
      runId: 'r1',
      strategyId: 'chunked-fold',
      trigger: 'command',
      basedOn: 1,
      edits: [
        {
          covers: ['e1'],
          put: [{ type: 'USER_MESSAGE', data: 'in short', label: 'summary' }],
        },
      ],
      inverse: [],
      originalEventCount: 1,
      compactedEventCount: 1,
      before: { tokens: 900, by: 'estimated' },
      after: { tokens: 90, by: 'estimated' },
    }
    const event = {
      type: 'COMPACTION',
      data,
      v: 2,
      id: 'x',
      seq: 2,
      threadId: THREAD,
      timestamp: NOON,
    }
    for (const order of [0, 1]) {
      const view = play(user('hi'), startOfRun)
      const items = [
        { kind: 'event', event } as never,
        { kind: 'frame', frame: endOfRun({ event }) } as never,
      ]
      for (const item of order === 0 ? items : items.reverse()) view.apply(item)
      expect(drawn(view)).toEqual(['user: hi', 'compaction done chunked-fold: in short'])
      expect(view.blocks[1]).toMatchObject({ seq: 2, beforeTokens: 900, afterTokens: 90 })
      // The timeline has them on the base of the window, and they stay so when it is said again.
      expect(view.isMeasured).toBe(false)
      const compaction = { strategy: 'chunked-fold', before: 1_000, after: 100 }
      view.measure([{ seq: 2, tokens: 100, by: 'estimated', compaction }])
      view.apply({ kind: 'event', event } as never)
      view.measure([])
      expect(view.isMeasured).toBe(true)
      expect(view.blocks[1]).toMatchObject({ beforeTokens: 1_000, afterTokens: 100 })
    }
  })
})

describe('moving', () => {
  it('goes on in a fresh thread under what was shown, without the summary a second time', () => {
    const view = play(user('hi'), startOfRun, endOfRun({ fresh: { threadId: 'b', summary: 's' } }))
    view.continueElsewhere()
    const opening = '<summary>\ns\n</summary>'
    const log = new TestLog()
    const first = log.append([{ type: 'USER_MESSAGE', origin: 'summary', data: opening }])
    for (const event of first) view.apply({ kind: 'event', event: { ...event, threadId: 'b' } })
    for (const event of log.append([user('next')]))
      view.apply({ kind: 'event', event: { ...event, threadId: 'b' } })
    expect(drawn(view)).toEqual(['user: hi', 'compaction done chunked-fold: s', 'user: next'])
  })

  it('puts earlier events in front', () => {
    const log = new TestLog()
    const events = log.append([
      user('one'),
      ...answer('two', 'c1'),
      result('c1', 'x'),
      user('four'),
    ])
    const view = new ThreadView()
    for (const event of events.slice(4)) view.apply({ kind: 'event', event })
    view.prepend(events.slice(0, 4))
    expect(drawn(view).map((line) => line.split(' ').at(-1))).toEqual(['one', 'two', 'x', 'four'])
  })

  it('draws the same of random threads, wherever they were cut to be read in two parts', () => {
    for (const seed of seeds(4, 2)) {
      const { log } = generateThread(seed, 60)
      const whole = new ThreadView()
      for (const event of log.events) whole.apply({ kind: 'event', event })
      for (let cut = 1; cut < log.events.length; cut += 1) {
        const parts = new ThreadView()
        for (const event of log.events.slice(cut)) parts.apply({ kind: 'event', event })
        parts.prepend(log.events.slice(0, cut))
        expect(drawn(parts), `seed ${seed}, cut ${cut}`).toEqual(drawn(whole))
      }
    }
  })

  it('draws a compaction once for who came in the middle of it', () => {
    const { log } = generateThread(1, 60)
    const event = log.events.find(({ type }) => type === 'COMPACTION')
    if (event?.type !== 'COMPACTION') throw new Error('the thread has no compaction')
    const view = new ThreadView()
    view.apply({ kind: 'event', event })
    const { runId, strategyId: strategy } = event.data
    const ended = { runId, strategy, event, trigger: 'auto', success: true, end: 'committed' }
    const done = { type: 'COMPACTION_COMPLETE', durationMs: 1, ...ended } as unknown as FrameDraft
    view.apply({ kind: 'frame', frame: frame(done) })
    expect(view.blocks).toMatchObject([{ kind: 'compaction', state: 'done', seq: event.seq }])
  })

  it('forgets a compaction whose end it has missed, once told that none runs', () => {
    const view = play(
      frame({ type: 'turn-start' } as FrameDraft),
      frame({
        type: 'COMPACTION_START',
        runId: 'r1',
        strategy: 'summarize',
        trigger: 'auto',
        message: 'Summarising',
      } as FrameDraft),
    )
    view.assume({ isWorking: true, isCompacting: true, approvals: [] })
    expect(view.status.compaction).toMatchObject({ strategy: 'summarize' })
    view.assume({ isWorking: false, isCompacting: false, approvals: [] })
    expect(view.status).toEqual({ isWorking: false, queued: [], approvals: [] })
  })

  it('assumes that it compacts where it is told so, until it is told otherwise', () => {
    const view = new ThreadView()
    const compacting = { isWorking: false, isCompacting: true, approvals: [] }
    const since = new Date(0)
    view.assume(compacting, since)
    expect(view.status.compaction).toEqual({ what: 'Compacting', strategy: '', since })
    view.endAssumed(compacting)
    expect(view.status.compaction).toBeDefined()
    view.endAssumed({ ...compacting, isCompacting: false })
    expect(view.status).toEqual({ isWorking: false, queued: [], approvals: [] })
  })

  it('draws the same of random threads, whatever was streamed before each event', () => {
    for (const seed of seeds(15, 5)) {
      const { log } = generateThread(seed, 60)
      const [still, live] = [new ThreadView(), new ThreadView()]
      for (const event of log.events) {
        still.apply({ kind: 'event', event })
        const isAnswer = event.type === 'AGENT_MESSAGE'
        if (isAnswer)
          live.apply({
            kind: 'frame',
            frame: frame({ type: 'text-delta', text: 'x' } as FrameDraft),
          })
        live.apply({ kind: 'event', event })
      }
      expect(drawn(live), `seed ${seed}`).toEqual(drawn(still))
      expect(new Set(still.blocks.map(({ key }) => key)).size).toBe(still.blocks.length)
    }
  })
})
