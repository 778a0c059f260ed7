// `precis sessions`: lists the sessions of every agent on this machine, or their usage and cost.
import type { Settings } from '../../core/settings/settings.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import { bytesText } from '../../protocol/index.ts'
import { readModelOverrides } from '../../providers/catalogue.ts'
import type { Io } from '../process-io.ts'
import { asTyped, programName } from '../program-name.ts'
import { loadSettings } from '../settings/settings.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { oneLine, padColumns, print, type Style, wrapLines } from '../terminal/terminal.ts'
import { type KnownSession, type SessionFilters, selectSessions } from './select-sessions.ts'
import { type DayUsage, FactsCache, readUsage } from './session-facts.ts'
import { renderUsage, requireGroup, shownCost, sumUsage } from './usage-report.ts'

export interface SessionsFlags extends SessionFilters {
  readonly limit: string
  readonly by?: string
  readonly json?: boolean
}

interface ListedSession {
  readonly id: string
  readonly agent: string
  readonly path: string
  readonly project?: string
  readonly title?: string
  readonly bytes: number
  readonly updatedAt: string
  /** Absent until counted, or without a known price. */
  readonly costUsd?: number
  readonly isCounted: boolean
  readonly unpriced: number
}

/** Bytes one listing reads for costs; the next one continues. */
const COUNTED_BYTES = 16_000_000
const MOST_LISTED = 100_000

export async function listSessions(
  folders: readonly string[],
  flags: SessionsFlags,
  io: Io,
): Promise<void> {
  const limit = wholeNumber(flags.limit, '--limit', 1, MOST_LISTED)
  const by = flags.by === undefined ? undefined : requireGroup(flags.by)
  const { settings } = loadSettings(io)
  const cache = await FactsCache.open(io)
  // Sub-agents cost, too.
  const looking = { settings, cache, ...(by !== undefined && { subAgents: 'all' as const }) }
  const selected = await selectSessions(folders, flags, looking, io)
  if (by !== undefined) {
    const counted = await withUsage(selected, cache, settings, Number.POSITIVE_INFINITY, io)
    await cache.save()
    const whole = counted.filter(({ usage }) => usage !== undefined) as SessionUsage[]
    await print(io, { by, rows: sumUsage(whole, by) }, flags.json, renderUsage)
    return
  }
  const shown = await withUsage(selected.slice(0, limit), cache, settings, COUNTED_BYTES, io)
  await cache.save()
  const ids = shortIds(selected)
  const isHidden = flags.here && selected.length === 0 && !flags.json
  const { here: _, ...anywhere } = flags
  const elsewhere = isHidden
    ? (await selectSessions(folders, anywhere, { settings, cache }, io)).length
    : 0
  const told = { sessions: shown.map(readEntry), all: selected.length, elsewhere }
  if (flags.json) await print(io, told.sessions, true, () => '')
  else
    await print(io, told, false, (clean, style, columns) =>
      renderSessions(clean, { ids, style, columns, program: programName(io) }),
    )
}

type SessionUsage = KnownSession & { readonly usage: readonly DayUsage[] }

/** As many as fit the limit, newest first; counted ones are free. */
async function withUsage(
  sessions: readonly KnownSession[],
  cache: FactsCache,
  { catalogue }: Settings,
  mostBytes: number,
  io: Io,
): Promise<(KnownSession & { readonly usage?: readonly DayUsage[] })[]> {
  const overrides = readModelOverrides(catalogue ?? {}, 'catalogue')
  const progress = new ProgressLine(io.stderr)
  let left = mostBytes
  const counted: (KnownSession & { usage?: readonly DayUsage[] })[] = []
  for (const [index, session] of sessions.entries()) {
    const known = cache.usage(session)
    const format = SESSION_FORMATS.find(({ id }) => id === session.facts.format)
    const isRead = known === undefined && format !== undefined && session.bytes <= left
    progress.share(`counting ${sessions.length} sessions`, index, sessions.length)
    const usage = isRead ? await readUsage(session, format, overrides, io).catch(() => []) : known
    if (isRead) {
      left -= session.bytes
      cache.set(session, session.facts, usage)
    }
    counted.push(usage ? { ...session, usage } : session)
  }
  progress.end()
  return counted
}

