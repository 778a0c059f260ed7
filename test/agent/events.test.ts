// What an agent tells of its compactions: one start and one end on every path, with true figures.
import { type Span, type SpanOptions, type Tracer, trace } from '@opentelemetry/api'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CompactionWatch } from '../../src/agent/compaction/compaction-watch.ts'
import { ConsoleCompactionDisplay } from '../../src/cli/terminal/compaction-display.ts'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { Tool } from '../../src/core/agent/tool.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { MODEL } from './host.ts'
import { Door, longPast, runsIn, summaryBehind, textOf } from './past.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from './setup.ts'

const SUMMARY = { text: 'In short.' }
const FULL = { windowTokens: 12_000 }

interface Path {
  readonly options?: SetupOptions
  readonly past: number
  readonly ends: object
  run(setup: AgentSetup): Promise<unknown>
}

const send = ({ agent, threadId }: AgentSetup) => agent.sendMessage(threadId, 'go')
const compact = ({ agent, threadId }: AgentSetup) => agent.compact(threadId)

const PATHS: Readonly<Record<string, Path>> = {
  'by hand': { past: 2_000, run: compact, ends: { trigger: 'command', end: 'committed' } },
  'by the tool': {
    options: {
      preset: 'whole',
      dev: { script: [{ calls: [{ name: 'compact', arguments: { summary: 'S' } }] }] },
    },
    past: 2_000,
    run: send,
    ends: { trigger: 'tool', end: 'committed', strategy: 'whole-summary' },
  },
  'by itself': {
    options: { ...FULL, dev: { script: [SUMMARY] } },
    past: 9_500,
    run: send,
    ends: { trigger: 'auto', end: 'committed' },
  },
  'for an overflow': {
    options: { ...FULL, believedWindowTokens: 200_000 },
    past: 11_500,
    run: send,
    ends: { trigger: 'overflow', end: 'committed' },
  },
  'in the background': {
    options: { ...FULL, preset: 'range' },
    past: 7_200,
    run: async (setup) => {
      await send(setup)
      await expect.poll(() => runsIn(setup.frames).length).toBe(1)
    },
    ends: { trigger: 'background', end: 'committed' },
  },
  'after a fallback': {
    options: { dev: { script: [{ fault: { kind: 'refusal' } }] } },
    past: 2_000,
    run: compact,
    ends: { end: 'committed', strategy: 'trim-tool-results' },
  },
  'refused by a hook': {
    options: { agent: { hooks: [{ before: () => ({ veto: 'not now' }) }] } },
    past: 2_000,
    run: compact,
    ends: { end: 'vetoed', success: false },
  },
  'that fails': {
    past: 2_000,
    run: async (setup) => {
      for (const id of ['ai-summarize', 'trim-tool-results'])
        setup.threads.register({ id, propose: () => Promise.reject(new Error('no luck')) })
      await compact(setup)
    },
    ends: { end: 'failed', success: false },
  },
  'that is stopped': {
    past: 2_000,
    run: async (setup) => {
      const door = new Door()
      setup.dev.script(summaryBehind(door))
      const running = compact(setup)
      await door.reached
      await setup.agent.abort(setup.threadId)
      await running
      door.open()
    },
    ends: { end: 'aborted', success: false },
  },
}

