// The sample session: what the story makes, whole, valid, and long enough to be worth compacting.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic.ts'
import { claudeCodeText } from './claude-code.ts'
import { sampleSession, sampleText } from './session.ts'

const file = readFileSync(new URL('../../samples/session.json', import.meta.url), 'utf8')
const { messages } = sampleSession()
const blocks = messages.flatMap(({ role, content }) =>
  typeof content === 'string' ? [{ role, type: 'text', text: content }] : content,
)

describe('the sample session', () => {
  it('is what the story makes (npx node scripts/make-sample.ts writes it anew)', () => {
    expect(file === sampleText()).toBe(true)
  })

  it('is the same as a session of Claude Code', () => {
    const lines = readFileSync(new URL('../../samples/session.jsonl', import.meta.url), 'utf8')
    expect(lines === claudeCodeText()).toBe(true)
    expect(lines.length).toBeLessThan(500_000)
  })

  it('breaks no rule of its format', () => {
    expect(anthropic.read(file).problems).toEqual([])
  })

  it('is a long session with tools, parallel calls, failures and thinking', () => {
    expect(messages.length).toBeGreaterThanOrEqual(120)
    expect(file.length).toBeGreaterThan(150_000)
    expect(file.length).toBeLessThan(300_000)
    const tools = new Set(blocks.flatMap((block) => ('name' in block ? [block.name] : [])))
    expect([...tools].sort()).toEqual(['bash', 'edit', 'grep', 'list', 'read', 'todo', 'write'])
    expect(blocks.filter((block) => 'is_error' in block).length).toBeGreaterThanOrEqual(2)
    expect(blocks.some(({ type }) => type === 'thinking')).toBe(true)
    const calls = messages.map(
      ({ content }) =>
        typeof content !== 'string' && content.filter(({ type }) => type === 'tool_use').length,
    )
    expect(calls.some((count) => Number(count) >= 3)).toBe(true)
  })

  it('holds what a compaction must not lose: a constraint, a correction, other scripts', () => {
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
    const words = JSON.stringify(said)
    expect(words).toContain('Never touch the migrations folder.')
    expect(words).toContain('Please use `make test`, not pytest directly')
    expect(words).toContain('番バースが空きました ⚓️')
  })
})
