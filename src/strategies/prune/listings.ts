// `listings`: keeps the directory entries and search hits that were used later, counts the rest
import { asRef } from '../elision.ts'
import { keepLines } from './kept-lines.ts'
import { type Prune, withText } from './prune-kind.ts'
import type { ToolUse } from './tool-uses.ts'

const LEAST_LINES = 24
const HEAD_LINES = 6
const TAIL_LINES = 2

export const listings: Prune = {
  name: 'listings',
  isSingle: true,
  find({ uses, until, later }) {
    return uses.flatMap((use) => {
      if (use.at >= until || use.isElided || use.isFailed || !isListing(use)) return []
      const lines = use.text.split('\n')
      if (lines.length < LEAST_LINES) return []
      const isKept = (line: string, at: number) =>
        at < HEAD_LINES || at >= lines.length - TAIL_LINES || later.usesAny(line, use.at)
      const text = keepLines(lines, isKept, asRef(use.ref))
      return text === undefined ? [] : [withText(use, text)]
    })
  },
}

const SEARCHES =
  /^(?:grep|search|rg|ripgrep|searchfiles|grepsearch|codebasesearch|searchfilecontent|findinfiles|searchtext|websearch)$/
const PROGRAMS = new Set(['ls', 'find', 'fd', 'tree', 'grep', 'rg', 'ag', 'ack', 'egrep', 'fgrep'])
const GIT_LISTS = /^git (?:ls-files|grep|ls-tree)\b/

function isListing({ call, intent }: ToolUse): boolean {
  if (intent.kind === 'list' || intent.kind === 'found') return true
  if (intent.kind !== 'shell') return SEARCHES.test(plainName(call.name))
  const own = intent.steps.filter(({ program }) => program !== '' && program !== 'cd')
  const [first, ...rest] = own
  if (!first || rest.some(({ joint }) => joint !== '|')) return false
  return PROGRAMS.has(first.program) || GIT_LISTS.test(intent.key)
}

/** As the ledger compares names: without the server it comes from, case and dashes. */
function plainName(name: string): string {
  return name
    .slice(name.lastIndexOf('__') + 1)
    .replace(/[-_ .]/g, '')
    .toLowerCase()
}
