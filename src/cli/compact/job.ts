// What one run of `precis compact` has to do, known and checked before the session is read.
import { PrecisError } from '../../core/errors.ts'
import type { ResolvedSettings } from '../../core/settings/settings.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import { PAGE_FORMATS } from '../../formats/pages.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import type { Io } from '../process-io.ts'
import { digestOfFile } from '../session/digest.ts'
import { readFormat, writtenFormat } from '../session/formats.ts'
import { type Target, targetOf } from '../session/target.ts'
import { type Budget, parseBudget } from '../settings/budget.ts'
import { loadSettings } from '../settings/settings.ts'
import { requireCounter } from '../terminal/counter.ts'
import { refuseOverwriting } from '../terminal/source.ts'
import {
  type CompactFlags,
  type Destination,
  destinationOf,
  refuseBesideApply,
  sourceOf,
} from './flags.ts'
import { chooseStrategy } from './plan.ts'
import { type KeptProposal, readProposal } from './proposals.ts'

const FORMATS = { formats: SESSION_FORMATS, pages: PAGE_FORMATS }
const STRATEGY_IDS = DEFAULT_STRATEGIES.map(({ id }) => id)

/** Everything that is known before the session is read. */
export interface Job {
  readonly io: Io
  readonly target: Target
  readonly destination: Destination
  readonly flags: CompactFlags
  readonly resolved: ResolvedSettings
  readonly strategyId: string
  readonly budget?: Budget
  readonly kept?: KeptProposal
  readonly digest?: string // of the file that the result takes the place of, or that a proposal is for
}

export async function jobOf(file: string | undefined, flags: CompactFlags, io: Io): Promise<Job> {
  const destination = destinationOf(flags)
  if (flags.apply !== undefined) refuseBesideApply(file, flags)
  const kept = flags.apply === undefined ? undefined : await readProposal(flags.apply, io)
  const budget = flags.budget === undefined ? undefined : parseBudget(flags.budget)
  if (flags.counter !== undefined) requireCounter(flags.counter)
  if (flags.format !== undefined) readFormat(flags.format, FORMATS)
  writtenFormat(flags.to, undefined, FORMATS)
  const resolved = loadSettings({
    ...io,
    flags: {
      ...(flags.strategy !== undefined && { strategy: flags.strategy }),
      ...(flags.counter !== undefined && { counter: flags.counter }),
      ...(flags.model !== undefined && { models: { default: flags.model } }),
    },
  })
  const strategyId = kept?.prepared.strategyId ?? chooseStrategy(resolved, flags, STRATEGY_IDS)
  const target = kept ? targetOfKept(kept) : targetOf(sourceOf(file, flags.input), 'compact', io)
  await refuseDestination(target, destination, flags, io)
  const isDigested =
    target.kind === 'file' &&
    (destination.kind === 'in-place' || flags.dryRun || kept !== undefined)
  const digest = isDigested && target.path !== '-' ? await digestOfFile(target.path, io) : undefined
  if (kept?.source.kind === 'file' && digest !== kept.source.digest)
    throw changedSince(kept.source.path)
  return {
    io,
    target,
    destination,
    flags,
    resolved,
    strategyId,
    ...(budget && { budget }),
    ...(kept && { kept }),
    ...(digest !== undefined && { digest }),
  }
}

function targetOfKept({ source }: KeptProposal): Target {
  return source.kind === 'file'
    ? { kind: 'file', path: source.path }
    : { kind: 'thread', threadId: source.threadId }
}

async function refuseDestination(
  target: Target,
  destination: Destination,
  flags: CompactFlags,
  io: Io,
): Promise<void> {
  const { dryRun, apply } = flags
  const refuse = (message: string, where: string, hint: string) =>
    new PrecisError('usage', message, { where, hint })
  if (dryRun && destination.kind !== 'none')
    throw refuse('a dry run writes nothing', '--dry-run', 'Pass --out or --in-place with --apply.')
  if (flags.force && destination.kind !== 'file')
    throw refuse('--force needs --out FILE', '--force', 'It goes with --out.')
  if (destination.kind === 'file')
    await refuseOverwriting(
      target.kind === 'file' ? target.path : undefined,
      destination.path,
      {
        option: flags.out === undefined ? '--output' : '--out',
        force: flags.force,
        instead: 'Or use --in-place, which keeps a backup.',
      },
      io,
    )
  if (target.kind === 'thread') {
    if (destination.kind === 'in-place')
      throw refuse('a thread is always compacted in place', '--in-place', 'Leave it out.')
    return
  }
  if (destination.kind === 'in-place' && target.path === '-')
    throw refuse('standard input cannot be replaced', '--in-place', 'Use --out.')
  if (dryRun && target.path === '-')
    throw refuse('standard input cannot be read again', '--dry-run', 'Give it a file.')
  if (apply !== undefined && destination.kind === 'none')
    throw refuse('it is not said where the result goes', '--apply', 'Add --in-place or --out FILE.')
}

export function changedSince(name: string): PrecisError {
  return new PrecisError('version-conflict', `${name} has changed since the proposal was made`, {
    where: name,
    hint: 'Nothing was changed. Make a new proposal with --dry-run.',
  })
}
