// `precis compact` on files: every format, where the result goes, what the report says.
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CommandReport } from '../../src/cli/compact/report.ts'
import { DEFAULT_STRATEGY } from '../../src/core/settings/settings-schema.ts'
import { eachPlace, messages, ROOT, sample } from './place.ts'

const place = eachPlace()
beforeEach(() => {
  place().write('in.json', messages())
})

function report(args: readonly string[], env: Record<string, string> = {}): Promise<CommandReport> {
  return place().json<CommandReport>(['compact', ...args], { env })
}

const TRIM = ['--strategy', 'trim-tool-results']
const TRIMMED =
  'line 0 of a long result\nline 1 of a long result\nline 2 of a long result\n[results truncated to save space.]'

describe('precis compact FILE', () => {
  it('shows before and after, what went and why, and writes nothing [NEED-16]', async () => {
    const { status, stdout, stderr } = await place().precis([
      'compact',
      sample('session.json'),
      ...TRIM,
    ])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const name of [
      'system',
      'user',
      'answers',
      'thinking',
      'tool calls',
      'tool results',
      'total',
    ])
      expect(stdout).toMatch(new RegExp(`^  ${name} +[\\d,]+`, 'm'))
    expect(stdout).toContain('█')
    expect(stdout).toMatch(
      /Removed, with the reason:\n +−[\d,]+ {2}trim-tool-results [\d,]+ entries/,
    )
    expect(stdout).toMatch(/Largest drops:\n +−[\d,]+ {2}e\d+ +result of bash/)
    // The constraints that the user has set, word for word.
    expect(stdout).toContain('“Never touch the migrations folder.”')
    expect(stdout).toContain('Nothing was written.')
    expect(place().left()).toEqual([])
  })

  it('writes the result to a file for its owner, and the report to standard output', async () => {
    const { status, stdout } = await place().precis([
      'compact',
      'in.json',
      ...TRIM,
      '--output',
      'out.json',
    ])
    expect(status).toBe(0)
    expect(stdout).toContain('Written to out.json.')
    const { model, messages: written } = JSON.parse(place().read('out.json'))
    expect(model).toBe('m')
    expect(written).toHaveLength(4)
    expect(written[2].content[0].content).toBe(TRIMMED)
    expect(statSync(join(place().folder, 'out.json')).mode & 0o777).toBe(0o600)
    expect(place().left()).toEqual(['out.json'])
  })

  it('works as a filter', async () => {
    const input = place().read('in.json')
    const { status, stdout, stderr } = await place().precis(
      ['compact', '-', ...TRIM, '--out', '-'],
      {
        input,
      },
    )
    expect(status).toBe(0)
    expect(JSON.parse(stdout).messages).toHaveLength(4)
    expect(stderr).toContain('trim-tool-results 1 entry')
    const again = await place().precis(['compact', '--input', '-', ...TRIM, '--out', '-'], {
      input: stdout,
    })
    expect(again.stdout).toBe(stdout)
  })

  const WRITERS = [
    ['compact', 'in.json', '--out', 'old.json'],
    ['compact', 'in.json', '--output', 'old.json'],
    ['export', 'in.json', '--to', 'openai-chat', '--out', 'old.json'],
    ['check', 'in.json', '--provider', 'anthropic', '--repair', 'old.json'],
  ]
  it.each(WRITERS)('replaces a file that is there only with --force: %s %s %s', async (...args) => {
    place().write('old.json', 'old')
    const refused = await place().precis(args)
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('old.json already exists')
    expect(refused.stderr).toContain('--force')
    expect(place().read('old.json')).toBe('old')
    await place().precis([...args, '--force'])
    expect(place().read('old.json')).toContain('messages')
    const { status } = await place().precis([
      ...args.map((arg) => arg.replace('old.json', '/dev/null')),
    ])
    expect(status).not.toBe(2)
  })

  it('replaces another file through a link, and keeps its mode', async () => {
    const { folder } = place()
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real', 'out.json'), 'old', { mode: 0o640 })
    symlinkSync(join('real', 'out.json'), join(folder, 'link.json'))
    expect(
      (await place().precis(['compact', 'in.json', '--out', 'link.json', '--force'])).status,
    ).toBe(0)
    expect(place().read('real/out.json')).toContain('"messages"')
    expect(statSync(join(folder, 'real', 'out.json')).mode & 0o777).toBe(0o640)
    expect(readdirSync(join(folder, 'real'))).toEqual(['out.json'])
  })

  it('gives the report as JSON, with money where the prices are known [NEED-16]', async () => {
    const told = await report([sample('session.jsonl'), ...TRIM, '--budget', '60%'])
    expect(told).toMatchObject({
      input: { kind: 'file', format: 'claude-code' },
      strategy: { id: 'trim-tool-results', origin: 'flag: --strategy' },
      counter: 'estimate',
      messages: { before: 142, after: 142 },
      costs: { request: { model: 'anthropic/claude-opus-5' } },
      result: { written: null, inPlace: false },
      problems: [
        'this format expects a summary at the start of a compacted context; précis wrote a one-line note instead',
      ],
    })
    for (const { total, toolResults, ...kinds } of [told.before, told.after]) {
      const results = toolResults.reduce((sum, { tokens }) => sum + tokens, 0)
      expect(Object.values(kinds).reduce((sum, tokens) => sum + tokens, results)).toBe(total)
    }
    expect(told.budgetTokens).toBe(Math.floor(told.before.total * 0.6))
    expect(told.after.total).toBeLessThanOrEqual(told.budgetTokens ?? 0)
    const [first] = told.largest
    expect(first).toMatchObject({ ref: expect.stringMatching(/^e\d+$/), why: 'trim-tool-results' })
    expect(told.constraints).toContain('Never touch the migrations folder.')
    const { beforeUsd = 0, afterUsd = 0 } = told.costs.request ?? {}
    expect(beforeUsd).toBeGreaterThan(afterUsd)
  })

  it('says what cannot be made smaller, with the floor, the budget and the biggest parts', async () => {
    const args = ['compact', 'in.json', ...TRIM, '--budget', '5', '--out', 'out.json', '--json']
    const { status, stdout, stderr } = await place().precis(args)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    const { error } = JSON.parse(stderr)
    expect(error).toMatchObject({ code: 'irreducible', details: { budget: 5 } })
    expect(error.details.floor).toBeGreaterThan(5)
    expect(error.details.biggest[0]).toMatchObject({
      what: expect.any(String),
      tokens: expect.any(Number),
    })
    expect(place().left()).toEqual([])
  })
})

