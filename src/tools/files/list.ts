// The tool `list`: the paths in a directory.
import { stat } from 'node:fs/promises'
import { z } from 'zod'
import type { Tool } from '../../core/agent/tool.ts'
import { PrecisError } from '../../core/errors.ts'
import { defineTool, textField, throwIfAborted } from '../define-tool.ts'
import { count, limitedOutcome, OUTPUT_LIMITS, type OutputLimits } from '../process/limit-output.ts'
import { approvedWorkspace, type Place, type Workspace } from '../workspace.ts'
import { namingFile } from './file-errors.ts'
import { type WalkEntry, walk } from './walk.ts'

const MOST_ENTRIES = 2_000
const MOST_LEVELS = 20

const input = z.strictObject({
  path: z
    .string()
    .optional()
    .describe('The folder, relative to the workspace. Default: all of it.'),
  depth: z
    .int()
    .min(1)
    .max(MOST_LEVELS)
    .optional()
    .describe('How many levels of folders to show. Default 1.'),
})

export interface ListOptions {
  readonly limits?: OutputLimits
  readonly maxEntries?: number
}

export function listTool(workspace: Workspace, options: ListOptions = {}): Tool {
  const { limits = OUTPUT_LIMITS, maxEntries = MOST_ENTRIES } = options
  return defineTool({
    name: 'list',
    description:
      'Lists a folder: one path a line, relative to the workspace, folders with a slash at the end. What git ignores is marked and not opened.',
    effect: 'read',
    isParallel: true,
    input,
    subject: (fields) => workspace.nameOf(textField(fields, 'path')),
    target: (fields) => workspace.targetOf(textField(fields, 'path')),
    async run({ path = '.', depth = 1 }, { signal, target }) {
      const place = await approvedWorkspace(workspace, target).locate(path)
      await requireFolder(place)
      const lines: string[] = []
      const isOver = () => signal.aborted || lines.length > maxEntries
      const walkThrough = { root: workspace.root, start: place.path, maxDepth: depth, isOver }
      for await (const entry of walk(walkThrough)) {
        lines.push(readLine(entry))
        if (isOver()) break
      }
      throwIfAborted(signal)
      const isCut = lines.length > maxEntries
      const text = lines.slice(0, maxEntries).join('\n')
      const more = `[only the first ${count(maxEntries)}: list a folder below, or less deep]`
      return limitedOutcome(
        {
          status: 'completed',
          text: text === '' ? `[${place.name} is empty]` : text,
          ...(isCut && { ending: more }),
          metadata: { path: place.name, entries: Math.min(lines.length, maxEntries), isCut },
        },
        limits,
      )
    },
  })
}

async function requireFolder({ path, name }: Place): Promise<void> {
  const stats = await namingFile(name, () => stat(path))
  if (stats.isDirectory()) return
  throw new PrecisError('invalid-input', `${name} is not a directory.`, {
    hint: 'Use `read` for files.',
  })
}

function readLine({ name, kind, isIgnored }: WalkEntry): string {
  // A name may contain a line break and would look like two.
  const path = name.replace(/[\r\n]/g, '�')
  const marked = kind === 'folder' ? `${path}/` : path
  const notes = [...(kind === 'link' ? ['link'] : []), ...(isIgnored ? ['ignored'] : [])]
  return notes.length === 0 ? marked : `${marked} (${notes.join(', ')})`
}
