// One operation carried out on the files that are known, with what the result tells of it.
import type { Json } from '../text/json.ts'
import { fieldsOf } from './call-fields.ts'
import type { FileWork, Place } from './file-work.ts'
import { applyGit } from './git-work.ts'
import type { FileOperation } from './operation.ts'

/** The file that an editor has open, as it says below its output. */
function openFileIn(text: string): { readonly name: string } | undefined {
  const name = /\(Open file: (.{1,1024}?)(?: \(\d+ lines total\))?\)/.exec(text.slice(-2_400))?.[1]
  return name === undefined || name === 'n/a' ? undefined : { name }
}

/** Most tools say whether the file that they wrote is a new one. */
export function told(
  operation: FileOperation,
  text: string,
  metadata: Json | undefined,
): FileOperation {
  if (operation.op === 'edit' && operation.path.name === '')
    return { ...operation, path: openFileIn(text) ?? operation.path }
  if (operation.op !== 'write' || operation.isNew !== undefined) return operation
  const flag = fieldsOf(metadata ?? null).isNew
  if (typeof flag === 'boolean') return { ...operation, isNew: flag }
  const head = text.slice(0, 400)
  if (
    /\b(?:File created|created and wrote to new file|Created (?:new )?file|New file created)\b/i.test(
      head,
    )
  )
    return { ...operation, isNew: true }
  return /has been (?:updated|overwritten)|successfully overwrote|Replaced |File updated/i.test(
    head,
  )
    ? { ...operation, isNew: false }
    : operation
}

/** False if it cannot be told what the operation did. */
export function carryOut(work: FileWork, operation: FileOperation, place: Place): boolean {
  if (operation.op === 'cd') return true
  return isGit(operation) ? applyGit(work, operation, place) : work.apply(operation, place)
}

function isGit(
  operation: FileOperation,
): operation is Extract<FileOperation, { op: `git-${string}` }> {
  return operation.op.startsWith('git-')
}
