// The working directory, from records of other agents, settings and prompts.
import type { Json } from '../text/json.ts'
import { textOfUserContent, type UserContent } from '../view/content.ts'
import { isPath, listIn, readFields } from './call-fields.ts'
import { fromRoot, isAbsolute, normalPath } from './path-text.ts'
import type { Ledger } from './records.ts'

/** The field is at the start or end of a record; the middle is content. */
const END_CHARS = 4_000

const NAMED_CHARS = 20_000

const FOLDER = /"cwd":\s?"((?:[^"\\]|\\.){1,1024})"/

const BRANCH = /"gitBranch":\s?"([^"\\]{1,200})"/

/** The folder and branch of a foreign record. */
export function placeIn(ledger: Ledger, source: Json | undefined): Ledger {
  if (source === undefined) return ledger
  const [first] = listIn(readFields(source), 'records') ?? []
  const raw = readFields(first ?? null).raw
  if (typeof raw !== 'string') return ledger
  const ends =
    raw.length <= 2 * END_CHARS ? [raw] : [raw.slice(-END_CHARS), raw.slice(0, END_CHARS)]
  const folder = firstMatch(FOLDER, ends)
  const branch = firstMatch(BRANCH, ends)
  const placed = folder === undefined ? ledger : inFolder(ledger, folder.replaceAll('\\\\', '\\'))
  // Without a branch git has no other name for it.
  return branch === undefined || branch === 'HEAD' || branch === placed.tree.branch
    ? placed
    : { ...placed, tree: { ...placed.tree, branch } }
}

function firstMatch(expression: RegExp, texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const found = expression.exec(text)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

export function inFolder(ledger: Ledger, folder: string): Ledger {
  if (!isPath(folder) || !isAbsolute(folder)) return ledger
  const path = normalPath(folder)
  const root = ledger.root ?? path
  const inside = fromRoot(root, path)
  if (root === ledger.root && inside === ledger.folder) return ledger
  return { ...ledger, root, folder: inside, ...(inside !== '' && { folderName: folder }) }
}

/** The folder named in a prompt, if nothing else names one. */
export function placeNamedIn(ledger: Ledger, content: UserContent): Ledger {
  if (ledger.root !== undefined) return ledger
  const text = textOfUserContent(content).slice(0, NAMED_CHARS)
  const found = /<cwd>([^<\n]{1,1024})<\/cwd>|[Ww]orking directory:? (\/[^\s<]{1,1024})/.exec(text)
  const folder = found?.[1] ?? found?.[2]
  return folder === undefined ? ledger : inFolder(ledger, folder)
}

export function workspaceAt(ledger: Ledger, workspace: string | undefined): Ledger {
  if (workspace === undefined || !isAbsolute(workspace) || !isPath(workspace)) return ledger
  return { ...ledger, root: normalPath(workspace), folder: '' }
}
