// `superseded-writes`: a file that was written whole, and later written whole again or read whole.
import type { EntryId } from '../../core/edit/change.ts'
import { fieldsOf, textIn } from '../../core/ledger/call-fields.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { asRef } from '../elision.ts'
import type { Elision, Prune } from './prune-kind.ts'
import { fileRead, linesIn } from './read-ranges.ts'
import { writtenPaths } from './repeated-reads.ts'
import type { PruneView, ToolUse } from './tool-uses.ts'

/** Shorter contents are not worth a note. */
const LEAST_CHARS = 400

/** The arguments of a call cannot be shortened: the round becomes what was said in it, and a note. */
export const supersededWrites: Prune = {
  name: 'superseded-writes',
  find(view) {
    const later = new Map<string, { readonly ref: EntryId; readonly how: string }>()
    const elisions: Elision[] = []
    for (const use of view.uses.toReversed()) {
      if (use.isFailed) continue
      const [path, ...others] = writtenPaths(use)
      if (path !== undefined && others.length === 0) {
        const after = later.get(path)
        const said = after && isAlone(use, view) ? saidInstead(use, path, after, view) : undefined
        if (said !== undefined) elisions.push({ use, said })
        else if (!after) later.set(path, { ref: use.answerRef, how: 'written anew' })
      }
      const read = fileRead(use)
      if (read && read.asked === WHOLE && !use.isElided && !later.has(read.path))
        later.set(read.path, { ref: use.ref, how: 'read' })
    }
    return elisions
  },
}

const WHOLE = `1-${Number.POSITIVE_INFINITY}`

/** The only call of its round, which is over. */
function isAlone({ round }: ToolUse, { until }: PruneView): boolean {
  return round.end <= until && round.results.size === 1 && round.missing.length === 0
}

function saidInstead(
  { call, round, answerRef }: ToolUse,
  path: string,
  { ref, how }: { readonly ref: EntryId; readonly how: string },
  { eventAt }: PruneView,
): string | undefined {
  const text = textIn(fieldsOf(call.arguments), 'content', 'contents', 'file_text', 'text')
  if (text === undefined || text.length < LEAST_CHARS) return undefined
  const answer = contentOf(round.answer, eventAt)
  const said = answer?.kind === 'answer' ? answer.answer.content.trim() : ''
  const size = `${linesIn(text).toLocaleString('en-US')} lines, ${text.length.toLocaleString('en-US')} characters`
  const note = `[Wrote ${path}, ${size}; ${how} later ${asRef(ref)}. What was written here: ${asRef(answerRef)}]`
  return said === '' ? note : `${said}\n${note}`
}
