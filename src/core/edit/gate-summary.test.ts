// The gate for summaries: what a model wrote is judged before it may replace anything.
import { describe, expect, it } from 'vitest'
import { isExcuse } from './excuse.ts'
import { checkSummary, missingSections } from './gate-summary.ts'
import type { Proposal, WrittenSummary } from './strategy.ts'

function readReason(proposal: Omit<Proposal, 'edits'>): string | undefined {
  return checkSummary({ edits: [], ...proposal }, [], isExcuse)?.reason
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
      expect(readReason({ stopReason })).toBe(reason)
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
    expect(readReason(written(text))).toBe('summary-empty')
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
    'The request goes against the usage guidelines.',
    "I can't help with this kind of content.",
    "I'm unable to assist with that specific request.",
    'I apologize, but as an AI language model I am not able to access the previous conversation. Could you please provide the text that you would like me to summarize?',
    'I cannot proceed with this conversation.',
    'I cannot provide that information.',
    'I decline this request.',
    'Please provide the conversation you want summarised as a .txt file.',
    "I can't help with that because it may be harmful.",
    'None of the conversation was provided.',
    'No conversation history to summarize.',
    "I won't do that.",
    "I\u200b'm sorry.",
    "I won't be able to help with that.",
    'I cannot in good conscience help with this.',
    "This conversation violates OpenAI's usage policies.",
    'The content goes against my guidelines and I will not continue.',
    "There's no conversation to summarize.",
    'It looks like there is no conversation to summarize yet.',
    'It seems the conversation is empty.',
    "You haven't provided any conversation.",
    'I need the conversation in order to summarize it.',
    'There is nothing to summarize.',
    "I can't discuss that.",
    "I'm just an AI and I cannot do that.",
    'Hello! How can I help you today?',
    'Sure, I can help with that!',
    "Understood. I'm ready to summarize once you send the conversation.",
  ])('takes %j for a refusal [ALWAYS-02, NEED-14]', (text) => {
    expect(readReason(written(text))).toBe('summary-refused')
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
    'I cannot proceed with this migration: the database is locked by pid 4711.',
    'No messages yet in the queue; the worker is idle. Retries go into src/queue.ts.',
    'No chat history is available since localStorage is cleared in src/auth.ts:41.',
    'No prior conversation. The user asked for a parser in src/parse.ts; the lexer is done.',
    'I do not have the transcript; the user will put it at /data/talks/one. Goal: subtitles.',
    'The content violates the CSP policy: script-src lacks a nonce.',
    'The request violates the content policy of the bucket; the user wants it changed.',
    'The text violates our style guidelines in three places.',
    "I'm unable to help with this bug until the logs arrive; the user sends them.",
    "Unfortunately I can't provide this file: it has 3 GB. The user will copy it.",
    'There is nothing to summarise in the table yet; the user wants a total row.',
    'Hi-res images are done; the user wants thumbnails next.',
    'It seems the test is flaky; the user wants it retried thrice.',
    'I need the messages table to summarise sales; the user sends sales.csv.',
    'I can help with that once the disk is free: the user deletes old logs.',
    'The conversation is empty on load: a bug in the store; the user wants it fixed.',
    'I decline this PR because it lacks tests; the user will add them.',
    'ok',
    '7',
    '完成',
  ])('takes %j for a summary', (text) => {
    expect(readReason(written(text))).toBeUndefined()
  })

  it('wants the sections that were asked for, however they are marked', () => {
    const sections = ['Goal', 'Constraints & Preferences', 'Next Steps']
    const forms = [
      '## Goal\nx\n## Constraints & Preferences\nx\n## Next Steps\nx',
      '**Goal**\nx\n**Constraints and Preferences:** x\n3. Next steps: x',
      '# GOAL #\n\n### 2. Constraints & Preferences\n* Next Steps: x',
    ]
    for (const text of forms) expect(readReason(written(text, sections))).toBeUndefined()
    expect(
      checkSummary({ edits: [], ...written('## Goal\nall of it', sections) }, [], isExcuse),
    ).toEqual({
      reason: 'summary-incomplete',
      message: 'The summary lacks required sections: Constraints & Preferences, Next Steps.',
    })
  })
  it.each([
    ['## Goal\n## Next Steps', 'summary-empty'],
    ['Goal:\nNext Steps:', 'summary-incomplete'],
    ['**Goal**\n-\n**Next Steps**\n\u200b', 'summary-incomplete'],
    ['## Goal\n\n## Next Steps\nx', undefined],
    ['Goal: x\nNext Steps:', undefined],
    ['## Goal\nnone\n## Next Steps\n(None.)', 'summary-incomplete'],
    ['Goal: none\nNext Steps: N/A', 'summary-incomplete'],
    ['Goal: none\nNext Steps: none but the port', undefined],
  ])('wants something said under one of the sections: %j is %s', (text, reason) => {
    expect(readReason(written(text, ['Goal', 'Next Steps']))).toBe(reason)
  })

  const EIGHT = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight']
  const headed = (titles: readonly string[], mark: (title: string, at: number) => string) =>
    titles.map((title, at) => `${mark(title, at)}\nsomething`).join('\n')
  const MARKS: readonly (readonly [string, (title: string, at: number) => string])[] = [
    ['level 1', (title) => `# ${title}`],
    ['level 4', (title) => `#### ${title} ####`],
    ['bold', (title) => `**${title}**`],
    ['bold with a colon', (title) => `__${title}:__`],
    ['numbered', (title, at) => `${at + 1}. ${title}:`],
    ['numbered and bold', (title, at) => `${at + 1}) **${title}**`],
    ['in capitals', (title) => `## ${title.toUpperCase()}`],
    ['bold before what it says', (title) => `**${title}:** something`],
    ['bold with a dash', (title) => `**${title}** — something`],
    ['on a line with a colon', (title) => `${title}:`],
    ['underlined', (title) => `${title}\n-----`],
    ['in brackets', (title) => `【${title}】`],
  ]
  /** Known by their names, and by nothing else. */
  const NAMED: typeof MARKS = [
    ['behind a dot', (title) => `• ${title}: something`],
    ['behind a number in brackets', (title, at) => `(${at + 1}) ${title}`],
    ['behind a letter', (title, at) => `${'abcdefgh'[at]}) ${title}`],
    ['behind a sign', (title) => `🎯 ${title}`],
    ['in square brackets', (title) => `[${title}]`],
    ['quoted', (title) => `> ## ${title}\n>`],
    ['in a table', (title) => `| ${title} | something |`],
    ['before a wide colon', (title) => `${title}：something`],
    ['in the plural', (title) => `${title}s:`],
  ]
  it.each(NAMED)('knows sections by their names %s', (_, mark) => {
    expect(missingSections(headed(EIGHT, mark), EIGHT)).toEqual([])
    expect(missingSections(headed(EIGHT.slice(2), mark), EIGHT)).toEqual(['One', 'Two'])
  })

  it.each(MARKS)('wants half of eight sections, %s; fewer are refused', (_, mark) => {
    const reason = (titles: readonly string[]) =>
      readReason({ written: [{ text: headed(titles, mark), sections: EIGHT, fewestSections: 4 }] })
    expect(reason(EIGHT)).toBeUndefined()
    expect(reason(EIGHT.slice(4))).toBeUndefined()
    expect(reason(EIGHT.slice(5))).toBe('summary-incomplete')
    expect(reason(['Summary'])).toBe('summary-incomplete')
  })

  const TRANSLATED = [
    ['Ziel', 'Vorgaben', 'Nächste Schritte'],
    ['目标', '限制', '下一步'],
    ['Цель', 'Ограничения', 'Дальше'],
  ]
  it.each(TRANSLATED)(
    'takes headings in another language, where there are as many: %s',
    (...of) => {
      const asked = ['Goal', 'Constraints', 'Next Steps']
      for (const [, mark] of MARKS) {
        expect(missingSections(headed(of, mark), asked)).toEqual([])
        expect(readReason(written(headed(of, mark), asked))).toBeUndefined()
        expect(readReason(written(headed(of.slice(1), mark), asked))).toBe('summary-incomplete')
      }
    },
  )

  const NUMBERED = [
    ['1. 目標', '2. 制約', '3. 次の手順'],
    ['一、目标', '二、限制', '三、下一步'],
    ['目標：パーサー', '制約：なし', '次の手順：日付'],
  ]
  it.each(NUMBERED)('takes them as they are numbered and set apart there: %s', (...of) => {
    const text = of.join('\n何か\n')
    expect(missingSections(text, ['Goal', 'Constraints', 'Next Steps'])).toEqual([])
    expect(missingSections(text, ['Goal', 'Constraints', 'Next', 'Steps'])).toHaveLength(4)
  })

  it('says which sections are missing, and none of a sentence for a heading', () => {
    expect(
      missingSections('## Goal\nx\nThe next steps are clear: none.', ['Goal', 'Next']),
    ).toEqual(['Next'])
    const sentences = Array.from({ length: 9 }, (_, at) => `Sentence ${at}: it works.`).join('\n')
    expect(missingSections(sentences, ['Goal', 'Next'])).toEqual(['Goal', 'Next'])
  })
})
