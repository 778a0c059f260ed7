// What one run of `precis compact` does, validated before the session is read.
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { applyKept } from '../../compaction/compact-thread.ts'
import type { ProposalRecord } from '../../compaction/plan.ts'
import { PrecisError } from '../../core/errors.ts'
import type { ResolvedSettings, Settings } from '../../core/settings/settings.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import { PAGE_FORMATS } from '../../formats/pages.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import { randomIds } from '../../system.ts'
import type { Io } from '../process-io.ts'
import { digestOfFile } from '../session/backups.ts'
import { parseTarget, readFormat, type Target, writtenFormat } from '../session/formats.ts'
import { stateFolder } from '../settings/places.ts'
import { type Budget, loadSettings, parseBudget } from '../settings/settings.ts'
import { requireCounter } from '../terminal/counter.ts'
import { makeFolder, writeText } from '../terminal/io.ts'
import { refuseOverwriting } from '../terminal/source.ts'
import { openHome } from '../threads/home.ts'
import { requireCommitted } from './compact-session.ts'
import {
  chooseDestination,
  type Destination,
  type Flags,
  readSource,
  refuseBesideApply,
} from './flags.ts'
import { chooseStrategy } from './plan.ts'

const FORMATS = { formats: SESSION_FORMATS, pages: PAGE_FORMATS }
const STRATEGY_IDS = DEFAULT_STRATEGIES.map(({ id }) => id)

/** Everything known before the session is read. */
export interface Job {
  readonly io: Io
  readonly target: Target
  readonly destination: Destination
  readonly flags: Flags
  readonly resolved: ResolvedSettings
  readonly strategyId: string
  readonly budget?: Budget
  readonly kept?: KeptProposal
  readonly digest?: string // of the file to be replaced, or of a proposal's input
}

export async function buildJob(file: string | undefined, flags: Flags, io: Io): Promise<Job> {
  const destination = chooseDestination(flags)
  if (flags.apply !== undefined) refuseBesideApply(file, flags)
  const kept = flags.apply === undefined ? undefined : await readProposal(flags.apply, io)
  const budget = flags.budget === undefined ? undefined : parseBudget(flags.budget)
  if (flags.counter !== undefined) requireCounter(flags.counter)
  if (flags.format !== undefined) readFormat(flags.format, FORMATS)
  writtenFormat(flags.to, undefined, FORMATS)
  const choose = (settings: ResolvedSettings) => chooseStrategy(settings, flags, STRATEGY_IDS)
  const resolved = loadSettings({
    ...io,
    ...(kept === undefined && { check: choose }),
    flags: {
      ...(flags.strategy !== undefined && { strategy: flags.strategy }),
      ...(flags.counter !== undefined && { counter: flags.counter }),
      ...(flags.model !== undefined && { models: { default: flags.model } }),
    },
  })
  const strategyId = kept?.prepared.strategyId ?? choose(resolved)
  const target = kept
    ? targetOfKept(kept)
    : parseTarget(readSource(file, flags.input), 'compact', io)
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
  flags: Flags,
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
    throw refuse(
      '--apply of a file needs --in-place or --out FILE',
      '--apply',
      'Add --in-place or --out FILE.',
    )
}

export function changedSince(name: string): PrecisError {
  return new PrecisError('version-conflict', `${name} has changed since the proposal was created`, {
    where: name,
    hint: 'Nothing was changed. Make a new proposal with --dry-run.',
  })
}

/** Older ones are deleted. */
const KEPT = 100

const schema = z.object({
  v: z.literal(1),
  id: z.string(),
  at: z.string(),
  /** Its input, which must not have changed since. */
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), path: z.string(), digest: z.string(), format: z.string() }),
    z.object({ kind: z.literal('thread'), threadId: z.string(), version: z.number() }),
  ]),
  to: z.string(),
  redact: z.boolean(),
  pins: z.array(z.string()),
  protect: z.object({
    tools: z.array(z.string()).optional(),
    paths: z.array(z.string()).optional(),
  }),
  prepared: z.looseObject({
    runId: z.string(),
    strategyId: z.string(),
    basedOn: z.number(),
    proposal: z.looseObject({ edits: z.array(z.unknown()) }),
  }),
})
type JobRow = z.output<typeof schema>

/** Proposals of dry runs, kept in the data directory to be applied unchanged. */
type KeptProposal = Omit<JobRow, 'prepared'> & { readonly prepared: ProposalRecord }

export async function keepProposal(
  proposal: Omit<KeptProposal, 'v' | 'id' | 'at'>,
  io: Io,
): Promise<string> {
  const folder = await readFolder(io)
  const id = randomIds.next('prp')
  const kept: KeptProposal = { v: 1, id, at: new Date().toISOString(), ...proposal }
  await writeText(join(folder, `${id}.json`), `${JSON.stringify(kept)}\n`, io)
  const names = (await readdir(folder)).filter((name) => /^prp_\w+\.json$/.test(name)).sort()
  for (const old of names.slice(0, -KEPT)) await rm(join(folder, old), { force: true })
  return id
}

async function readProposal(id: string, io: Io): Promise<KeptProposal> {
  const file = join(await readFolder(io), `${id}.json`)
  const text = /^prp_\w+$/.test(id)
    ? await readFile(file, 'utf8').catch(() => undefined)
    : undefined
  if (text === undefined)
    throw new PrecisError('not-found', `there is no proposal ${id}`, {
      where: '--apply',
      hint: 'precis compact FILE --dry-run creates a proposal and prints its id.',
    })
  const read = schema.safeParse(jsonIn(text))
  if (read.success) return read.data as unknown as KeptProposal
  throw new PrecisError('invalid-input', `the proposal ${id} cannot be read`, {
    where: file,
    hint: 'Create a new proposal with --dry-run.',
    cause: read.error,
  })
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readFolder(io: Io): Promise<string> {
  const folder = join(await stateFolder(io), 'proposals')
  await makeFolder(folder, 0o700)
  return folder
}

/** The thread with the result: the same, or the one a fresh session began. */
export async function applyToThread(
  threadId: string,
  version: number,
  settings: Settings,
  record: ProposalRecord,
  io: Io,
): Promise<string> {
  const home = await openHome(settings, io)
  try {
    const now = await home.threads.context(threadId)
    if (now.version !== version)
      throw new PrecisError('version-conflict', `${threadId} has changed in the meantime`, {
        where: threadId,
        hint: 'Nothing was changed. Try again.',
      })
    const outcome = await applyKept(home.threads, threadId, record)
    return requireCommitted(outcome, record.strategyId).fresh?.threadId ?? threadId
  } finally {
    await home.close()
  }
}
