// A conversation file in, a smaller one out, and a report of what was done.
import { type Composed, compose } from '../compose.ts'
import type { Edit } from '../core/change.ts'
import type { Context } from '../core/context.ts'
import { newEntriesOf } from '../core/entry.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventAt, EventOf } from '../core/event.ts'
import type { Json } from '../core/json.ts'
import { isJson } from '../core/schema.ts'
import type { ResolvedSettings } from '../core/settings.ts'
import type { Imported, View } from '../formats/format.ts'
import { parseJsonText } from '../formats/json-text.ts'
import { secretsOf } from '../redact/known.ts'
import { redactValues } from '../redact/redact-values.ts'
import type { Threads } from '../threads/threads.ts'
import { type Budget, budgetTokens, parseBudget } from './budget.ts'
import { deliver } from './deliver.ts'
import { readText } from './io.ts'
import { biggest, dropsOf, type Measure, measure } from './measure.ts'
import { originOf, type Report, renderReport } from './report.ts'
import { loadSettings } from './settings.ts'
import { readingFrom, refuseOverwriting, sourceName } from './source.ts'
import { oneLine, thousands } from './terminal.ts'

export interface CompactFlags {
  readonly from: string
  readonly to: string
  readonly strategy?: string
  readonly model?: string
  readonly budget?: string
  readonly input?: string
  readonly output?: string
  readonly json?: boolean
  readonly redact?: boolean
}

/** The parts of a context that an error names when it cannot be made small enough. */
const BIGGEST = 5
const DEFAULT_COLUMNS = 80

/** Nothing is written unless everything went well. */
export async function compactFile(file: string | undefined, flags: CompactFlags): Promise<void> {
  const source = sourceOf(file, flags.input)
  const budget = flags.budget === undefined ? undefined : parseBudget(flags.budget)
  const settings = loadSettings({
    cwd: process.cwd(),
    environment: process.env,
    flags: {
      ...(flags.strategy !== undefined && { strategy: flags.strategy }),
      ...(flags.model !== undefined && { models: { default: flags.model } }),
    },
  })
  requireEstimate(settings)
  const composed = compose({ settings: settings.settings, environment: process.env })
  const { format, close } = composed
  const from = format(flags.from)
  const to = format(flags.to)
  await refuseOverwriting(source, flags.output, '--output')
  try {
    const text = await readText(source, process.stdin)
    const imported = readingFrom(source, () => from.read(text))
    const threadId = await importInto(composed.threads, imported, text, source)
    const run = await runCompaction(composed, threadId, settings, budget)
    const { system, messages } = run.view
    const said = { system, messages, envelope: from.id === to.id ? imported.envelope : undefined }
    const clean = redactValues(said, secretsOf(process.env))
    const { envelope, ...view } = flags.redact ? clean.value : said
    const written = to.write(view, envelope)
    const report: Report = {
      input: { source, format: from.id },
      strategy: { id: run.event.data.strategyId, origin: originOf(settings, 'strategy') },
      counter: 'estimate',
      ...run.report,
      problems: [...imported.problems, ...run.problems, ...written.problems],
      models: composed.asked(),
      secrets: { found: clean.found, removed: flags.redact ?? false },
      output: flags.output ?? null,
      options: givenOptions(flags),
    }
    await deliver({
      report,
      result: written.text,
      output: flags.output,
      json: flags.json,
      columns: DEFAULT_COLUMNS,
      render: (...shown) => renderReport(...shown, program()),
    })
  } finally {
    await close()
  }
}

function sourceOf(file: string | undefined, input: string | undefined): string {
  if (file !== undefined && input !== undefined)
    throw new PrecisError('usage', 'the input is given twice', {
      hint: 'Give the file as the argument or with --input, not both.',
    })
  const source = file ?? input
  if (source !== undefined && source !== '') return source
  throw new PrecisError('usage', 'no input is given', {
    hint: 'Name a file, as in precis compact session.json; - reads standard input.',
  })
}

/** The report and the budget would be in a unit that nobody asked for. */
function requireEstimate(settings: ResolvedSettings): void {
  const { counter } = settings.settings
  if (counter === 'estimate') return
  const { where } = settings.origins.counter ?? {}
  throw new PrecisError('invalid-settings', `precis compact cannot count with ${counter} yet`, {
    ...(where !== undefined && { where }),
    hint: 'Set counter to estimate for this command, or leave it out.',
    details: { key: 'counter' },
  })
}

/** A thread with the conversation in it. What the log cannot hold is named by its place in the input. */
async function importInto(threads: Threads, imported: Imported, text: string, source: string) {
  const threadId = await threads.create({ reason: 'import' })
  try {
    await threads.import(threadId, imported.drafts)
  } catch (thrown) {
    if (!PrecisError.is(thrown) || thrown.code !== 'invalid-input') throw thrown
    const place = unstorablePlace(parseJsonText(text))
    throw new PrecisError(
      thrown.code,
      place === undefined
        ? `the conversation cannot be read: ${thrown.message}`
        : 'a value is nested too deep, or holds a number too large',
      {
        where: [sourceName(source), ...(place === undefined ? [] : [place])].join(', '),
        hint: 'Nothing was written. Values may be nested up to 1,000 deep; leave out or shorten this one.',
        cause: thrown,
      },
    )
  }
  return threadId
}

