// The report: what stands in it when little, nothing or the wrong way changed.
import { describe, expect, it } from 'vitest'
import { type Report, renderReport } from './report.ts'

const plain = (text: string) => text
const style = { bold: plain, dim: plain, good: plain }

function side(tokens: number) {
  const none = { system: 0, user: 0, answers: 0, thinking: 0, 'tool calls': 0 }
  return { tokens, messages: 2, categories: { ...none, 'tool results': tokens } }
}

const REPORT: Report = {
  input: { source: 'a b.json', format: 'anthropic' },
  strategy: { id: 'trim-tool-results', origin: 'default' },
  counter: 'estimate',
  before: side(1_000),
  after: side(250),
  changes: { trimmed: 1 },
  drops: [{ entries: ['e4'], what: 'read \u001b[31mx', before: 1_000, after: 250 }],
  thinkingHidden: 0,
  problems: [],
  models: [],
  secrets: { found: [], removed: false },
  output: null,
  options: [],
}

function lines(report: Partial<Report>): string {
  return renderReport({ ...REPORT, ...report }, style, 80)
}

describe('the report', () => {
  it('shows before, after and the share that is gone', () => {
    expect(lines({})).toMatch(/total +1,000 +250 {3}−75 %/)
    expect(lines({})).toMatch(/−750 {2}read +\[31mx +1,000 → 250/)
  })

  it('quotes a path that a shell would split', () => {
    expect(lines({})).toContain("precis compact 'a b.json' --output compacted.json")
  })

  it('is honest about what grew', () => {
    const drops = [{ entries: ['e4' as const], what: 'x', before: 13, after: 17 }]
    const grown = lines({ before: side(100), after: side(104), drops })
    expect(grown).toContain('+4 %')
    expect(grown).toMatch(/\+4 {2}x +13 → 17/)
  })

  it('says when nothing changed, and divides nothing by nothing', () => {
    const empty = lines({ before: side(0), after: side(0), drops: [], changes: {} })
    expect(empty).toContain('Nothing changed')
    expect(empty).toContain('0 %')
    expect(empty).not.toContain('NaN')
  })

  it('names the models that were asked, who says how much fits, and what they were not told', () => {
    const window = { tokens: 32_768, from: 'default' } as const
    const models = [
      { ref: 'ollama/m', window, redacted: [{ kind: 'aws-key', count: 2 }] },
      { ref: 'openai/n', window: { tokens: 200_000, from: 'server' }, redacted: [] },
    ] as const
    const text = lines({ models })
    expect(text).toContain('Asked ollama/m: window 32,768 tokens (a default, nobody says')
    expect(text).toContain('was not told: 2 aws-key.')
    expect(text).toContain('Asked openai/n: window 200,000 tokens (as its server says).')
  })

  it('says what looks secret in the result, or that it was taken out', () => {
    const found = [{ kind: 'password', count: 1 }]
    expect(lines({ secrets: { found, removed: false } })).toContain(
      'The result holds what looks secret: 1 password. --redact takes it out.',
    )
    expect(lines({ secrets: { found, removed: true } })).toContain(
      'Taken out of the result: 1 password.',
    )
  })

  it('shows the first remarks and counts the others', () => {
    const problems = Array.from({ length: 8 }, (_, n) => `messages[${n}]: odd`)
    expect(lines({ problems })).toContain('8 remarks on the input:')
    expect(lines({ problems })).toContain('and 3 more')
  })

  it('says where the result is', () => {
    expect(lines({ output: 'out.json' })).toContain('Written to out.json.')
    expect(lines({ output: '-' })).not.toContain('Nothing was written')
  })
})