function readEntry(
  session: KnownSession & { readonly usage?: readonly DayUsage[] },
): ListedSession {
  const { id, path, bytes, updatedMs, facts, usage = [] } = session
  const priced = usage.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    id,
    agent: facts.format,
    path,
    ...(facts.project !== undefined && { project: facts.project }),
    ...(facts.title !== undefined && { title: facts.title }),
    bytes,
    updatedAt: new Date(updatedMs).toISOString(),
    ...(priced.length > 0 && { costUsd: priced.reduce((sum, cost) => sum + cost, 0) }),
    isCounted: session.usage !== undefined,
    unpriced: usage.reduce((sum, each) => sum + (each.costUsd === undefined ? each.answers : 0), 0),
  }
}

const SHORT_ID = 8

/** The shortest unique prefix of each id. */
function shortIds(sessions: readonly KnownSession[]): ReadonlyMap<string, string> {
  const ids = [...new Set(sessions.map(({ id }) => id))].sort()
  const shared = (a = '', b = '') => {
    let at = 0
    while (at < a.length && a[at] === b[at]) at += 1
    return at
  }
  return new Map(
    ids.map((id, at) => {
      const needed = Math.max(shared(id, ids[at - 1]), shared(id, ids[at + 1])) + 1
      return [id, id.slice(0, Math.max(SHORT_ID, needed))]
    }),
  )
}

interface Shown {
  readonly ids: ReadonlyMap<string, string>
  readonly style: Style
  readonly columns: number
  readonly program: string
}

const PROJECT_COLUMNS = 20

interface Listing {
  readonly sessions: readonly ListedSession[]
  readonly all: number
  readonly elsewhere: number // set if this directory has none
}

function renderSessions(
  { sessions, all, elsewhere }: Listing,
  { ids, style, columns, program }: Shown,
): string {
  if (elsewhere > 0)
    return asTyped(
      `No sessions of this directory, and ${elsewhere} of others: precis sessions lists them.\n`,
      program,
    )
  if (sessions.length === 0)
    return asTyped('No sessions found. docs/use-with-agents.md says where précis looks.\n', program)
  const now = Date.now()
  const cells = sessions.map((each) => [
    ids.get(each.id) ?? each.id,
    each.agent,
    shownAge(now - Date.parse(each.updatedAt)),
    bytesText(each.bytes),
    each.isCounted ? shownCost(each.costUsd, each.unpriced) : '…',
  ])
  const headings = ['id', 'agent', 'age', 'size', 'cost']
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) =>
        at < 2 ? padColumns(cell, widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
  const room = columns - widths.reduce((sum, width) => sum + width + 2, 0)
  const project = Math.max(0, Math.min(PROJECT_COLUMNS, Math.floor(room / 3)))
  const rest = room - project - 2
  const words = (place: string, title: string) =>
    rest < SHORT_ID
      ? ''
      : `  ${padColumns(oneLine(place, project), project)}  ${oneLine(title, rest)}`
  const lines = sessions.map(({ project: place = '', title = '' }, at) =>
    `${style.bold(line(cells[at] ?? []).slice(0, widths[0]))}${line(cells[at] ?? []).slice(widths[0])}${words(lastPart(place), title)}`.trimEnd(),
  )
  const uncounted = sessions.filter(({ isCounted }) => !isCounted).length
  const more = [
    ...(all > sessions.length
      ? [`${sessions.length} of ${all} sessions: --limit shows more.`]
      : []),
    ...(uncounted > 0 ? [`…: ${uncounted} not counted yet. --by day counts all of them.`] : []),
  ]
  const heading = style.dim(`${line(headings)}${words('project', 'title')}`)
  return `${[heading, ...lines, ...more.flatMap((text) => wrapLines(text, columns, '').map(style.dim))].join('\n')}\n`
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path
}

const AGES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const

function shownAge(ms: number): string {
  for (const [unit, size] of AGES) if (ms >= size) return `${Math.floor(ms / size)}${unit}`
  return 'now'
}
