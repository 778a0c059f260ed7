// The folders of this machine that threads may work in, for the app.
import { PrecisError } from './core/errors.ts'
import type { AppWorkspaces } from './server/ports.ts'
import { walk } from './tools/files/walk.ts'
import { isInside, openWorkspace } from './tools/workspace.ts'

export interface WorkspaceChoices {
  /** The folder that new threads get. */
  readonly workspace?: string
  /** Further folders that threads may be given. */
  readonly workspaces?: readonly string[]
  /** The rules of a folder, for the system part of new threads there; the caller trusts them. */
  readonly rules?: (workspace: string) => string | undefined
  /** Threads that were begun elsewhere, in other folders, may not work in those from here. */
  readonly onlyThese?: boolean
}

const DEEPEST = 12

export function composeWorkspaces(choices: WorkspaceChoices): AppWorkspaces {
  const { workspace, workspaces = [], onlyThese = false } = choices
  const allowed = [...(workspace === undefined ? [] : [workspace]), ...workspaces]
  const require = (path: string) => {
    const asked = folderAt(path)
    const roots = allowed.map(folderAt).filter((root) => root !== undefined)
    if (asked !== undefined && roots.some((root) => isInside(root, asked))) return asked
    throw new PrecisError('forbidden', 'Threads may not work in this folder.', {
      where: 'workspace',
      hint: 'Check that it is there. Start précis in it, or allow it there: --workspace.',
    })
  }
  return {
    ...(workspace !== undefined && { default: workspace }),
    ...(choices.rules && { rules: choices.rules }),
    require,
    admit(path) {
      if (onlyThese) require(path)
    },
    walk(path, isOver) {
      const { root } = openWorkspace({ root: path })
      return walk({ root, start: root, maxDepth: DEEPEST, isOver })
    },
  }
}

/** Undefined if there is none: what is there besides the allowed ones is not for everyone who asks. */
function folderAt(path: string): string | undefined {
  if (path.includes('\0')) return undefined
  try {
    return openWorkspace({ root: path }).root
  } catch (error) {
    if (PrecisError.is(error)) return undefined
    throw error
  }
}
