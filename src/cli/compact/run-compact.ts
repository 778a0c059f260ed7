// `precis compact`: compacts a file or a thread and reports what was done.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Pins } from '../../core/edit/pins.ts'
import { replacedLines } from '../../core/edit/report-text.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import { isStandIn } from '../../core/model.ts'
import type { Io } from '../process-io.ts'
import { programName } from '../program-name.ts'
import { computeDigest, replaceWithBackup, requireReplaceable } from '../session/backups.ts'
import { readName, type WrittenFormat, writtenFormat } from '../session/formats.ts'
import { openSession, type Session } from '../session/session.ts'
import { type WrittenSession, writeSession } from '../session/write-session.ts'
import { loadCounter } from '../terminal/counter.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { deliver } from '../terminal/source.ts'
import { type CommandPlan, compactSession, type SessionOutcome } from './compact-session.ts'
import type { Destination, Flags } from './flags.ts'
import { applyToThread, buildJob, changedSince, type Job, keepProposal } from './job.ts'
import { computeCosts } from './next-steps.ts'
import { readOrigin, readWishes, shownSettings, unaskedProblems } from './plan.ts'
import { type CommandReport, renderCompactReport } from './report.ts'

const DEFAULT_COLUMNS = 80
const FRESH_SESSION = 'fresh-session'
/** The model of the last answer is named near the end. */
const LOOKED_AT = 200

/** Writes only if everything succeeded. Calls `onWriting` first. */
export async function runCompact(
  file: string | undefined,
  flags: Flags,
  io: Io,
  onWriting: () => void = () => undefined,
): Promise<void> {
  const progress = new ProgressLine(io.stderr)
  try {
    const job = await buildJob(file, flags, io)
    const named = job.kept?.source.kind === 'file' ? job.kept.source.format : flags.format
    const { settings } = job.resolved
    const session = await openSession(job.target, { settings, named, progress }, io)
    try {
      await compactOpen(session, job, progress, onWriting)
    } finally {
      await session.close()
    }
  } finally {
    progress.end()
  }
}

/** Rejects if the session cannot be read or its result cannot be written. Changes nothing. */
export async function checkCompact(file: string, flags: Flags, io: Io): Promise<void> {
  if (file === '-') return // it can be read only once
  const progress = new ProgressLine(io.stderr)
  try {
    const { target, resolved } = await buildJob(file, flags, io)
    const given = { settings: resolved.settings, named: flags.format, progress }
    await (await openSession(target, given, io)).close()
  } finally {
    progress.end()
  }
}

async function compactOpen(
  session: Session,
  job: Job,
  progress: ProgressLine,
  onWriting: () => void,
): Promise<void> {
  const { io, destination, flags, kept, resolved } = job
  const { composed, format } = session
  const to = writtenFormat(kept?.to ?? flags.to, format, composed)
  await refuseInPlace(destination, to, session, io)
  if (kept?.source.kind === 'thread' && kept.source.version !== session.version)
    throw changedSince(kept.source.threadId)
  const plan = await buildPlan(job, progress)
  // Keep only the number: the messages would be a second copy of a long session.
  const { length } = (await composed.threads.messages(session.threadId)).messages
  if (destination.kind === 'in-place' && plan.strategyId === FRESH_SESSION) throw freshInPlace()
  const compacted = await compactSession(session, plan)
  progress.say('writing …')
  const redact = kept?.redact ?? flags.redact ?? false
  const { threadId } = compacted
  const secrets = redact ? 'remove' : 'leave'
  const written = await writeSession(session, { threadId, to, secrets }, io)
  onWriting()
  const result = await readResult(session, job, plan, compacted, written, to)
  const latest = await composed.store.read(session.threadId, {
    from: Math.max(1, session.version - LOOKED_AT),
  })
  const report = buildReport(session, job, plan, compacted, written, {
    result,
    messages: { before: length, after: written.messages },
    constraints: pinnedTexts(await composed.threads.pins(threadId)),
    costs: computeCosts(compacted, latest.map(readRow), resolved.settings),
  })
  const hasAsked = report.models.length > 0
  progress.end()
  await deliver(io, {
    report,
    result: written.pieces ?? written.text,
    output: destination.kind === 'file' ? destination.path : undefined,
    json: flags.json,
    columns: DEFAULT_COLUMNS,
    render: (...shown) =>
      renderCompactReport(...shown, {
        program: programName(io),
        options: givenOptions(hasAsked ? flags : withoutStandIn(flags)),
        canReplace: isReplaceable(session, to, plan.strategyId, io),
      }),
  })
}

async function buildPlan(job: Job, progress: ProgressLine): Promise<CommandPlan> {
  const { flags, resolved, kept, budget, strategyId } = job
  const { settings } = resolved
  const wishes = readWishes(settings, { pins: flags.pin, instructions: flags.instructions })
  return {
    strategyId,
    counter: await loadCounter(settings.counter),
    ...(budget && { budget }),
    wishes: kept ? { pins: kept.pins, protect: kept.protect } : wishes,
    settings,
    shown: shownSettings(resolved, flags, wishes),
    progress,
    ...(kept && { proposal: kept.prepared }),
  }
}

