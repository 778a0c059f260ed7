// Path completion: paths that start with the typed text, then paths that contain it
import { PrecisError } from '../../core/errors.ts'
import type { AppWorkspaces } from '../ports.ts'

const MOST_FILES = 50
/** A folder may hold millions: a completion that takes long is none. */
const MOST_WALKED = 20_000

export async function completeFiles(
  workspaces: AppWorkspaces,
  workspace: string,
  typed: string,
): Promise<string[]> {
  if (/^(?:\/|~|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(typed))
    throw new PrecisError('invalid-input', 'Only paths inside the directory can be completed.', {
      where: 'typed',
      hint: 'Give a path relative to it.',
    })
  const wanted = typed.toLowerCase()
  const beginning: string[] = []
  const containing: string[] = []
  let walked = 0
  const isOver = () => walked > MOST_WALKED || beginning.length >= MOST_FILES
  for await (const { name, kind, isIgnored } of workspaces.walk(workspace, isOver)) {
    walked += 1
    if (isOver()) break
    if (isIgnored || kind === 'other') continue
    const path = kind === 'folder' ? `${name}/` : name
    const at = path.toLowerCase().indexOf(wanted)
    if (at === 0) beginning.push(path)
    else if (at > 0 && containing.length < MOST_FILES) containing.push(path)
  }
  return [...beginning, ...containing].slice(0, MOST_FILES)
}
