// The tools of a coding agent, all confined to one workspace.
import type { Tool } from '../core/tool.ts'
import { editTool } from './edit.ts'
import { OUTPUT_LIMITS, type OutputLimits } from './limit-output.ts'
import { listTool } from './list.ts'
import { readTool } from './read.ts'
import { type RunOptions, runTool } from './run.ts'
import { type SearchOptions, searchTool } from './search.ts'
import type { Workspace } from './workspace.ts'
import { writeTool } from './write.ts'

export interface CodingToolsOptions {
  readonly workspace: Workspace
  /** How much of a result is shown and kept; what is not given is as usual. */
  readonly limits?: Partial<OutputLimits>
  readonly run?: Omit<RunOptions, 'limits'>
  readonly search?: Omit<SearchOptions, 'limits'>
}

/** In a read-only workspace, those that change nothing: a command might. */
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
