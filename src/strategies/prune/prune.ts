// `prune`: replaces duplicate, superseded and machine-only content with one-line stubs, without a model.
import type { Edit, EntryId, NewEntry } from '../../core/edit/change.ts'
import { immediate, type Strategy } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { baseName } from '../../core/ledger/path-text.ts'
import * as option from '../../core/options.ts'
import { foldBase64 } from '../../core/text/fold-base64.ts'
import type { Item } from '../../core/view/entry.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { weighText } from '../../core/window/tokens/weigh.ts'
import { asRef, measureRewrite, resultWith } from '../trim.ts'
import { jsonRows } from './json-rows.ts'
import { failedAttempts, keepLines, logs } from './logs.ts'
import { progress } from './progress.ts'
import { oldImages, repeatedResults } from './repeated-content.ts'
import { fileRead, linesIn, repeatedReads, supersededWrites } from './superseded-files.ts'
import {
  type Elision,
  type Prune,
  type PruneView,
  pruneView,
  type ToolUse,
  withText,
} from './tool-uses.ts'

/** `base64`: encoded bytes within a result, which no model reads. */
const base64: Prune = {
  name: 'base64',
  isSingle: true,
  find({ uses, until }) {
    return uses.flatMap((use) => {
      if (use.at >= until || use.isElided) return []
      const { text, folded } = foldBase64(use.text, use.ref)
      return folded.length === 0 ? [] : [withText(use, `${text}\n[The whole: ${asRef(use.ref)}]`)]
    })
  },
}

const LEAST_CHARS = 1_500
const HEAD_CHARS = 300
/** People do not write lines this long on average. */
const MINIFIED_LINE_CHARS = 500

const LOCKS = new Set(
  'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock Cargo.lock poetry.lock uv.lock Pipfile.lock pdm.lock composer.lock Gemfile.lock go.sum flake.lock mix.lock pubspec.lock Podfile.lock packages.lock.json'.split(
    ' ',
  ),
)

/** `generated-files`: lock files, source maps and minified code. */
const generatedFiles: Prune = {
  name: 'generated-files',
  isSingle: true,
  find({ uses, until }) {
    return uses.flatMap((use) => {
      if (use.at >= until || use.isElided || use.isFailed || use.text.length < LEAST_CHARS)
        return []
      return isGenerated(use) ? [withText(use, readHead(use))] : []
    })
  },
}

function isGenerated(use: ToolUse): boolean {
  const read = fileRead(use)
  const name = read && baseName(read.path)
  if (name !== undefined && (LOCKS.has(name) || /\.min\.(?:js|css)$|\.map$/.test(name))) return true
  // A one-line tool answer may matter; a file of such lines is not for reading.
  return read !== undefined && use.text.length / linesIn(use.text) > MINIFIED_LINE_CHARS
}

function readHead({ text, ref }: ToolUse): string {
  const size = `${linesIn(text).toLocaleString('en-US')} lines, ${text.length.toLocaleString('en-US')} characters`
  return `${cutHead(text, HEAD_CHARS)}\n[… of ${size}, written by a program. The whole: ${asRef(ref)}]`
}

const LEAST_LINES = 24
const HEAD_LINES = 6
const TAIL_LINES = 2

/** `listings`: keeps the directory entries and search hits that were used later, counts the rest. */
const listings: Prune = {
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

/** Compared like ledger names: without server prefix, case and dashes. */
function plainName(name: string): string {
  return name
    .slice(name.lastIndexOf('__') + 1)
    .replace(/[-_ .]/g, '')
    .toLowerCase()
}

/** The first matching rule handles an entry. */
const PRUNES: readonly Prune[] = [
  repeatedReads,
  supersededWrites,
  repeatedResults,
  failedAttempts,
  generatedFiles,
  base64,
  oldImages,
  jsonRows,
  listings,
  logs,
  progress,
]

/** The selectable names. */
export const PRUNE_NAMES: readonly string[] = PRUNES.map(({ name }) => name)

/** Smaller savings are not worth a change. */
const LEAST_SAVED_TOKENS = 16

/** A strategy with only these rules. */
export function createPrune(names: readonly string[] = PRUNE_NAMES): Strategy {
  option.checkOptions('createPrune', { names }, { names: option.listOf(option.text) })
  const unknown = names.find((name) => !PRUNE_NAMES.includes(name))
  if (unknown !== undefined)
    throw new PrecisError('invalid-input', `Unknown prune rule: ${unknown}.`, {
      where: unknown,
      hint: `Prunes: ${PRUNE_NAMES.join(', ')}.`,
    })
  const chosen = PRUNES.filter(({ name }) => names.includes(name))
  return immediate({
    id: 'prune',
    proposeNow({ context, eventAt }) {
      const view = pruneView(context, eventAt)
      const edits: Edit[] = []
      const reasons: Record<string, EntryId[]> = {}
      const taken = new Set<number>()
      for (const { name, isSingle, find } of chosen) {
        const done: EntryId[] = []
        const free = isSingle ? view.uses.filter(({ at }) => !taken.has(at)) : view.uses
        for (const elision of find({ ...view, uses: free })) {
          const { start, end } = findPlace(elision)
          if (rangeHas(taken, start, end)) continue
          const edit = editFor(elision, view)
          if (!edit) continue
          edits.push(edit)
          for (let at = start; at < end; at += 1) {
            taken.add(at)
            done.push((view.items[at] as Item).id)
          }
        }
        if (done.length > 0) reasons[name] = done
      }
      return { edits, metadata: { pruned: edits.length, reasons } }
    },
  })
}

export const prune = createPrune()

function findPlace(elision: Elision): { readonly start: number; readonly end: number } {
  if ('said' in elision) return elision.use.round
  const at = 'use' in elision ? elision.use.at : elision.at
  return { start: at, end: at + 1 }
}

function rangeHas(taken: ReadonlySet<number>, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (taken.has(at)) return true
  return false
}

/** Undefined if it would save next to nothing. */
function editFor(elision: Elision, view: PruneView): Edit | undefined {
  const { items, eventAt } = view
  if ('said' in elision) {
    const { start, end } = elision.use.round
    const round = items.slice(start, end)
    const data = { content: elision.said, calls: [] }
    const saved = round.reduce((sum, { tokens }) => sum + tokens, 0) - weighText(elision.said)
    if (saved < LEAST_SAVED_TOKENS) return undefined
    return {
      covers: runsOf(round, eventAt),
      put: [{ type: 'AGENT_MESSAGE', data, label: 'trimmed' }],
    }
  }
  const entry: NewEntry =
    'use' in elision
      ? resultWith(elision.use.result, elision.content, 'trimmed')
      : { type: 'USER_MESSAGE', data: elision.words, label: 'trimmed' }
  const item = items['use' in elision ? elision.use.at : elision.at] as Item
  const { edit, saved } = measureRewrite(item, entry, eventAt)
  return saved < LEAST_SAVED_TOKENS ? undefined : edit
}