/** The sample belongs to the package, so no hint may suggest changing it. */
function isSample(path: string, { cwd }: Io): boolean {
  const samples = fileURLToPath(new URL('../../../samples/', import.meta.url))
  return resolve(cwd, path).startsWith(samples)
}

/** Whether to suggest `--in-place`. */
function isReplaceable(
  { target, format }: Session,
  to: WrittenFormat,
  strategyId: string,
  io: Io,
): boolean {
  if (target.kind !== 'file' || target.path === '-' || isSample(target.path, io)) return false
  return to.format.id === format?.id && strategyId !== FRESH_SESSION
}

/** A replacement must have the file's format, and the file must not be locked. */
async function refuseInPlace(
  { kind }: Destination,
  to: WrittenFormat,
  { format, target }: Session,
  io: Io,
): Promise<void> {
  if (kind !== 'in-place' || target.kind !== 'file') return
  if (to.format.id === format?.id) return requireReplaceable(target.path, io)
  const sentence = `${readName(target)} has the format ${format?.id}, and would become ${to.format.id}`
  const hint = 'Write it to another file: --out FILE.'
  throw new PrecisError('usage', sentence, { where: '--in-place', hint })
}

async function readResult(
  session: Session,
  { io, target, destination, flags, digest = '' }: Job,
  plan: CommandPlan,
  compacted: SessionOutcome,
  written: WrittenSession,
  to: WrittenFormat,
): Promise<CommandReport['result']> {
  const none = { written: null, inPlace: false }
  const old = written.oldRecords === undefined ? {} : { oldRecords: written.oldRecords }
  const { record: prepared } = compacted
  if (flags.dryRun) {
    const source =
      target.kind === 'file'
        ? {
            ...target,
            path: resolve(io.cwd, target.path),
            digest,
            format: session.format?.id ?? '',
          }
        : { ...target, version: session.version }
    const { pins, protect } = plan.wishes
    const rest = { to: to.format.id, redact: flags.redact ?? false, pins: [...pins], protect }
    const proposal = await keepProposal({ source, ...rest, prepared }, io)
    return { ...none, proposal }
  }
  if (destination.kind === 'file') return { ...none, ...old, written: destination.path }
  if (target.kind === 'thread') {
    const threadId = await applyToThread(
      target.threadId,
      session.version,
      plan.settings,
      prepared,
      io,
    )
    return { ...none, threadId }
  }
  // Without a change no backup is needed.
  if (destination.kind === 'none' || computeDigest(written.pieces ?? written.text) === digest)
    return none
  const what = `compacted with ${prepared.strategyId}`
  await replaceWithBackup(target.path, written.pieces ?? written.text, { digest, what }, io)
  return { ...none, ...old, written: target.path, inPlace: true }
}

function buildReport(
  session: Session,
  { target, flags, resolved }: Job,
  { counter, strategyId }: CommandPlan,
  compacted: SessionOutcome,
  written: WrittenSession,
  more: Pick<CommandReport, 'constraints' | 'costs' | 'messages' | 'result'>,
): CommandReport {
  const { before, after, budgetTokens, problems } = compacted
  const { drops, largest, pins, refs, settings, fallback, replacedBy } = compacted.report
  const asked = session.composed.asked()
  return {
    input: {
      kind: target.kind,
      source: target.kind === 'file' ? target.path : target.threadId,
      format: session.format?.id ?? null,
    },
    strategy: { id: strategyId, origin: readOrigin(resolved, flags) },
    counter: counter.id,
    ...(budgetTokens !== undefined && { budgetTokens }),
    before,
    after,
    drops,
    largest,
    pins,
    refs,
    settings,
    ...(fallback && { fallback }),
    ...(replacedBy !== undefined && { replacedBy }),
    problems: [
      ...session.problems,
      ...problems,
      ...replacedLines(compacted.report),
      ...written.problems,
      ...unaskedProblems(strategyId, flags, asked),
    ],
    models: asked,
    ...(flags.redact && { redacted: written.found }),
    ...more,
  }
}

/** User-set pins before detected ones. */
function pinnedTexts(pins: Pins): string[] {
  const isFound = ({ by }: Pins[number]) => by === 'detected' || by === 'pattern'
  return [...pins.filter((pin) => !isFound(pin)), ...pins.filter(isFound)].flatMap(
    ({ text }) => text ?? [],
  )
}

function freshInPlace(): PrecisError {
  return new PrecisError('usage', 'a fresh session is a new file beside the old one', {
    where: '--in-place',
    hint: 'Use --out FILE: the old session stays as it is.',
  })
}

/** The stand-in as an unused model changes nothing. */
function withoutStandIn({ model, ...flags }: Flags): Flags {
  return model === undefined || isStandIn(model) ? flags : { ...flags, model }
}

/** The options that determine the result, for a command that repeats it. */
function givenOptions({
  strategy,
  model,
  counter,
  redact,
  format,
  to,
  budget,
  instructions,
  pin = [],
}: Flags): string[] {
  const named = { format, to, strategy, model, counter, budget, instructions }
  return [
    ...Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    ),
    ...pin.flatMap((text) => ['--pin', text]),
    ...(redact ? ['--redact'] : []),
  ]
}
