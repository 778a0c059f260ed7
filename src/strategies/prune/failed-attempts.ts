// `failed-attempts`: what failed before it worked. Each complaint is kept once, where it came last.
import type { EntryId } from '../../core/edit/change.ts'
import { subjectOf } from '../../core/ledger/dialects.ts'
import { asRef } from '../elision.ts'
import { complains, tellingLines } from '../salient-lines.ts'
import { asData, quoted } from '../summary/as-data.ts'
import { type Elision, type Prune, withText } from './prune-kind.ts'
import type { ToolUse } from './tool-uses.ts'

const LEAST_CHARS = 300
const MOST_LINES = 12
const LINE_CHARS = 300
/** More lines of one output are not looked at. */
const READ_CHARS = 200_000

export const failedAttempts: Prune = {
  name: 'failed-attempts',
  find({ uses, until }) {
    const groups = Map.groupBy(uses, attemptedBy)
    return [...groups.values()].flatMap((group) => pruneGroup(group, until))
  },
}

/** The same tool on the same thing. */
function attemptedBy({ call, intent }: ToolUse): string {
  if (intent.kind === 'shell') return `shell ${intent.key || intent.command}`
  return `${call.name} ${subjectOf(call.arguments)}`
}

function pruneGroup(group: readonly ToolUse[], until: number): Elision[] {
  const elisions: Elision[] = []
  const known = new Set<string>()
  let worked: EntryId | undefined
  for (const use of group.toReversed()) {
    if (!use.isFailed) {
      worked = use.ref
      known.clear()
    } else if (worked !== undefined && use.at < until && !use.isElided) {
      const lines = complaints(use.text).filter((line) => !known.has(template(line)))
      for (const line of lines) known.add(template(line))
      if (use.text.length < LEAST_CHARS) continue
      const head = `[Failed, and worked later ${asRef(worked)}. The whole: ${asRef(use.ref)}]`
      elisions.push(
        withText(
          use,
          [head, ...lines.slice(-MOST_LINES).map((line) => quoted(asData(line)))].join('\n'),
        ),
      )
    }
  }
  return elisions
}

/** If none complains, the ends tell. */
function complaints(text: string): string[] {
  const lines = text.slice(0, READ_CHARS).split('\n').filter(complains)
  if (lines.length > 0) return lines.map((line) => line.trim().slice(0, LINE_CHARS).trimEnd())
  const { head, tail } = tellingLines(text, { head: 1, tail: 2 })
  return [...head, ...tail]
}

function template(line: string): string {
  return line.replace(/\d+/g, '0')
}
