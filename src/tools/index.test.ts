// The set of tools: what is offered where, what each touches, and schemas that providers take.
import { describe, expect, it } from 'vitest'
import { codeIn, readPage, tablesWith } from '../../test/docs/page.ts'
import { workspaceWith } from '../../test/tools/temporary-workspace.ts'
import { compactSchema } from './compact/compact.ts'
import { recallTool } from './compact/recall.ts'
import { codingTools } from './index.ts'

describe('codingTools', () => {
  it('offers what a coding agent needs, each with what it touches', () => {
    const tools = codingTools({ workspace: workspaceWith() })
    expect(tools.map(({ name, effect, isParallel }) => [name, effect, isParallel])).toEqual([
      ['read', 'read', true],
      ['list', 'read', true],
      ['search', 'read', true],
      ['write', 'write', false],
      ['edit', 'write', false],
      ['run', 'run', false],
    ])
  })

  it('offers only what changes nothing in a read-only workspace', () => {
    const tools = codingTools({ workspace: workspaceWith({}, { readOnly: true }) })
    expect(tools.map(({ name }) => name)).toEqual(['read', 'list', 'search'])
  })

  it('has schemas of objects whose every field is described, and short descriptions', () => {
    for (const { description, inputSchema } of codingTools({ workspace: workspaceWith() })) {
      expect(description.length).toBeLessThan(300)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(inputSchema).not.toHaveProperty('$schema')
      const { properties } = inputSchema as { properties: Record<string, { description?: string }> }
      for (const field of Object.values(properties)) expect(field.description).toMatch(/\.$/)
    }
  })

  it('says what a call is about, for any input', () => {
    const workspace = workspaceWith()
    const tools = new Map(codingTools({ workspace }).map((tool) => [tool.name, tool]))
    for (const name of ['read', 'write', 'edit', 'list', 'search'])
      expect(tools.get(name)?.subjectOf({ path: `${workspace.root}/src/../a.ts` })).toBe('a.ts')
    for (const tool of tools.values())
      for (const input of [null, 7, [], {}, { path: 3 }])
        expect(typeof tool.subjectOf(input)).toBe('string')
  })

  it('is what the page on tools says', () => {
    const archive = () => {
      throw new Error('nobody reads here')
    }
    const tools = [...codingTools({ workspace: workspaceWith() }), recallTool(archive)]
    const [table] = tablesWith(readPage('docs/tools.md'), 'tool', 'input')
    const rows = table?.rows.map(([name = '', given = '', , beside = '']) => [
      codeIn(name)[0],
      codeIn(given).map((field) => field.replace('?', '')),
      beside.trim() === 'yes',
    ])
    expect(rows?.slice(0, tools.length)).toEqual(
      tools.map(({ name, inputSchema, isParallel }) => [
        name,
        Object.keys((inputSchema as { properties: object }).properties),
        isParallel,
      ]),
    )
    const compact = (['ranges', 'summary'] as const).flatMap((mode) =>
      Object.keys((compactSchema(mode).inputSchema as { properties: object }).properties),
    )
    expect(rows?.slice(tools.length)).toEqual([['compact', compact, false]])
  })
})
