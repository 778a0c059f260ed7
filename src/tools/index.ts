// The tools of a coding agent, all confined to one workspace.
import type { Tool } from '../core/agent/tool.ts'
import { editTool } from './files/edit.ts'
import { listTool } from './files/list.ts'
import { readTool } from './files/read.ts'
import { writeTool } from './files/write.ts'
import { OUTPUT_LIMITS, type OutputLimits } from './process/limit-output.ts'
import { type RunOptions, runTool } from './process/run.ts'
import { type SearchOptions, searchTool } from './search/search.ts'
import type { Workspace } from './workspace.ts'

export interface CodingToolsOptions {
  readonly workspace: Workspace
  /** How much of a result is shown and kept; missing limits have defaults. */
  readonly limits?: Partial<OutputLimits>
  readonly run?: Omit<RunOptions, 'limits'>
  readonly search?: Omit<SearchOptions, 'limits'>
}

/** In a read-only workspace only those that change nothing: a command might. */
export function codingTools(options: CodingToolsOptions): Tool[] {
  const { workspace } = options
  const limits: OutputLimits = { ...OUTPUT_LIMITS, ...options.limits }
  const reading = [
    readTool(workspace, limits),
    listTool(workspace, { limits }),
    searchTool(workspace, { ...options.search, limits }),
  ]
  if (workspace.isReadOnly) return reading
  const changing = [writeTool(workspace), editTool(workspace)]
  return [...reading, ...changing, runTool(workspace, { ...options.run, limits })]
}