describe('what decides', () => {
  it('is named with where it is from: settings, environment, flags [NEED-17]', async () => {
    expect((await report(['in.json'])).strategy).toEqual({
      id: DEFAULT_STRATEGY,
      origin: 'default',
    })
    mkdirSync(join(place().folder, '.precis'))
    const settings = {
      strategy: 'trim-tool-results',
      protect: { tools: ['read'] },
      summaries: { language: 'German' },
    }
    writeFileSync(join(place().folder, '.precis', 'settings.json'), JSON.stringify(settings))
    const told = await report(['in.json', '--trust-folder'], { PRECIS_MODELS_FAST: 'dev' })
    expect(told.strategy.origin).toMatch(/^project: .*settings\.json$/)
    expect(told.settings).toMatchObject({
      'protect.tools': '["read"]',
      'summaries.language': 'German',
      'models.fast': 'dev',
    })
    // What is protected stays as it was.
    expect(told.after.total).toBe(told.before.total)
    expect(told.pins.entries.length).toBeGreaterThan(0)
    const unknown = await place().precis(['compact', 'in.json'], {
      env: { PRECIS_STRATEGY: 'nope' },
    })
    expect(unknown).toMatchObject({ status: 2, stdout: '' })
    expect(unknown.stderr).toContain('where: PRECIS_STRATEGY')
  })

  it('protects files by their path, at any depth', async () => {
    const { pins, largest } = await report([sample('session.jsonl'), ...TRIM], {
      PRECIS_PROTECT_PATHS: '["quay/http.py"]',
    })
    expect(pins.entries.length).toBeGreaterThan(3)
    expect(largest.some(({ what }) => what.includes('quay/http.py'))).toBe(false)
  })

  it.each(['chars4', 'o200k'])('counts by %s, and N%% is of the input', async (counter) => {
    const told = await report([
      sample('session.json'),
      ...TRIM,
      '--counter',
      counter,
      '--budget',
      '70%',
    ])
    const estimated = await report([sample('session.json'), ...TRIM])
    expect(told.counter).toBe(counter)
    expect(told.before.total).not.toBe(estimated.before.total)
    expect(told.budgetTokens).toBe(Math.floor(told.before.total * 0.7))
    expect(told.after.total).toBeLessThanOrEqual(told.budgetTokens ?? 0)
    // It is another way to count the same, not another world.
    const ratio = told.before.total / estimated.before.total
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })

  it('keeps pinned texts word for word, asks the model that is named, and minds instructions', async () => {
    const args = ['--strategy', 'summarize', '--model', 'dev', '--instructions', 'mind the ports']
    const pins = ['--pin', 'Keep: port 4321', '--pin', 'Keep: 簡潔']
    place().write('long.json', JSON.stringify(conversation(40)))
    const told = await report(['long.json', ...args, ...pins, '--out', 'out.json'])
    expect(told).toMatchObject({
      strategy: { id: 'summarize' },
      models: [{ ref: expect.stringContaining('dev') }],
      settings: { instructions: 'mind the ports', pins: 2 },
      pins: { texts: 2 },
    })
    const written = place().read('out.json')
    expect(written).toContain('Keep: port 4321')
    expect(written).toContain('Keep: 簡潔')
  })

  it.each(['cascade', 'trim-tool-results', 'prune', 'mask', 'extract', 'drop-turns'])(
    'puts a pinned text in that nobody said, and names it first: %s',
    async (strategy) => {
      const pin = 'Always say please to the harbour cat.'
      const args = [sample('session.jsonl'), '--strategy', strategy, '--pin', pin]
      const { constraints, pins } = await report([...args, '--out', 'out.jsonl'])
      expect(constraints[0]).toBe(pin)
      expect(constraints).toHaveLength(pins.texts)
      expect(place().read('out.jsonl').split(pin)).toHaveLength(2)
    },
  )

  it('says which sentences that bind a small budget has no room for', async () => {
    const problemsWithin = async (budget: string) =>
      (
        await place().json<{ problems: string[] }>([
          'compact',
          sample('session.jsonl'),
          '--budget',
          budget,
        ])
      ).problems
    const problems = await problemsWithin('400')
    expect(problems.length).toBeGreaterThan(1)
    for (const problem of problems)
      expect(problem).toMatch(/^a sentence that binds did not fit .*; to keep it: --pin ".+"$/)
    expect(problems.join()).toContain('--pin "Never touch the migrations folder')
    expect(await problemsWithin('5000')).toEqual([])
    const rule =
      'Never touch the migrations: the office applies those files by hand, at night, and compares their checksums in the morning.'
    const said = JSON.parse(messages())
    said.messages[0].content = `${rule} Go.`
    place().write('in.json', JSON.stringify(said))
    const trim = ['compact', 'in.json', '--strategy', 'trim-tool-results', '--budget', '150']
    expect(await place().json(trim)).toMatchObject({ problems: [] })
  })

  it('says so where a model was named and not asked', async () => {
    const args = ['in.json', ...TRIM, '--model', 'dev', '--instructions', 'mind it']
    const { problems } = await report(args)
    expect(problems).toEqual([
      expect.stringMatching(
        /^--model dev made no difference: trim-tool-results has asked no model/,
      ),
      expect.stringMatching(/^--instructions made no difference/),
    ])
    const summarized = ['long.json', '--strategy', 'summarize', '--model', 'dev']
    place().write('long.json', JSON.stringify(conversation(40)))
    expect((await report(summarized)).problems.join()).not.toContain('made no difference')
  })

  it('runs what the preset runs with a model, where only a model is named', async () => {
    place().write('long.json', JSON.stringify(conversation(40)))
    const real = await place().precis(['compact', 'long.json', '--model', 'anthropic/claude-x'])
    expect(real).toMatchObject({ status: 1, stdout: '' })
    expect(real.stderr).toContain('ANTHROPIC_API_KEY')
    const named = await report(['long.json', '--model', 'dev', '--strategy', 'brief'])
    expect(named.strategy).toEqual({ id: 'brief', origin: 'flag: --strategy' })
    // The stand-in counts as none.
    const told = await report(['long.json', '--model', 'dev'])
    expect(told.strategy).toEqual({ id: 'cascade', origin: 'default' })
  })

  it('writes a fresh session as a new file, and never over the old one', async () => {
    place().write('long.json', JSON.stringify(conversation(40)))
    const args = ['long.json', '--strategy', 'fresh-session', '--model', 'dev']
    const told = await report([...args, '--out', 'fresh.json'])
    expect(told.after.total).toBeLessThan(told.before.total)
    const { messages: written } = JSON.parse(place().read('fresh.json'))
    expect(written).toHaveLength(1)
    expect(written[0].role).toBe('user')
    const refused = await place().precis(['compact', ...args, '--in-place'])
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('Use --out FILE')
    const without = await place().precis(['compact', 'long.json', '--strategy', 'fresh-session'])
    expect(without).toMatchObject({ status: 2, stdout: '' })
    expect(without.stderr).toContain(
      'The strategy fresh-session needs a model, but no model is set',
    )
  })
})