/** As many steps as lead from a document to a field of a tool's input. */
const PLACE_STEPS = 6
/** An input begins so many steps below its document; its own depth is what counts. */
const STEPS_TO_INPUT = 5

/** The path to the first value that is no JSON to the log: endless numbers, and what is too deep. */
function unstorablePlace(document: Json): string | undefined {
  const start = Array.isArray(document)
    ? { path: 'messages', depth: 1 - STEPS_TO_INPUT }
    : { path: '', depth: -STEPS_TO_INPUT }
  // Beside the messages the log counts from the document on.
  return placeFrom(document, start.path, start.depth) ?? placeFrom(document, start.path, 1)
}

function placeFrom(document: Json, start: string, depth: number): string | undefined {
  let value: unknown = document
  let path = start
  for (
    let step = 1;
    step <= PLACE_STEPS && typeof value === 'object' && value !== null;
    step += 1
  ) {
    const found = Object.entries(value).find(([, inner]) => !isJson(inner, depth + step))
    if (found === undefined) break
    const [key, inner] = found
    path += Array.isArray(value) ? `[${key}]` : `${path === '' ? '' : '.'}${key}`
    value = inner
  }
  return path === start ? undefined : path
}

interface Run {
  readonly view: View
  readonly event: EventOf<'COMPACTION'>
  readonly problems: readonly string[]
  readonly report: Pick<
    Report,
    'before' | 'after' | 'changes' | 'drops' | 'thinkingHidden' | 'budgetTokens'
  >
}

async function runCompaction(
  { threads, model }: Composed,
  threadId: string,
  { settings }: ResolvedSettings,
  budget: Budget | undefined,
): Promise<Run> {
  const before = await stateOf(threads, threadId)
  const target = budget && budgetTokens(budget, before.size.tokens)
  const outcome = await threads.compact(threadId, settings.strategy, {
    trigger: 'command',
    minTokens: settings.gate.minTokens,
    ...(settings.models.default !== undefined && { provider: model }),
    ...(target !== undefined && { targetTokens: target }),
  })
  if (!outcome.committed)
    throw new PrecisError(
      'gate-refused',
      `the compaction was refused: ${outcome.refusal.message}`,
      {
        where: settings.strategy,
        hint: 'Nothing was changed. Another strategy may do: see precis compact --help.',
        details: { reason: outcome.refusal.reason },
      },
    )
  const after = await stateOf(threads, threadId)
  if (target !== undefined && after.size.tokens > target)
    throw irreducible(after.context, after.eventAt, after.size, target, settings.strategy)
  const drops = dropsOf(outcome.event, after.context, after.eventAt)
  return {
    view: after.built,
    event: outcome.event,
    problems: before.built.problems.map(({ message }) => message),
    report: {
      before: { ...before.size, messages: before.built.messages.length },
      after: { ...after.size, messages: after.built.messages.length },
      changes: changesOf(outcome.event.data.edits),
      drops,
      thinkingHidden: thinkingHidden(after.context) - thinkingHidden(before.context),
      ...(target !== undefined && { budgetTokens: target }),
    },
  }
}

/** New entries by their label: so many trimmed, so many masked. */
function changesOf(edits: readonly Edit[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const entry of newEntriesOf(edits)) {
    const label = entry?.label ?? 'removed'
    counts[label] = (counts[label] ?? 0) + 1
  }
  return counts
}

async function stateOf(threads: Threads, threadId: string) {
  const context = await threads.context(threadId)
  const events = await threads.getAllEvents(threadId)
  const eventAt: EventAt = (seq) => events[seq - 1]
  return {
    context,
    eventAt,
    size: measure(context, eventAt),
    built: await threads.messages(threadId),
  }
}

function thinkingHidden(context: Context): number {
  return context.items.toArray().filter((item) => item.hide?.includes('thinking')).length
}

function irreducible(
  context: Context,
  eventAt: EventAt,
  { tokens }: Measure,
  budget: number,
  strategyId: string,
): PrecisError {
  const parts = biggest(context, eventAt, BIGGEST).map(({ entries, what, before }) => ({
    entry: entries[0],
    what: oneLine(what, 60),
    tokens: before,
  }))
  const list = parts.map(({ what, tokens: each }) => `${what} (${thousands(each)})`).join('; ')
  return new PrecisError(
    'irreducible',
    `${strategyId} cannot get below ${thousands(tokens)} tokens, and the budget is ${thousands(budget)}`,
    {
      hint: `Nothing was written. Raise the budget to ${tokens}, or try another strategy. The biggest parts: ${list}.`,
      details: { floor: tokens, budget, biggest: parts },
    },
  )
}

/** In a checkout there is no `precis` to type: npm runs it. */
function program(): string {
  return process.env.npm_lifecycle_event === undefined ? 'precis' : 'npm run --silent precis --'
}

/** What decides the result, for a command that is to give the same one. */
function givenOptions({ strategy, model, redact }: CompactFlags): string[] {
  return [
    ...(strategy === undefined ? [] : ['--strategy', strategy]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(redact ? ['--redact'] : []),
  ]
}
