// The tool `write`: creates or replaces a file with exactly this content
import { z } from 'zod'
import type { Tool } from '../../core/agent/tool.ts'
import { defineTool, textField, textOutcome } from '../define-tool.ts'
import { count } from '../process/limit-output.ts'
import { approvedWorkspace, type Workspace } from '../workspace.ts'
import { replaceFile } from './write-file.ts'

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
    async run({ path, content }, { target }) {
      const approved = approvedWorkspace(workspace, target)
      const { place, bytes, bytesBefore } = await replaceFile(approved, path, content)
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
