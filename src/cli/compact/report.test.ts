// The report: what stands in it when little, nothing or the wrong way changed, and what to do next.
import { describe, expect, it } from 'vitest'
import { type CommandReport, renderCompactReport } from './report.ts'

const plain = (text: string) => text
const style = { bold: plain, dim: plain, good: plain }

function split(total: number): CommandReport['before'] {
  const none = {
    system: 0,
    user: 0,
    assistant: 0,
    toolCalls: 0,
    thinking: 0,
    images: 0,
    summaries: 0,
  }
  return { total, ...none, toolResults: [{ tool: 'read', tokens: total }] }
}

const REPORT: CommandReport = {
  input: { kind: 'file', source: 'a b.jsonl', format: 'claude-code' },
  strategy: { id: 'trim-tool-results', origin: 'default' },
  counter: 'estimate',
  before: split(1_000),
  after: split(250),
  messages: { before: 2, after: 2 },
  drops: [{ why: 'trim-tool-results', entries: 1, tokens: 750 }],
  largest: [
    { ref: 'e4', what: 'read \u001b[31mx', why: 'trim-tool-results', before: 1_000, after: 250 },
  ],
  pins: { entries: [], texts: 0, tokens: 0 },
  refs: { count: 0, first: [] },
  settings: {},
  constraints: [],
  costs: {},
  problems: [],
  models: [],
  result: { written: null, inPlace: false },
}

function lines(
  report: Partial<CommandReport>,
  options: readonly string[] = [],
  canReplace = true,
): string {
  const again = { program: 'precis', options, canReplace }
  return renderCompactReport({ ...REPORT, ...report }, style, 80, again)
}

