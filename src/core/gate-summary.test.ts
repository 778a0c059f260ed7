// The gate for summaries: what a model wrote is judged before it may replace anything.
import { describe, expect, it } from 'vitest'
import { checkSummary } from './gate-summary.ts'
import type { Proposal, WrittenSummary } from './strategy.ts'

function reasonOf(proposal: Omit<Proposal, 'edits'>): string | undefined {
  return checkSummary({ edits: [], ...proposal }, [])?.reason
}

function written(text: string, sections?: readonly string[]): { written: WrittenSummary[] } {
  return { written: [{ text, ...(sections && { sections }) }] }
}

describe('checkSummary', () => {
  it.each([
    ['end', undefined],
    ['length', 'summary-cut-off'],
    ['refusal', 'summary-refused'],
    ['error', 'summary-failed'],
    ['aborted', 'summary-failed'],
    ['tool_use', 'summary-failed'],
  ] as const)(
    'judges an answer that ended with %s: %s [ALWAYS-02, NEED-14]',
    (stopReason, reason) => {
      expect(reasonOf({ stopReason })).toBe(reason)
    },
  )

  it.each(['', ' \n\t'])('refuses %j as empty [ALWAYS-02]', (text) => {
    expect(reasonOf(written(text))).toBe('summary-empty')
  })

  it.each([
    "I'm sorry, but I can't help with that.",
    'I am sorry. I cannot assist with this request.',
    'Unfortunately, I am unable to provide a summary of this conversation.',
    'I cannot comply.',
    'As an AI language model, I cannot complete this.',
    "I don't see any conversation to summarize.",
    'There is no conversation history to summarise.',
    'Please provide the conversation you would like me to summarise.',
    'I won’t continue with this.',
  ])('takes %j for a refusal [ALWAYS-02, NEED-14]', (text) => {
    expect(reasonOf(written(text))).toBe('summary-refused')
  })

  it.each([
    'The user wants to log in; I am sorry to say that the test still fails.',
    'S',
    '## Goal\nI cannot help with that is the error text to be changed.',
    `I can't reproduce it on this machine. ${'What was tried, step by step. '.repeat(40)}`,
    'I am unable to open port 80; the user asked to use 8080.',
    'No conversation id is stored; use the thread id.',
  ])('takes %j for a summary', (text) => {
    expect(reasonOf(written(text))).toBeUndefined()
  })

  it('wants the sections that were asked for, however they are marked', () => {
    const sections = ['Goal', 'Constraints & Preferences', 'Next Steps']
    const forms = [
      '## Goal\nx\n## Constraints & Preferences\nx\n## Next Steps\nx',
      '**Goal**\nx\n**Constraints and Preferences:** x\n3. Next steps: x',
      '# GOAL #\n\n### 2. Constraints & Preferences\n* Next Steps:',
    ]
    for (const text of forms) expect(reasonOf(written(text, sections))).toBeUndefined()
    expect(checkSummary({ edits: [], ...written('## Goal\nall of it', sections) }, [])).toEqual({
      reason: 'summary-incomplete',
      message: 'The summary lacks what was asked for: Constraints & Preferences, Next Steps.',
    })
  })
})
