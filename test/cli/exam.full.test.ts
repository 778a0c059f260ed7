// `precis exam`: the same questions to several contexts, answered without a model, by the stand-in, and through files.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ExamReport, renderExam } from '../../src/cli/exam/exam-report.ts'
import { KINDS } from '../../src/cli/exam/questions.ts'
import {
  answersIn,
  markAnswer,
  marksIn,
  modelSitter,
  questionsIn,
  requireAnswers,
} from '../../src/cli/exam/sit-exam.ts'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()
const SESSION = sample('session.jsonl')

function exam(...args: string[]): Promise<ExamReport> {
  return place().json<ExamReport>(['exam', SESSION, ...args])
}

const NOTHING = { kind: 'goal', text: '', expected: ['nothing of this kind was asked'] } as const

function files(): string[] {
  return readdirSync(join(place().folder, 'sat')).sort()
}

/** Writes an answer to every prompt of a kind that waits. */
function answer({ waiting }: ExamReport, kind: string, write: (file: string) => string): number {
  const wanted = waiting.filter((file) => file.includes(`${kind}-`))
  for (const file of wanted) writeFileSync(file.replace(/\.md$/, '.answer.md'), write(file))
  return wanted.length
}

describe('precis exam', () => {
  it('prints marks by strategy and kind, and what the figures do not show', async () => {
    const { status, stdout, stderr } = await place().precis(['exam', SESSION])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/\d+ questions by template, answered by lookup; contexts of at most/)
    expect(stdout).toMatch(/strategy +tokens +goal \(4\) .* constraint \(\d\) .* all\n/)
    for (const id of ['extract', 'cascade', 'drop-turns'])
      expect(stdout).toMatch(new RegExp(`${id} +[\\d,]+( +[01]\\.\\d\\d){7}\n`))
    expect(stdout).toContain('What the figures do not show')
    expect(stdout).toContain('No model was asked')
    expect(place().left()).toEqual([])
  })

  it('asks only for what the whole session says, and a smaller context says less', async () => {
    const whole = await exam('--strategies', 'extract', '--budget', '100%')
    const wrong = whole.questions.filter((_, at) => whole.arms[0]?.marks?.[at] !== 1)
    expect(wrong).toEqual([])
    const small = await exam('--strategies', 'extract', '--budget', '2%')
    const sum = (marks: readonly number[] = []) => marks.reduce((all, mark) => all + mark, 0)
    expect(sum(small.arms[0]?.marks)).toBeLessThan(whole.questions.length * 0.9)
    expect(small.arms[0]?.tokens).toBeLessThanOrEqual(small.budgetTokens)
    expect(small.questions).toEqual(whole.questions)
  })

  it('gives full marks to a reader who quotes what is asked for, and asks for no thanks', async () => {
    const { questions } = await exam('--strategies', 'extract')
    const first =
      'We have a double booking in quay. In the night to 24 October two boats were given berth C2: Umi 海 was still lying there when Dunlin came in at half past midnight.'
    const said = questions.map(({ text }) => text)
    const at = (words: string) => questions.find(({ text }) => text.includes(words))
    expect(markAnswer(at("the user's first message") ?? NOTHING, first)).toBe(1)
    expect(at("the user's last request")?.expected).toContain('commits')
    expect(at('command ran last')?.expected.join(' ')).not.toContain('import')
    for (const text of said) expect(text).not.toMatch(/« /)
  })

  it('runs with the stand-in, and says that it is one', async () => {
    const told = await exam('--model', 'dev', '--strategies', 'brief,extract')
    for (const { marks } of told.arms) expect(Math.max(...(marks ?? []))).toBeGreaterThan(0)
    const { stdout } = await place().precis(['exam', SESSION, '--model', 'dev'])
    expect(stdout).toContain('dev is a stand-in')
  })

  it('tells which strategy could not take part', async () => {
    const { arms } = await exam('--strategies', 'extract,summarize')
    expect(arms[0]?.marks).toBeDefined()
    expect(arms[1]).toEqual({ id: 'summarize', failed: expect.stringContaining('needs a model') })
  })

  it("says so where a model's part was left out", async () => {
    const args = ['--files', 'sat', '--strategies', 'brief']
    const first = await exam(...args)
    expect(answer(first, 'summary-1', () => 'I cannot help with that.')).toBe(1)
    const { arms } = await exam(...args)
    expect(arms[0]?.notes?.[0]).toMatch(/^Fell back because the model's part is left out: /)
    const { stdout } = await place().precis(['exam', SESSION, ...args])
    expect(stdout).toContain("  brief: Fell back because the model's part is left out: ")
  })

  it('writes every prompt to a file, and goes on where answers are', async () => {
    const args = ['--questions', 'model', '--files', 'sat', '--strategies', 'extract,summarize']
    const first = await exam(...args)
    expect(first.waiting).toHaveLength(2)
    expect(files()).toHaveLength(2)
    for (const file of first.waiting) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(first.arms.every(({ marks }) => marks === undefined)).toBe(true)
    const said = 'goal | What is wanted? | no double booking\nexact | Which berth? | C2\nnoise'
    expect(answer(first, 'questions', () => said)).toBe(1)
    const headings =
      'Primary request and intent\nCurrent status\nKey technical context\nCode changes'
    const summary = headings.replace(/^/gm, '## ').replace(/$/gm, '\nThe berth C2 was taken.')
    expect(answer(first, 'summary-2', () => summary)).toBe(1)
    const second = await exam(...args)
    expect(second.questions).toMatchObject([{ kind: 'goal' }, { kind: 'exact' }])
    expect(answer(second, 'answers-1', () => '1: no double booking\n2: B7')).toBe(1)
    expect(answer(second, 'answers-2', () => '1: ?\n2: C2')).toBe(1)
    const third = await exam(...args)
    expect(answer(third, 'marks-1', () => '1: 1\n2: 0')).toBe(1)
    expect(answer(third, 'marks-2', () => '1: 0\n2: 0.5')).toBe(1)
    const last = await exam(...args)
    expect(last.waiting).toEqual([])
    expect(last.arms.map(({ marks }) => marks)).toEqual([
      [1, 0],
      [0, 0.5],
    ])
    expect(files()).toHaveLength(12)
  })

  it('names in the table what waits, and how to go on', async () => {
    const { status, stdout } = await place().precis(['exam', SESSION, '--files', 'sat'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/extract +[\d,]+ {2}waits for answers/)
    expect(stdout).toMatch(/brief +waits for a summary/)
    expect(stdout.replace(/\n/g, ' ')).toContain(
      'with .answer.md in place of .md, and run the same command again',
    )
  })

  it.each([
    [['--strategies', 'extract,sumarize'], 'Unknown compaction strategy: "sumarize"'],
    [['--strategies', ''], 'Unknown compaction strategy: ""'],
    [['--budget', 'much'], 'is not a valid budget'],
    [['--questions', 'me'], '--questions: "me" is not known'],
    [['--questions', 'model'], '--questions model needs a model or files'],
    [['--model', 'dev', '--files', 'sat'], '--model and --files exclude each other'],
    [['--files', ''], '--files names no directory'],
    [['--files', 'taken'], 'taken cannot be written to'],
    [['--what'], "unknown option '--what'"],
  ])('refuses %s', async (args, message) => {
    place().write('taken', 'a file')
    const { status, stdout, stderr } = await place().precis(['exam', SESSION, ...args])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('fails where no strategy could take part', async () => {
    const args = ['exam', SESSION, '--strategies', 'summarize,brief']
    const { status, stdout, stderr } = await place().precis(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('needs a model')
  })

  it('refuses a session in which nothing was said', async () => {
    place().write('empty.json', JSON.stringify({ messages: [] }))
    const { status, stderr } = await place().precis(['exam', 'empty.json'])
    expect(status).toBe(1)
    expect(stderr).not.toBe('')
  })

  it('writes no secret into a prompt', async () => {
    const key = `sk-ant-api03-${'Ab3dEf9hIj'.repeat(9)}-AAAAAAAA`
    const said = [
      { role: 'user', content: `Use the key ${key} for config.ts, please.` },
      { role: 'assistant', content: `I wrote it to config.ts. ${'And so on. '.repeat(400)}` },
      { role: 'user', content: 'Thanks.' },
    ]
    place().write('in.json', JSON.stringify({ messages: said }))
    mkdirSync(join(place().folder, 'sat'))
    await place().precis(['exam', 'in.json', '--files', 'sat', '--strategies', 'extract'])
    expect(files().length).toBeGreaterThan(0)
    for (const file of files()) expect(place().read(join('sat', file))).not.toContain(key)
  })
})

it.each([40, 60, 80, 100, 200])('a table fits into %i columns', (columns) => {
  const questions = KINDS.map((kind) => ({ kind, text: 'Why?', expected: ['x'] }))
  const marks = KINDS.map(() => 1)
  const report: ExamReport = {
    input: 'x',
    beforeTokens: 9_000,
    budgetTokens: 5_000,
    questionsBy: 'template',
    answeredBy: 'files',
    isStandIn: false,
    questions,
    arms: [
      { id: 'trim-tool-results', tokens: 1_000_000, marks },
      { id: 'brief', failed: 'No '.repeat(90) },
      { id: 'extract', tokens: 3 },
      { id: 'summarize' },
    ],
    waiting: [],
  }
  const plain = (text: string) => text
  const text = renderExam(report, { bold: plain, dim: plain, good: plain }, columns)
  const table = text.slice(text.indexOf('  strategy'), text.indexOf('  * larger')).split('\n')
  expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(columns)
  expect(table.join('').split('1.00').length - 1).toBe(KINDS.length + 1)
  for (const kind of KINDS) expect(text).toContain(`${kind} (1)`)
})

describe('answers', () => {
  const question = { kind: 'exact', text: 'Where?', expected: ['src/net.ts', '4321'] } as const

  it('are read by number, over several lines, and marked by what they say', () => {
    const text = 'Here you are:\n1: `src/net.ts`\nport 4321\n**2**. none\n9: too many'
    expect(answersIn(text, 2)).toEqual(['`src/net.ts`\nport 4321', 'none'])
    expect(markAnswer(question, '`SRC/net.ts`')).toBe(0.5)
    expect(markAnswer(question, '"src/net.ts" and 4321')).toBe(1)
    expect(markAnswer(question, '?')).toBe(0)
  })

  it.each([
    [
      '1: files:\n1. a.ts\n2. b.ts\n3. c.ts\n2: main',
      ['files:\n1. a.ts\n2. b.ts\n3. c.ts', 'main'],
    ],
    ['1. files:\n   1. a.ts\n   2. b.ts\n2. main', ['files:\n   1. a.ts\n   2. b.ts', 'main']],
    ['- 1: a\n**2:** b', ['a', 'b']],
    ['Q1: a\n**Question 2**: b', ['a', 'b']],
    ['2: b', ['', 'b']],
  ])('keep their lists: %j', (text, expected) => {
    expect(answersIn(text, 2)).toEqual(expected)
  })

  it('that have no numbers are refused', () => {
    expect(() => requireAnswers(answersIn('I cannot answer that.', 2))).toThrow('cannot be read')
  })

  it.each([
    '| # | mark |\n|---|---|\n| 1 | 1 |\n| 2 | 0.5 |',
    'There are 2 answers.\n- 1: 1\n- 2: 0.5',
    '**1:** 1\n**2**: .5',
    '1: **1**\n2: Mark 0.5',
    'Q1: 1\nQuestion 2: 0,5 (a part of it)',
    '1. 1/1\n2) 1/2',
    '### 1:\nMark: 1.0\n### 2:\nMark: 0.5\n\nTotal: 1.5',
    '1: 0\n2: 0\nOn reflection:\n1: 1\n2: 0.5',
  ])('have marks in many forms: %j', (text) => {
    expect(marksIn(text, 2)).toEqual([1, 0.5])
  })

  it.each([
    ['1: 0.5\n2: 7\n3: good', '2, 3'],
    ['1: 1\n3: 1', '2'],
    ['', '1, 2, 3'],
  ])('without a mark are named: %j', (text, missing) => {
    expect(() => marksIn(text, 3)).toThrow(`No mark can be read for question ${missing}.`)
  })

  it('that a model did not finish do not count', async () => {
    const ask = async () => ({ text: '1: a', stopReason: 'length' }) as const
    await expect(modelSitter({ ask }, 'm')('answers-1', 'Why?')).rejects.toThrow('did not finish')
  })

  it('need questions in the form that was asked for', () => {
    expect(questionsIn('- **Goal** | Why? | a | b\nmood | Why? | x')).toEqual([
      { kind: 'goal', text: 'Why?', expected: ['a | b'] },
    ])
    expect(() => questionsIn('I cannot do that.')).toThrow('wrote no questions')
  })
})
