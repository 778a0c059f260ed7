// The tool `write`: creates or replaces a file with exactly this content, and shows the change for approval.
import { z } from 'zod'
import type { ProposedChange, Tool } from '../../core/agent/tool.ts'
import { PrecisError } from '../../core/errors.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { defineTool, textField, textOutcome } from '../define-tool.ts'
import { count } from '../process/limit-output.ts'
import { approvedWorkspace, type Workspace } from '../workspace.ts'
import { openInWorkspace } from './open-file.ts'
import { computeMark, replaceFile } from './write-file.ts'

const input = z.strictObject({
  path: z.string().describe('The file, relative to the workspace. Missing folders are made.'),
  content: z.string().describe('All of its new content.'),
})

export function writeTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'write',
    description:
      'Writes a file with exactly this content; what was in it is replaced. To change a part of a file use `edit`.',
    effect: 'write',
    isParallel: false,
    input,
    subject: (fields) => workspace.nameOf(textField(fields, 'path')),
    target: (fields) => workspace.targetOf(textField(fields, 'path')),
    change: ({ path, content }, target) =>
      compareWithFile(approvedWorkspace(workspace, target), path, content),
    async run({ path, content }, { target, seen }) {
      const approved = approvedWorkspace(workspace, target)
      const { place, bytes, bytesBefore } = await replaceFile(approved, path, content, seen)
      const verb = bytesBefore === undefined ? 'Created' : 'Replaced'
      const before = bytesBefore === undefined ? '' : ` (before: ${count(bytesBefore)})`
      return textOutcome('completed', `${verb} ${place.name}: ${count(bytes)} bytes${before}.`, {
        path: place.name,
        bytes,
        isNew: bytesBefore === undefined,
      })
    },
  })
}

const MOST_COMPARED_BYTES = 1_000_000
/** Texts with more differing lines are shown as removed and added. */
const MOST_CHANGED_LINES = 2_000
const MOST_DIFF_CHARS = 20_000
const LINES_AROUND = 2

async function compareWithFile(
  workspace: Workspace,
  path: string,
  text: string,
): Promise<ProposedChange> {
  const opened = await openInWorkspace(workspace, path).catch((error: unknown) => {
    if (PrecisError.is(error) && error.code === 'not-found') return undefined
    throw error
  })
  if (!opened) return { diff: signed('+', text, MOST_DIFF_CHARS), seen: computeMark(undefined) }
  const { file } = opened
  try {
    const stats = await file.stat({ bigint: true })
    const seen = computeMark(stats)
    if (stats.size > MOST_COMPARED_BYTES) {
      const what = `@@ all ${count(Number(stats.size))} bytes of the file are replaced @@\n`
      return { diff: what + signed('+', text, MOST_DIFF_CHARS), seen }
    }
    return { diff: await buildDiff((await file.readFile()).toString(), text), seen }
  } finally {
    await file.close()
  }
}

async function buildDiff(before: string, after: string): Promise<string> {
  if (before === after) return '@@ the file has this content already @@'
  const { structuredPatch } = await import('diff')
  const found = structuredPatch('', '', before, after, undefined, undefined, {
    context: LINES_AROUND,
    maxEditLength: MOST_CHANGED_LINES,
  })
  if (!found) {
    const most = MOST_DIFF_CHARS / 2
    return `@@ nearly every line @@\n${signed('-', before, most)}\n${signed('+', after, most)}`
  }
  const hunks = found.hunks.map(({ newStart, lines }) =>
    [
      `@@ line ${newStart} @@`,
      ...lines.map((line) => (line[0] === '\\' ? line : `${line[0]} ${line.slice(1)}`)),
    ].join('\n'),
  )
  return bounded(hunks.join('\n'), MOST_DIFF_CHARS)
}

function signed(sign: '+' | '-', text: string, most: number): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  return bounded(lines.map((line) => `${sign} ${line}`).join('\n'), most)
}

function bounded(text: string, most: number): string {
  if (text.length <= most) return text
  return `${cutHead(text, most)}…\n@@ ${count(text.length - most)} characters more @@`
}
