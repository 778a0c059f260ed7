// `precis inspect`: reads a session and reports its content; changes nothing.
import { buildRows } from '../compact/report.ts'
import type { Io } from '../process-io.ts'
import { parseTarget } from '../session/formats.ts'
import { openSession } from '../session/session.ts'
import { loadSettings } from '../settings/settings.ts'
import { loadCounter, requireCounter } from '../terminal/counter.ts'
import { ProgressLine } from '../terminal/progress.ts'
import {
  bar,
  counted,
  oneLine,
  padColumns,
  print,
  type Style,
  thousands,
  wrapLines,
} from '../terminal/terminal.ts'
import { type Inspection, inspectSession, type Losses, type Turn } from './inspect-session.ts'

export interface InspectFlags {
  readonly format?: string
  readonly counter?: string
  readonly json?: boolean
}

export async function runInspect(given: string, flags: InspectFlags, io: Io): Promise<void> {
  const { settings } = loadSettings(io)
  const counter = await loadCounter(
    flags.counter === undefined ? settings.counter : requireCounter(flags.counter),
  )
  const progress = new ProgressLine(io.stderr)
  const target = parseTarget(given, 'inspect', io)
  const session = await openSession(target, { settings, named: flags.format, progress }, io)
  try {
    const found = await inspectSession(session, counter, settings, progress, io)
    progress.end()
    await print(io, found, flags.json, renderInspection)
  } finally {
    progress.end()
    await session.close()
  }
}

const BAR_COLUMNS = 30
const TURN_ROWS = 24
const SHOWN_FILES = 15
const SHOWN_PROBLEMS = 5