describe('a compaction', () => {
  it.each(Object.entries(PATHS))('%s has one start and one end [ALWAYS-15]', async (_, path) => {
    const setup = await setUpAgent(path.options)
    await setup.threads.import(setup.threadId, longPast(path.past))
    await path.run(setup)
    expect(runsIn(setup.frames)).toMatchObject([path.ends])
    const [start] = setup.frames.filter(({ type }) => type === 'COMPACTION_START')
    expect(start?.timestamp).toBeInstanceOf(Date)
    const [end] = runsIn(setup.frames)
    expect((await setup.eventsOf('COMPACTION')).length).toBe(end?.success ? 1 : 0)
    expect(end?.event?.data.strategyId).toBe(end?.success ? end.strategy : undefined)
  })

  it('is billed apart, with the context before and after [ALWAYS-13]', async () => {
    const price = { input: 1, output: 2 }
    const { agent, threadId, threads, dev } = await setUpAgent({
      catalogue: { [MODEL]: { windowTokens: 200_000, outputTokens: 1_000, price } },
    })
    await threads.import(threadId, longPast(2_000))
    await agent.sendMessage(threadId, 'go')
    const before = await threads.usage(threadId)
    expect(before.summarizing.totalTokens).toBe(0)
    const result = await agent.compact(threadId)
    const { inputTokens = 0, outputTokens = 0 } = dev.requests.at(-1)?.usage ?? {}
    const usage = { promptTokens: inputTokens, completionTokens: outputTokens }
    expect(result.usage).toMatchObject(usage)
    expect(result.costUsd).toBeGreaterThan(0)
    expect(await threads.usage(threadId)).toMatchObject({
      conversation: before.conversation,
      summarizing: usage,
    })
    expect(result.tokensSaved).toBe((result.before?.tokens ?? 0) - (result.after?.tokens ?? 0))
    expect(result.event?.data).toMatchObject({ before: result.before, after: result.after })
    expect(await threads.reading(threadId)).toMatchObject({ by: 'estimated' })
  })
})

/** Without what differs from run to run. */
function toldIn(frames: readonly AgentFrame[]): object[] {
  return frames.map(({ timestamp: _, threadId: __, ...told }) => told)
}

/** A link to a file: shown as it is written, and as where it leads. */
const CHANGE: Tool = {
  name: 'change',
  description: 'Changes what a link leads to.',
  inputSchema: { type: 'object' },
  effect: 'write',
  isParallel: false,
  subjectOf: () => 'link\u0007.txt',
  targetOf: () => 'real.txt',
  changeOf: async () => ({ diff: '+a\u0007', seen: 'the old text' }),
  async run(_, { onProgress, seen, target }) {
    onProgress?.(`${seen} of ${target}`)
    return { status: 'completed', content: [] }
  },
}