function conversation(turns: number): object[] {
  return Array.from({ length: turns }, (_, turn) => [
    { role: 'user', content: `Question ${turn}: ${'why is that so? '.repeat(20)}` },
    { role: 'assistant', content: `Answer ${turn}: ${'because of the other thing. '.repeat(20)}` },
  ]).flat()
}

describe('formats [NEED-20]', () => {
  const sessions = readdirSync(join(ROOT, 'samples/sessions')).map((file) => `sessions/${file}`)

  it.each([...sessions, 'session.jsonl', 'session.json'])(
    '%s is read by its content and written back',
    async (file) => {
      const { format } = (await report([sample(file)])).input
      const out = `out.${file.split('.').pop()}`
      await report([sample(file), ...TRIM, '--out', out])
      expect((await report([out])).input.format).toBe(format)
    },
  )

  const targets = [
    'claude-code',
    'codex',
    'pi',
    'opencode',
    'ai-sdk',
    'openai-responses',
    'openai-chat',
    'anthropic',
  ]
  it.each(targets)('a session of Claude Code is written as %s, and read again', async (to) => {
    await report([sample('session.jsonl'), ...TRIM, '--to', to, '--out', 'out'])
    const again = await report(['out', '--format', to])
    expect(again.input.format).toBe(to)
    expect(again.messages.before).toBeGreaterThan(100)
    expect((await place().precis(['compact', 'out'])).status).toBe(0)
  })

  it.each(['markdown', 'html'])('is written as a page for people: %s', async (to) => {
    await report(['in.json', '--to', to, '--out', 'page'])
    expect(place().read('page')).toContain('line 2 of a long result')
  })

  it('keeps the old records of a session that goes back to its own format', async () => {
    const before = await place().json<CommandReport>([
      'compact',
      sample('session.jsonl'),
      ...TRIM,
      '--out',
      'out.jsonl',
    ])
    const lines = place().read('out.jsonl').trim().split('\n')
    const old = readFileSync(sample('session.jsonl'), 'utf8').trim().split('\n')
    expect(before.result.oldRecords).toBe(old.length)
    expect(lines.slice(0, old.length)).toEqual(old)
    expect(lines.filter((line) => line.includes('compact_boundary'))).toHaveLength(1)
    const again = await report(['out.jsonl'])
    expect(Math.abs(again.before.total - before.after.total)).toBeLessThan(200)
  })

  it('takes secrets out only where it is asked to, also of the old records', async () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(20)}`
    const line = {
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      type: 'user',
      message: { role: 'user', content: `my key is ${key}` },
    }
    place().write(
      's.jsonl',
      `${JSON.stringify(line)}\n${JSON.stringify({ ...line, uuid: 'u2', parentUuid: 'u1' })}\n`,
    )
    const kept = await report(['s.jsonl', '--out', 'kept.jsonl'])
    expect(place().read('kept.jsonl')).toContain(key)
    expect(kept.redacted).toBeUndefined()
    expect(JSON.stringify(kept)).not.toContain(key)
    const clean = await report(['s.jsonl', '--redact', '--out', 'clean.jsonl'])
    expect(clean.redacted).toMatchObject([{ count: expect.any(Number) }])
    expect(place().read('clean.jsonl')).not.toContain(key)
  })

  it.each(['system', 'developer'])('keeps a %s message among the others', async (role) => {
    const words = 'Policy update: answer in two sentences from now on.'
    const rounds = Array.from({ length: 40 }, (_, at) => [
      { role: 'user', content: `Question ${at}: ${'word '.repeat(60)}` },
      { role: 'assistant', content: `Answer ${at}: ${'text '.repeat(80)}` },
    ])
    const history = [
      { role: 'system', content: 'You help.' },
      ...rounds.slice(0, 20).flat(),
      { role, content: words },
      ...rounds.slice(20).flat(),
    ]
    place().write('chat.json', JSON.stringify(history))
    await report(['chat.json', '--budget', '10%', '--out', 'small.json'])
    expect(place().read('small.json')).toContain(words)
  })
})
