// `precis check` of session files: what would be sent of them is judged, whichever agent wrote them.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()

interface Report {
  readonly input: { readonly format: string; readonly kind: string }
  readonly violations: readonly unknown[]
  readonly sent?: { readonly violations: readonly unknown[]; readonly remarks: readonly string[] }
}

const TARGETS = ['claude-code', 'codex', 'pi', 'opencode', 'ai-sdk']

describe('precis check FILE, where the file is a session', () => {
  it.each(TARGETS)('what a compaction wrote as %s is accepted [NEED-20]', async (to) => {
    await place().json(['compact', sample('session.jsonl'), '--to', to, '--out', 'smaller'])
    for (const provider of ['anthropic', 'openai-chat', 'gemini']) {
      const report = await place().json<Report>(['check', 'smaller', '--provider', provider])
      expect(report).toMatchObject({ input: { format: to, kind: 'session' }, violations: [] })
      expect(report.sent?.violations).toEqual([])
    }
  })

  it('reads one from standard input', async () => {
    const input = readFileSync(sample('sessions/codex.jsonl'), 'utf8')
    const { status, stdout } = await place().precis(['check', '-', '--provider', 'anthropic'], {
      input,
    })
    expect(status).toBe(0)
    expect(stdout).toContain('standard input (codex session)')
    expect(stdout).toContain('What would be sent to anthropic keeps every rule.')
    expect(stdout).not.toContain('of the format codex')
  })

  it('finds what a provider would refuse in it', async () => {
    const pixel = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/tiff', data: 'AA' },
    }
    const record = {
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      isSidechain: false,
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: [pixel] },
    }
    const file = place().write('in.jsonl', `${JSON.stringify(record)}\n`)
    const { status, stdout, stderr } = await place().precis([
      'check',
      file,
      '--provider',
      'anthropic',
    ])
    expect(status).toBe(1)
    expect(stdout).toContain('in what would be sent to anthropic')
    expect(stderr).toContain('export in.jsonl --to anthropic --out messages.json')
  })

  it('repairs no session, and says what to do', async () => {
    const args = ['check', sample('sessions/pi.jsonl'), '--provider', 'anthropic']
    const { status, stderr } = await place().precis([...args, '--repair', 'mended.json'])
    expect(status).toBe(2)
    expect(stderr).toContain('--to anthropic --out messages.json')
    expect(place().left()).toEqual([])
  })
})