/** Renders an inspection: bars by kind and turn, lists of large, touched and lost items. */
function renderInspection(found: Inspection, style: Style, columns: number): string {
  const sections = [
    heading(found, style),
    kinds(found, style),
    tools(found, style),
    turns(found, style, columns),
    largest(found, style, columns),
    files(found, style, columns),
    compactions(found, style, columns),
    strategies(found, style, columns),
    problems(found, style, columns),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function heading(found: Inspection, style: Style): string[] {
  const { input, events, messages, subThreads, billed, counter } = found
  const cached = billed?.cacheReadTokens
  return [
    `${style.bold('précis')} · ${oneLine(input.source, 60)} ${style.dim(`(${input.format ?? input.kind})`)}`,
    `${counted(events, 'event')}, ${counted(messages, 'message')}${subThreads > 0 ? `, ${thousands(subThreads)} ${subThreads === 1 ? 'sub-thread' : 'sub-threads'}` : ''}; tokens counted by ${counter}`,
    ...(billed === undefined
      ? []
      : [
          `billed so far: ${thousands(billed.promptTokens)} in${cached === undefined ? '' : ` (${thousands(cached)} from the cache)`}, ${thousands(billed.completionTokens)} out`,
        ]),
  ]
}

function barLine(name: string, tokens: number, most: number): string {
  return `  ${padColumns(name, 16)}${thousands(tokens).padStart(10)} ${bar(tokens / Math.max(1, most), BAR_COLUMNS)}`
}

function kinds({ tokens }: Inspection, style: Style): string[] {
  const rows = buildRows([tokens])
  const most = Math.max(...rows.map(([, value = 0]) => value))
  return [
    style.bold('By kind'),
    ...rows.map(([name, value = 0]) => barLine(name, value, most)),
    barLine('total', tokens.total, Number.POSITIVE_INFINITY).trimEnd(),
  ]
}

const SHOWN_TOOLS = 8

function tools({ tokens: { toolResults } }: Inspection, style: Style): string[] {
  if (toolResults.length === 0) return []
  const most = toolResults[0]?.tokens ?? 1
  return [
    style.bold('Results by tool'),
    ...toolResults
      .slice(0, SHOWN_TOOLS)
      .map(({ tool, tokens }) => barLine(oneLine(tool, 15), tokens, most)),
  ]
}

/** Many turns share a row. */
function turns({ turns: all }: Inspection, style: Style, columns: number): string[] {
  if (all.length === 0) return []
  const each = Math.ceil(all.length / TURN_ROWS)
  const rows: { readonly name: string; readonly tokens: number; readonly first: Turn }[] = []
  for (let at = 0; at < all.length; at += each) {
    const group = all.slice(at, at + each)
    const [first] = group
    if (first === undefined) break
    const last = group.at(-1)?.number ?? first.number
    const name = last === first.number ? `${first.number}` : `${first.number}–${last}`
    rows.push({ name, first, tokens: group.reduce((sum, { tokens }) => sum + tokens, 0) })
  }
  const most = Math.max(...rows.map(({ tokens }) => tokens))
  const width = columns - 62
  return [
    style.bold(each === 1 ? 'By turn' : `By turn, ${each} a row`),
    ...rows.map(({ name, tokens, first }) => {
      const line = padColumns(barLine(name, tokens, most), 30 + BAR_COLUMNS)
      return `${line} ${style.dim(oneLine(first.what.replace(/^user: /, ''), width))}`.trimEnd()
    }),
  ]
}

function largest({ largest: parts }: Inspection, style: Style, columns: number): string[] {
  if (parts.length === 0) return []
  return [
    style.bold('Largest parts'),
    ...parts.map(
      ({ ref, what, tokens }) =>
        `  ${padColumns(ref, 9)}${thousands(tokens).padStart(9)}  ${oneLine(what, columns - 24)}`,
    ),
  ]
}

function files({ files: all }: Inspection, style: Style, columns: number): string[] {
  if (all.length === 0) return []
  const more = all.length - SHOWN_FILES
  return [
    style.bold(`Files: ${thousands(all.length)}`),
    ...all
      .slice(0, SHOWN_FILES)
      .map(
        ({ path, state = 'read' }) => `  ${padColumns(state, 10)}${oneLine(path, columns - 14)}`,
      ),
    ...(more > 0 ? [style.dim(`  and ${thousands(more)} more: --json lists them all`)] : []),
  ]
}

function compactions({ compactions: all }: Inspection, style: Style, columns: number): string[] {
  if (all.length === 0) return []
  return [
    style.bold(`Compactions: ${all.length}`),
    ...all.flatMap((each) => lostLines(each, style, columns)),
  ]
}

function lostLines(lost: Losses, style: Style, columns: number): string[] {
  const { seq, by, strategyId, before, after, replaced, files: named, inForce, at } = lost
  const kindsOf = Object.entries(replaced).map(([kind, count]) => `${thousands(count)} ${kind}`)
  const names = named.lost.slice(0, 5).join(', ')
  return [
    `  event ${seq}, ${at.slice(0, 16).replace('T', ' ')}, ${by === 'precis' ? `${strategyId} by précis` : `recorded by ${by}`}${inForce ? '' : ', undone'}: ${thousands(before)} → ${thousands(after)} tokens`,
    `    replaced: ${kindsOf.join(', ') || 'nothing'}`,
    ...(named.known === 0
      ? []
      : [
          `    names ${named.named} of ${named.known} files${names === '' ? '' : style.dim(`; no longer ${oneLine(names, columns - 40)}`)}`,
        ]),
  ]
}

function strategies(
  { strategies: all, tokens }: Inspection,
  style: Style,
  columns: number,
): string[] {
  if (all.length === 0) return []
  return [
    style.bold('What each strategy would give, without a model'),
    ...all.flatMap(({ id, tokens: after, refused }) =>
      after === undefined
        ? wrapLines(refused ?? '', columns, `  ${padColumns(id, 20)} `, ' '.repeat(23))
        : `  ${padColumns(id, 20)}${thousands(after).padStart(10)} ${padColumns(bar(after / Math.max(1, tokens.total), BAR_COLUMNS), BAR_COLUMNS)} ${Math.round((after / Math.max(1, tokens.total)) * 100)} %`,
    ),
  ]
}

function problems({ problems: all }: Inspection, style: Style, columns: number): string[] {
  if (all.length === 0) return []
  const more = all.length - SHOWN_PROBLEMS
  return [
    style.bold(all.length === 1 ? 'One remark on the file' : `${all.length} remarks on the file`),
    ...all.slice(0, SHOWN_PROBLEMS).flatMap((problem) => wrapLines(problem, columns)),
    ...(more > 0 ? [style.dim(`  and ${more} more: --json lists them all`)] : []),
  ]
}
