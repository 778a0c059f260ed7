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

  it.each([
    '',
    ' \n\t',
    '\u200b',
    '\u00a0\u200b\ufeff\u0000\u3164',
    '...',
    '-',
    '---\n***',
    '```\n```',
    '```markdown\n```',
    '<summary>\n</summary>',
    '## Summary',
  ])('refuses %j as empty [ALWAYS-02]', (text) => {
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
    'I’m afraid I can’t help with that.',
    "I'm sorry, I must respectfully decline.",
    "I'm not comfortable summarizing this conversation.",
    "My apologies, but I can't continue.",
    "Certainly! Please paste the conversation you'd like me to summarize.",
    "I don't have access to any conversation.",
    "## Summary\nI'm sorry, but I can't help with that.",
    "**Summary**\n\n> Sorry, I'm not able to help with this request.",
    "<summary>I can't assist with that.</summary>",
    'This content violates my usage policy, so I will not summarise it.',
    'None of the conversation was provided.',
    'No conversation history to summarize.',
    "I won't do that.",
    "I\u200b'm sorry.",
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
    "I can't help noticing that tests fail; fix this.",
    'I must decline the merge request until the tests pass.',
    "I don't have the messages table yet; the user sends it.",
    'There are no messages in the queue; the worker is idle.',
    'Please provide the text field with a label, said the user.',
    'This request violates the rate limit; wait a second between two.',
    'I cannot continue the migration before the backup is done.',
    'I cannot continue: the disk is full. Next: free some space.',
    'I couldn’t complete this, since the database is locked.',
    'I am able to help with this: the parser is fixed.',
    'ok',
    '7',
    '完成',
  ])('takes %j for a summary', (text) => {
    expect(reasonOf(written(text))).toBeUndefined()
  })

  it('wants the sections that were asked for, however they are marked', () => {
    const sections = ['Goal', 'Constraints & Preferences', 'Next Steps']
    const forms = [
      '## Goal\nx\n## Constraints & Preferences\nx\n## Next Steps\nx',
      '**Goal**\nx\n**Constraints and Preferences:** x\n3. Next steps: x',
      '# GOAL #\n\n### 2. Constraints & Preferences\n* Next Steps: x',
    ]
    for (const text of forms) expect(reasonOf(written(text, sections))).toBeUndefined()
    expect(checkSummary({ edits: [], ...written('## Goal\nall of it', sections) }, [])).toEqual({
      reason: 'summary-incomplete',
      message: 'The summary lacks what was asked for: Constraints & Preferences, Next Steps.',
    })
  })
  it.each([
    ['## Goal\n## Next Steps', 'summary-empty'],
    ['Goal:\nNext Steps:', 'summary-incomplete'],
    ['**Goal**\n-\n**Next Steps**\n\u200b', 'summary-incomplete'],
    ['## Goal\n\n## Next Steps\nx', undefined],
    ['Goal: x\nNext Steps:', undefined],
  ])('wants something said under one of the sections: %j is %s', (text, reason) => {
    expect(reasonOf(written(text, ['Goal', 'Next Steps']))).toBe(reason)
  })
})