describe('a turn', () => {
  it('tells each step once and in order: answers, questions, calls, its end', async () => {
    const asked: object[] = []
    const { agent, threadId, dev, frames, eventsOf } = await setUpAgent({
      preset: 'fold',
      agent: {
        tools: [CHANGE],
        approval: { mode: 'ask', allow: [], deny: [], readOnly: false },
        async approver({ signal, ...question }) {
          asked.push({ ...question, isStopped: signal.aborted })
          return 'allow'
        },
      },
    })
    dev.script([
      { thinking: 'Hm.', text: 'Look.', calls: [{ id: 'c', name: 'change', arguments: { a: 1 } }] },
      { text: 'Half of i', stopReason: 'length' },
    ])
    await agent.sendMessage(threadId, 'go')
    const callId = 'toolu_c'
    const question = {
      ...{ callId, name: 'change', subject: 'link[U+0007].txt → real.txt', diff: '+a[U+0007]' },
      reason: expect.stringMatching(/^No pattern allows change on link\[U\+0007\]\.txt\.$/),
    }
    const [first, second] = dev.requests.map(({ usage }) => ({
      type: 'reading',
      reading: {
        tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
        by: 'measured',
      },
      windowTokens: 200_000,
    }))
    const [one, two] = (await eventsOf('AGENT_MESSAGE')).map(({ seq }) => seq)
    expect(toldIn(frames)).toEqual([
      { type: 'turn-start' },
      { type: 'thinking-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Look.' },
      { type: 'answer-end', seq: one },
      first,
      { type: 'approval-request', ...question },
      { type: 'tool-start', callId, name: 'change', subject: 'link[U+0007].txt' },
      { type: 'tool-progress', callId, text: 'the old text of real.txt' },
      { type: 'tool-end', callId, name: 'change', status: 'completed' },
      { type: 'text-delta', text: 'Half of i' },
      { type: 'answer-end', seq: two },
      second,
      {
        type: 'notice',
        level: 'warning',
        message: 'The answer was cut off: it reached the longest that the model may write.',
      },
      { type: 'turn-end', end: 'done' },
    ])
    expect(asked).toEqual([{ ...question, threadId, input: { a: 1 }, isStopped: false }])
    expect((await eventsOf('TOOL_APPROVAL_REQUEST')).map(({ data }) => data)).toEqual([
      { toolCallId: callId },
    ])
    expect((await eventsOf('TOOL_APPROVAL_RESPONSE')).map(({ data }) => data)).toEqual([
      { toolCallId: callId, decision: 'allow' },
    ])
    expect((await eventsOf('TOOL_RESULT')).map(({ data }) => data)).toEqual([
      { id: callId, content: [{ type: 'text', text: '(no output)' }], status: 'completed' },
    ])
  })

  it('that fails tells of the error and of its end, also in the outcome', async () => {
    const { agent, threadId, dev, frames } = await setUpAgent({ auto: { enabled: false } })
    dev.script([{ fault: { kind: 'overflow' } }])
    const outcome = await agent.sendMessage(threadId, 'go')
    const error = expect.any(PrecisError)
    expect(outcome).toEqual({ status: 'failed', text: '', returned: [], error })
    expect(toldIn(frames)).toEqual([
      { type: 'turn-start' },
      { type: 'error', error, context: { operation: 'turn', threadId } },
      { type: 'turn-end', end: 'failed', error },
    ])
  })

  it.each([
    ['a model that refused', 'refusal', 'The model refused to answer.'],
    ['nothing else', undefined, undefined],
  ] as const)('says of %s at its end', async (_, kind, message) => {
    const { agent, threadId, dev, frames } = await setUpAgent()
    dev.script([kind === undefined ? { text: 'Hi.' } : { fault: { kind } }])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    const notices = toldIn(frames.filter(({ type }) => type === 'notice'))
    expect(notices).toEqual(
      message === undefined ? [] : [{ type: 'notice', level: 'warning', message }],
    )
  })
})

describe('a run', () => {
  it('tells its start, its end and what it was, by hand', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent()
    await threads.import(threadId, longPast(2_000))
    dev.script([SUMMARY])
    const result = await agent.compact(threadId)
    const info = {
      runId: expect.stringMatching(/^run/),
      trigger: 'command',
      strategy: 'ai-summarize',
    }
    const message = 'Compacting conversation to save space...'
    expect(toldIn(frames)).toEqual([
      { type: 'agent_thinking_start', message },
      { type: 'COMPACTION_START', ...info, message },
      { type: 'agent_thinking_complete' },
      { type: 'COMPACTION_COMPLETE', ...result },
    ])
    expect(result).toEqual({
      ...info,
      success: true,
      end: 'committed',
      durationMs: expect.any(Number),
      event: expect.objectContaining({ type: 'COMPACTION', threadId }),
      before: result.event?.data.before,
      after: result.event?.data.after,
      tokensSaved: (result.before?.tokens ?? 0) - (result.after?.tokens ?? 0),
      usage: result.event?.data.usage,
      report: expect.objectContaining({ strategyId: 'ai-summarize', trigger: 'command' }),
    })
    expect(result.report?.settings).toEqual({
      ...{ preset: 'log', model: MODEL, windowTokens: 200_000 },
      ...{ threshold: 0.8, targetRatio: 0.5, minTokens: 1_000 },
    })
  })

  it('that fails tells what was tried instead, and why it ended', async () => {
    const { agent, threadId, threads, frames } = await setUpAgent()
    await threads.import(threadId, longPast(2_000))
    for (const id of ['ai-summarize', 'trim-tool-results'])
      threads.register({ id, propose: () => Promise.reject(new Error(`no luck with ${id}`)) })
    const result = await agent.compact(threadId)
    const info = { runId: result.runId, trigger: 'command' }
    expect(toldIn(frames).slice(2)).toEqual([
      {
        ...{ type: 'COMPACTION_PROGRESS', ...info, strategy: 'trim-tool-results' },
        message: 'no luck with ai-summarize. Trying trim-tool-results.',
      },
      { type: 'error', error: result.error, context: { operation: 'compact', threadId } },
      { type: 'COMPACTION_COMPLETE', ...result },
    ])
    expect(result).toEqual({
      ...{ ...info, strategy: 'trim-tool-results', success: false, end: 'failed' },
      durationMs: expect.any(Number),
      error: expect.objectContaining({ message: 'no luck with trim-tool-results' }),
    })
  })
})

