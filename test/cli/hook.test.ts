// What a hook says where there is much to say, and where the store cannot answer.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Brief, briefOf, renderBrief } from '../../src/cli/hosts/brief.ts'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()

function put(name: string, text: string): string {
  const path = join(place().folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

function brief(more: Partial<Brief>): Brief {
  return { constraints: [], pins: [], state: [], ...more }
}

describe('a brief', () => {
  it('has the latest request and the newest constraints where not everything fits', () => {
    const constraints = Array.from({ length: 200 }, (_, index) => ({
      text: `Never touch the folder number ${index}.`,
      ref: '',
    }))
    const request = { text: 'Now rename the port.', ref: '' }
    const text = renderBrief(brief({ constraints, request, state: ['a.ts: modified'] }), 2_000)
    expect(text.length).toBeLessThanOrEqual(2_000)
    expect(text).toContain('- Now rename the port.')
    expect(text).toContain('folder number 199.')
    expect(text.indexOf('number 199.')).toBeLessThan(text.indexOf('number 198.'))
    expect(text).not.toContain('number 0.')
  })

  it('cuts a long line, and goes on with what fits behind it', () => {
    const pins = ['x'.repeat(5_000), 'Port 4321.']
    const text = renderBrief(brief({ pins, state: ['a.ts: modified'] }), 1_000)
    expect(text).toMatch(/- x{100,}…\n/)
    expect(text).toContain('- Port 4321.')
    expect(text).toContain('- a.ts: modified')
    expect(text.length).toBeLessThanOrEqual(1_000)
  })

  it('names no section of which nothing fits', () => {
    expect(renderBrief(brief({ state: ['a.ts: modified'] }), 20)).toBe('')
  })

  it.each([999, 1_000])('cuts no character in two: %i', (chars) => {
    const content = `${'x'.repeat(chars)}${'🙂'.repeat(9)}`
    const event = { type: 'USER_MESSAGE', seq: 1, data: content } as unknown as ThreadEvent
    const made = briefOf([event], [], () => '')
    expect(made.request?.text.length).toBeGreaterThan(900)
    expect(made.request?.text.isWellFormed()).toBe(true)
    const pins = [`${'x'.repeat(chars)}${'🙂'.repeat(2_000)}`]
    expect(renderBrief(brief({ pins }), 8_000).isWellFormed()).toBe(true)
    expect(renderBrief(brief({ pins }), 8_004).isWellFormed()).toBe(true)
  })
})

describe('a hook', () => {
  const rule = (cwd: string) =>
    `${JSON.stringify({
      ...{ type: 'user', uuid: 'z', parentUuid: null, sessionId: 's', cwd },
      message: { role: 'user', content: 'Never touch the migrations folder.' },
    })}\n`
  const hook = (transcript_path: string, env: Record<string, string> = {}) =>
    place().precis(['hook', 'claude-code'], {
      input: JSON.stringify({
        ...{ cwd: place().folder, hook_event_name: 'PreCompact', transcript_path },
      }),
      env: { PRECIS_PINS: '["The port is 4321."]', ...env },
    })

  it('says what it knows where the thread of its session was removed, and doctor shows why', async () => {
    const path = put('.claude/projects/-here/aaaaaaaa.jsonl', rule(place().folder))
    const { threads } = await place().json<{ threads: { threadId: string }[] }>(['sync'])
    await place().json(['threads', 'rm', threads[0]?.threadId ?? ''])
    const { stdout } = await hook(path)
    expect(stdout).toContain('- Never touch the migrations folder.')
    expect(stdout).toContain('- The port is 4321.')
    expect((await place().precis(['doctor'])).stdout).toMatch(/· hooks .*failed: .*hook/)
  })

  it('says what it knows where the store cannot be opened', async () => {
    const path = put('.codex/x.jsonl', readFileSync(sample('sessions/codex.jsonl'), 'utf8'))
    put('.claude/projects/-here/aaaaaaaa.jsonl', rule(place().folder))
    const env = { PRECIS_STORE: join(place().folder, 'stores', 'own.db') }
    mkdirSync(join(place().folder, 'stores'))
    await place().json(['sync'], { env })
    writeFileSync(env.PRECIS_STORE, 'no database at all, only a line of text'.repeat(50))
    const talk = join(place().folder, '.claude/projects/-here/aaaaaaaa.jsonl')
    const { stdout } = await hook(talk, env)
    expect(stdout).toContain('- Never touch the migrations folder.')
    expect(stdout).toContain('- The port is 4321.')
    expect((await hook(path, env)).stdout).toContain('- The port is 4321.')
  })
})
