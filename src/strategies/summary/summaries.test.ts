// `summarize` and `ai-summarize` with a scripted model, and the registry of strategies.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, result, system, user } from '../../../test/say.ts'
import type { Strategy } from '../../core/edit/strategy.ts'
import type { AskRequest, ModelPort } from '../../core/ports.ts'
import type { StopReason } from '../../core/view/content.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { registerDefaultStrategies } from '../index.ts'
import { aiSummarize, summarize, wholeSummaryByModel } from './whole-summary.ts'

/** A model that answers from a script and keeps what it was asked. */
function scripted(
  text: string,
  stopReason: StopReason = 'end',
): ModelPort & { requests: AskRequest[] } {
  const requests: AskRequest[] = []
  return {
    requests,
    async ask(request) {
      requests.push(request)
      return { text, stopReason, usage: { promptTokens: 9, completionTokens: 1, totalTokens: 10 } }
    },
  }
}

function propose(strategy: Strategy, log: TestLog, provider?: ModelPort) {
  const run = { threadId: log.threadId, model: 'test-model', ...(provider && { provider }) }
  return strategy.propose({ context: log.context, eventAt: log.eventAt, run, trigger: 'command' })
}

/** What the model said and was told, as `role: text`. */
function said(log: TestLog): string[] {
  return log.build().messages.map(({ role, parts }) => {
    const words = parts.map((part) => (part.type === 'text' ? part.text : part.type))
    return `${role}: ${words.join(' + ')}`
  })
}

describe('the registry', () => {
  it('registers at least trim-tool-results, summarize and ai-summarize [LOG-37]', () => {
    const registered = new Map<string, Strategy>()
    registerDefaultStrategies((strategy) => registered.set(strategy.id, strategy))
    for (const id of ['trim-tool-results', 'summarize', 'ai-summarize'])
      expect(registered.get(id)?.id).toBe(id)
  })
})

describe('ai-summarize', () => {
  it('keeps the last three user messages behind the summary, and the system prompt first', async () => {
    const log = new TestLog()
    log.append([system('be brief')])
    for (const text of ['First', 'Second', 'Third', 'Fourth'])
      log.append([user(text), ...answer(`re ${text}`)])
    const model = scripted('what happened')
    expect(log.compact(await propose(aiSummarize, log, model))).toBeUndefined()
    expect(said(log)).toEqual([
      'assistant: [CONVERSATION SUMMARY]\n\nwhat happened',
      'user: Second',
      'user: Third',
      'user: Fourth',
    ])
    expect(log.working()[0]).toMatchObject({ type: 'SYSTEM_PROMPT', data: 'be brief' })
    expect(model.requests[0]?.model).toBe('test-model')
    expect(model.requests[0]?.messages).toHaveLength(9)
  })

  it('asks the model of the caller, else the default one, without tools, and hands the signal on [LOG-50]', async () => {
    const log = new TestLog()
    log.append([user('one'), ...answer('1')])
    const provider = scripted('S')
    const { signal } = new AbortController()
    const { context, eventAt, threadId } = log
    for (const asked of [{ model: 'm1', signal }, {}])
      await aiSummarize.propose({
        ...{ context, eventAt, trigger: 'command' },
        run: { threadId, provider, ...asked },
      })
    const [first, second] = provider.requests
    expect(first).toMatchObject({ model: 'm1', messages: [{ role: 'user' }, {}, { role: 'user' }] })
    expect(first?.signal).toBe(signal)
    expect(first?.within?.tools ?? []).toEqual([])
    expect(second).toMatchObject({ model: 'default' })
    expect(second?.signal).toBeUndefined()
  })

  it('rejects without a provider, even on an empty thread', async () => {
    await expect(propose(aiSummarize, new TestLog())).rejects.toThrow(
      'AI summarization requires a provider',
    )
  })

  it('leaves an open tool round alone', async () => {
    const log = new TestLog()
    log.append([user('go'), ...answer('reading', 'a')])
    expect(log.compact(await propose(aiSummarize, log, scripted('S')))).toBeUndefined()
    expect(said(log).at(-1)).toBe('assistant: reading + tool_call')
  })
})

describe('summarize', () => {
  it('keeps the last two events, extended back to a seam', async () => {
    const log = new TestLog()
    log.append([user('one'), ...answer('1'), user('two'), ...answer('reading', 'a')])
    log.append([result('a', 'x')])
    expect(log.compact(await propose(summarize, log, scripted('S')))).toBeUndefined()
    expect(said(log)).toEqual([
      'user: 📝 Summary of previous conversation:\n\nS',
      'assistant: reading + tool_call',
      'user: tool_result',
    ])
  })

  it('summarises all of a short conversation', async () => {
    const log = new TestLog()
    log.append([user('one'), ...answer('1'), user('two')])
    expect(log.compact(await propose(summarize, log, scripted('S')))).toBeUndefined()
    expect(said(log)).toEqual(['user: 📝 Summary of previous conversation:\n\nS'])
  })

  it('asks nobody about an empty thread, and needs somebody to ask about any other', async () => {
    const model = scripted('S')
    expect(await propose(summarize, new TestLog(), model)).toEqual({ edits: [] })
    expect(await propose(wholeSummaryByModel, new TestLog(), model)).toEqual({ edits: [] })
    expect(model.requests).toEqual([])
    await expect(propose(summarize, new TestLog())).rejects.toThrow(
      'requires an Agent instance or AI provider',
    )
  })
})

describe('whole-summary', () => {
  it('asks nobody about what was deleted', async () => {
    const log = new TestLog()
    log.append([user('one'), ...answer('two')])
    expect(
      log.compact({
        edits: [{ covers: runsOf(log.context.items.toArray(), log.eventAt), put: [] }],
      }),
    ).toBeUndefined()
    const model = scripted('what happened')
    expect(await propose(wholeSummaryByModel, log, model)).toEqual({ edits: [] })
    expect(model.requests).toEqual([])
  })
})

describe.each([summarize, aiSummarize])('$id', (strategy) => {
  const BROKEN: [text: string, stopReason: StopReason][] = [
    ['', 'end'],
    ['  \n', 'end'],
    ['half of it', 'length'],
    ['I cannot help with that', 'refusal'],
    ['', 'error'],
    ['', 'tool_use'],
  ]
  it.each(BROKEN)('rejects the answer %j that ended with %s', async (text, stopReason) => {
    const log = new TestLog()
    log.append([user('one'), ...answer('1'), user('two'), ...answer('2')])
    const before = log.items
    await expect(propose(strategy, log, scripted(text, stopReason))).rejects.toMatchObject({
      code: 'model-failed',
    })
    expect(log.items).toEqual(before)
  })
})