describe('the report', () => {
  it('shows before, after and the share that is gone', () => {
    expect(lines({})).toMatch(/total +1,000 +250 {3}−75 %/)
    expect(lines({})).toMatch(/−750 {2}e4 +read +\[31mx +1,000 → 250/)
  })

  it('quotes what a shell would split, and repeats what was asked', () => {
    expect(lines({})).toContain("precis compact 'a b.jsonl' --out compacted.jsonl")
    expect(lines({}, ['--pin', 'keep it'])).toContain("'a b.jsonl' --pin 'keep it' --in-place")
  })

  const programs = ['precis', 'npx precis']
  it.each(programs)('has no step wider than the terminal, and none that is cut: %s', (program) => {
    const result = { written: null, inPlace: false, proposal: 'prp_0mwi6hkx5000019ed60cf1f9391f3' }
    const options = ['--pin', "it's kept, however long", '--strategy', 'trim-tool-results']
    for (const report of [{}, { result }]) {
      const again = { program, options, canReplace: true }
      const text = renderCompactReport({ ...REPORT, ...report }, style, 80, again)
      const steps = text.slice(text.search(/Next:|kept:/)).split('\n')
      expect(steps.length).toBeGreaterThan(2)
      for (const line of steps) expect(line.length, line).toBeLessThanOrEqual(80)
      // A shell takes lines that end so as one.
      const typed = text.replaceAll(/ \\\n +/g, ' ')
      expect(typed).toContain(
        report.result
          ? `${program} compact --apply ${result.proposal} --in-place`
          : `${program} compact 'a b.jsonl' --pin 'it'\\''s kept, however long' --strategy trim-tool-results --in-place`,
      )
    }
  })

  it('has the steps side by side where there is room', () => {
    const again = { program: 'precis', options: [], canReplace: true }
    const wide = renderCompactReport(REPORT, style, 100, again)
    expect(wide).toMatch(/precis compact 'a b\.jsonl' --in-place +replace the file/)
  })

  it('says in whose tokens it tells what went, where that is not the counter', () => {
    expect(lines({ counter: 'o200k' })).toContain('Removed, with the reason, in estimated tokens:')
    expect(lines({})).toContain('Removed, with the reason:')
  })

  it('names no step that would be refused, and no second budget', () => {
    expect(lines({}, [], false)).not.toContain('--in-place')
    const large = { before: split(9_000), after: split(2_000) }
    expect(lines(large)).toContain('--budget 50%')
    expect(lines(large, ['--budget', '20%'])).not.toContain('50%')
    // Of little, what has to stay is more than half: the step would fail.
    expect(lines({ drops: [], largest: [] })).not.toContain('--budget')
    expect(lines({ drops: [], largest: [] })).not.toMatch(/--in-place|--out/)
    const result = { written: null, inPlace: false, proposal: 'prp_1' }
    expect(lines({ result }, [], false)).not.toContain('--in-place')
    expect(lines({ result }, [], false)).toContain('--apply prp_1 --out FILE')
  })

  it('says in words what was kept as it was', () => {
    const held = (texts: number, entries: number) =>
      lines({ pins: { texts, entries: Array.from({ length: entries }, () => 'e1'), tokens: 9 } })
    expect(held(12, 0)).toContain('word for word: 12 sentences that bind or are pinned.')
    expect(held(1, 2)).toContain(
      'word for word: 1 sentence that binds or is pinned and 2 whole entries.',
    )
    expect(held(0, 1)).toContain('word for word: 1 whole entry.')
  })

  it('says why a file grows in which old records stay', () => {
    const result = { written: 'out.jsonl', inPlace: false, oldRecords: 812 }
    const grown = lines({ result })
    expect(grown).toContain('its 812 old records stay in it')
    expect(grown).toContain('The agent reads only that: 250 tokens.')
    expect(lines({ result: { written: 'out.jsonl', inPlace: false } })).not.toContain('larger')
  })

  it('is honest about what grew', () => {
    const grown = lines({ before: split(100), after: split(104) })
    expect(grown).toContain('+4 %')
  })

  it('says when nothing changed, and divides nothing by nothing', () => {
    const empty = lines({ before: split(0), after: split(0), drops: [], largest: [] })
    expect(empty).toContain('Nothing changed')
    expect(empty).toContain('0 %')
    expect(empty).not.toContain('NaN')
  })

  it('names the models that were asked, who says how much fits, and what they were not told', () => {
    const window = { tokens: 32_768, from: 'default' } as const
    const text = lines({
      models: [
        { ref: 'ollama/m', window, redacted: [{ kind: 'aws-key', count: 2 }] },
        { ref: 'openai/n', window: { tokens: 200_000, from: 'server' }, redacted: [] },
      ],
    })
    expect(text).toContain('Asked ollama/m: window 32,768 tokens (a default; set it')
    expect(text).toContain('removed from the request: 2 aws-key.')
    expect(text).toContain('Asked openai/n: window 200,000 tokens (as its server says).')
  })

  it('says what it saves and costs in money [NEED-16]', () => {
    const request = { model: 'anthropic/x', beforeUsd: 0.5, afterUsd: 0.0042 }
    const text = lines({ costs: { request, summaryUsd: 0.03 } })
    expect(text).toContain('A request costs $0.50 before and $0.0042 after (anthropic/x')
    expect(text).toContain('Finding the summary cost $0.03.')
  })

  it('says what was taken out, where that was asked for', () => {
    expect(lines({ redacted: [{ kind: 'password', count: 1 }] })).toContain(
      'Taken out of the result: 1 password.',
    )
    expect(lines({ redacted: [] })).toContain('Nothing in the result looked like a secret.')
    expect(lines({})).not.toContain('secret')
  })

  it('shows the first remarks and constraints, and counts the others', () => {
    const some = Array.from({ length: 8 }, (_, n) => `thing ${n}`)
    expect(lines({ problems: some })).toContain('8 remarks on the input and the output:')
    expect(lines({ constraints: some })).toContain('“thing 0”')
    expect(lines({ constraints: some })).toContain('and 3 more')
  })

  const results: readonly (readonly [string, Partial<CommandReport>, RegExp])[] = [
    ['a file', { result: { written: 'out.jsonl', inPlace: false } }, /Written to out\.jsonl\./],
    ['the file itself', { result: { written: 'x', inPlace: true } }, /precis undo 'a b\.jsonl'/],
    [
      'a proposal',
      { result: { written: null, inPlace: false, proposal: 'prp_1' } },
      /--apply prp_1 --in-place/,
    ],
    [
      'a thread',
      {
        input: { kind: 'thread', source: 'thr_1', format: null },
        result: { written: null, inPlace: false, threadId: 'thr_1' },
      },
      /precis undo thr_1/,
    ],
  ]
  it.each(results)('says what to do next: %s', (_, report, expected) => {
    expect(lines(report)).toMatch(expected)
    expect(lines(report)).not.toContain('Nothing was written')
  })

  it('says no more where the result is on standard output', () => {
    expect(lines({ result: { written: '-', inPlace: false } })).not.toMatch(/Written|Next/)
  })
})
