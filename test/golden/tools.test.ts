// Golden: what models are told of each tool, and the sentences in which tools refuse.
import { describe, it } from 'vitest'
import { compactSchema } from '../../src/tools/compact/compact.ts'
import { recallTool } from '../../src/tools/compact/recall.ts'
import { fileError } from '../../src/tools/files/file-errors.ts'
import { codingTools } from '../../src/tools/index.ts'
import { toolRun, workspaceWith } from '../tools/temporary-workspace.ts'
import { expectGolden } from './golden.ts'

const ERRORS = [
  ...['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOSPC', 'EROFS'],
  'EIO',
]
const archive = () => {
  throw new Error('nobody reads here')
}

/** Too short for a limit, at it, and beyond it; of the wrong kind; unknown. */
const INPUTS: Readonly<Record<string, readonly object[]>> = {
  read: [
    { path: 'a', offset: 1e9, limit: 1 },
    { path: 'a', offset: 1e9 + 1 },
    { path: 'a', limit: 0 },
    { path: 'a', limit: 1e9 + 1 },
    { path: 'a', offset: 1.5 },
  ],
  list: [{ depth: 20 }, { depth: 21 }, { depth: 1.5 }, { path: 7 }],
  search: [{ pattern: '' }, { pattern: 'a\0b' }, { pattern: 'a', glob: '' }, { pattern: '(' }],
  write: [{ path: 'a' }, { path: 'a\0', content: '' }, { path: '~/a', content: '' }],
  edit: [{ path: 'a', oldText: 'x', newText: 'y', more: 1, other: 2 }],
  run: [
    { command: '' },
    { command: 'true', timeoutMs: 0 },
    { command: 'true', timeoutMs: 1_800_001 },
    { command: 'printf \u001b[1m' },
    { command: 'a\u0085' },
  ],
  recall: [
    {},
    { query: 'a', ref: 'e1' },
    { query: '' },
    { query: 'x'.repeat(1_001) },
    { ref: 'x'.repeat(301) },
    { ref: 'e1', offset: -1 },
    { ref: 'e1', offset: 1e12 + 1 },
    { ref: 'e1', limit: 0 },
    { ref: 'e1', limit: 1e12 + 1 },
  ],
}

describe('tools', () => {
  it('as models see them', async () => {
    const tools = [...codingTools({ workspace: workspaceWith() }), recallTool(archive)]
    await expectGolden('tools-schemas', {
      tools: tools.map(({ name, description, effect, isParallel, inputSchema }) => ({
        name,
        description: description.split(/(?<=\.) /),
        effect,
        isParallel,
        inputSchema,
      })),
      compact: (['ranges', 'summary'] as const).map((mode) => {
        const { name, description, inputSchema } = compactSchema(mode)
        return { name, description: description.split('\n'), inputSchema }
      }),
    })
  })

  it('and why they refuse', async () => {
    const workspace = workspaceWith({ a: 'one\n' })
    const tools = [...codingTools({ workspace, search: { ripgrep: false } }), recallTool(archive)]
    const refused = tools.flatMap((tool) =>
      (INPUTS[tool.name] ?? []).map(async (input) => {
        const { status, content } = await tool.run(input as never, toolRun())
        const text = content.map((block) => block.text?.replaceAll(workspace.root, 'ROOT')).join('')
        return { tool: tool.name, input, status, text, problem: tool.problemOf?.(input as never) }
      }),
    )
    const errors = ERRORS.map((code) => {
      const cause = Object.assign(new Error(`${code}: so it is`), { code, syscall: 'open' })
      const { code: ours, message, hint } = fileError(cause, 'a.txt')
      return { code, ours, message, hint }
    })
    await expectGolden('tools-refusals', { refused: await Promise.all(refused), errors })
  })
})
