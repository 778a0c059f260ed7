// Writes a thread or session file in another format, or as a page for people; redacted unless told otherwise.
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { Io } from '../process-io.ts'
import { parseTarget, readName, writtenFormat } from '../session/formats.ts'
import { openSession, type Session } from '../session/session.ts'
import { type RedactedSecrets, writeSession } from '../session/write-session.ts'
import { loadSettings } from '../settings/settings.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { deliver, refuseOverwriting } from '../terminal/source.ts'
import { counted, oneLine, type Style, thousands, wrapLines } from '../terminal/terminal.ts'

export interface ExportFlags {
  readonly format?: string
  readonly to?: string
  readonly out: string
  readonly force?: boolean
  readonly title?: string
  readonly raw?: boolean
  readonly full?: boolean
  readonly json?: boolean
}

interface ExportReport {
  readonly input: string
  readonly format: string
  readonly output: string
  readonly messages: number
  /** What the format cannot express, and what happened to it. */
  readonly losses: readonly string[]
  readonly secrets: { readonly found: RedactedSecrets; readonly removed: boolean }
}

const DEFAULT_COLUMNS = 100
const ENDINGS: Readonly<Record<string, string>> = {
  markdown: 'md',
  html: 'html',
  'claude-code': 'jsonl',
  codex: 'jsonl',
  pi: 'jsonl',
}

const PAGES: readonly (readonly [ending: RegExp, format: string])[] = [
  [/\.html?$/i, 'html'],
  [/\.(?:md|markdown)$/i, 'markdown'],
]

/** The named format; otherwise that of a page by the file's ending; undefined keeps the input's. */
export function askedFormat({ to, out, full }: Pick<ExportFlags, 'to' | 'out' | 'full'>) {
  const page = PAGES.find(([ending]) => ending.test(out))?.[1]
  return to ?? page ?? (full ? 'markdown' : undefined)
}

/** The file ending of this format; undefined if the format stays the same. */
export function chooseEnding(format: string | undefined): string | undefined {
  return format === undefined ? undefined : (ENDINGS[format] ?? 'json')
}

export async function exportSession(given: string, flags: ExportFlags, io: Io): Promise<void> {
  const target = parseTarget(given, 'export', io)
  const { settings } = loadSettings(io)
  const source = target.kind === 'file' ? target.path : undefined
  await refuseOverwriting(source, flags.out, { option: '--out', force: flags.force }, io)
  const progress = new ProgressLine(io.stderr)
  const session = await openSession(target, { settings, named: flags.format, progress }, io)
  try {
    await write(session, flags, progress, io)
  } finally {
    progress.end()
    await session.close()
  }
}

async function write(
  session: Session,
  flags: ExportFlags,
  progress: ProgressLine,
  io: Io,
): Promise<void> {
  const { composed, format, threadId, target } = session
  const to = writtenFormat(askedFormat(flags), format, composed)
  if (flags.full && to.kind !== 'page')
    throw new PrecisError('usage', '--full is for pages', {
      where: '--full',
      hint: 'Add --to markdown or --to html. Other formats hold the context, and in its own format the old records as well.',
    })
  const secrets = flags.raw ? 'find' : 'remove'
  const title = flags.title ?? (await readTitle(session))
  const wish = { threadId, to, secrets, title, full: flags.full ?? false } as const
  const { text, problems, found, messages } = await writeSession(session, wish, io)
  const report: ExportReport = {
    input: readName(target),
    format: to.format.id,
    output: flags.out,
    messages,
    losses: [
      ...session.problems,
      ...problems,
      ...unusedTitle(to.kind, flags),
      ...(await leftOut(session, to.kind, flags)),
    ],
    secrets: { found, removed: !flags.raw },
  }
  progress.end()
  await deliver(io, {
    report,
    result: text,
    output: flags.out,
    json: flags.json,
    columns: DEFAULT_COLUMNS,
    render,
  })
}

/** Readers would take a page of a compacted context for the whole conversation. */
async function leftOut(
  { composed, threadId }: Session,
  kind: 'page' | 'session',
  { full = false }: ExportFlags,
): Promise<string[]> {
  if (kind !== 'page' || full) return []
  const { active } = await composed.threads.context(threadId)
  if (active.length === 0) return []
  const times = active.length === 1 ? 'a compaction' : `${active.length} compactions`
  return [`this is the context after ${times}: --full writes everything that was said before, too`]
}

function unusedTitle(kind: 'page' | 'session', { title }: ExportFlags): string[] {
  if (kind === 'page' || title === undefined) return []
  return ['--title made no difference: it is for pages, as with --to html or --to markdown']
}

async function readTitle({ composed, threadId, target }: Session): Promise<string> {
  const [row] = await composed.store.read(threadId, { limit: 1 })
  const started = row === undefined ? undefined : readRow(row)
  const title = started?.type === 'THREAD_STARTED' ? started.data.title : undefined
  return title ?? readName(target)
}

function render(report: ExportReport, style: Style, columns: number): string {
  const { input, format, output, messages, losses, secrets } = report
  const where = output === '-' ? '' : ` to ${style.bold(output)}`
  const kinds = secrets.found.map(({ kind, count }) => `${thousands(count)} ${kind}`).join(', ')
  const lines = [
    `${oneLine(input, columns - 40)}: ${counted(messages, 'message')} written as ${format}${where}.`,
    ...losses.flatMap((loss) => wrapLines(loss, columns)),
    ...(kinds === ''
      ? []
      : [
          secrets.removed
            ? `Taken out: ${kinds}. ${style.dim('--raw leaves it in.')}`
            : `It contains likely secrets: ${kinds}.`,
        ]),
  ]
  return `${lines.join('\n')}\n`
}