describe('the console', () => {
  /** What a person sees of the paths, in one string. */
  async function shown(path: Path): Promise<{ text: string; isCompacting: boolean }> {
    const setup = await setUpAgent(path.options)
    const lines: string[] = []
    const stream = { write: (line: string) => lines.push(line) }
    const watch = new CompactionWatch(setup.agent, new ConsoleCompactionDisplay(stream, stream))
    await setup.threads.import(setup.threadId, longPast(path.past))
    await path.run(setup)
    const { isCompacting } = watch
    watch.cleanup()
    const { length } = lines
    await setup.agent.compact(setup.threadId)
    expect(lines).toHaveLength(length)
    expect(runsIn(setup.frames).length).toBeGreaterThan(0)
    return { text: lines.join(''), isCompacting }
  }

  it.each(['by hand', 'by itself'])(
    'shows one %s from start to end, and its own listener goes alone [LOG-58, LOG-59, LOG-60, LOG-61]',
    async (name) => {
      const { text, isCompacting } = await shown(PATHS[name] as Path)
      expect(text).toMatch(
        /^\n🔄 Compacting conversation to reduce size\.\.\.\n✅ Compaction complete! Reduced from \d+ to \d+ events \(\d+% reduction\)\n[\w-]+: [\d,]+ → [\d,]+ tokens \(\d+ % less\)\n\n$/,
      )
      expect(isCompacting).toBe(false)
    },
  )

  it('shows why one failed, and nothing of ordinary answers [LOG-59, LOG-60, LOG-61]', async () => {
    const { text, isCompacting } = await shown(PATHS['that fails'] as Path)
    expect(text).toContain('❌ Compaction failed: no luck')
    expect(isCompacting).toBe(false)
    expect(await shown({ past: 10, run: send, ends: {} })).toEqual({
      text: '',
      isCompacting: false,
    })
  })
})

describe('spans', () => {
  it('cover requests, tools and compactions where somebody collects them', async () => {
    const spans: { name: string; attributes: unknown; ended: boolean }[] = []
    trace.setGlobalTracerProvider({ getTracer: () => tracerInto(spans) })
    onTestFinished(() => trace.disable())
    const { agent, threadId, dev } = await setUpAgent()
    dev.script([{ calls: [{ name: 'list', arguments: {} }] }, { text: textOf(20) }, SUMMARY])
    await agent.sendMessage(threadId, 'go')
    await agent.compact(threadId)
    expect(spans.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['precis.request', { model: MODEL }],
      ['precis.tool', { tool: 'list' }],
      ['precis.request', { model: MODEL }],
      ['precis.compaction', { trigger: 'command' }],
    ])
    expect(spans.every(({ ended }) => ended)).toBe(true)
  })
})

/** The least that a tracer is: spans in a list. */
function tracerInto(spans: { name: string; attributes: unknown; ended: boolean }[]): Tracer {
  const startSpan = (name: string, options?: SpanOptions): Span => {
    const kept = { name, attributes: options?.attributes, ended: false }
    spans.push(kept)
    const end = () => {
      kept.ended = true
    }
    return { end, setStatus: () => undefined } as unknown as Span
  }
  return {
    startSpan,
    startActiveSpan: (name: string, options: SpanOptions, run: (span: Span) => unknown) =>
      run(startSpan(name, options)),
  } as Tracer
}
