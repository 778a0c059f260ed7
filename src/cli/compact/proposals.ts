// Proposals of a dry run, kept in the folder for state until somebody applies them exactly as they are.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ProposalRecord } from '../../compaction/plan.ts'
import { PrecisError } from '../../core/errors.ts'
import { randomIds } from '../../system.ts'
import type { Io } from '../process-io.ts'
import { stateFolder } from '../settings/settings.ts'
import { writeText } from '../terminal/io.ts'

/** Older ones make room. */
const KEPT = 100

const schema = z.object({
  v: z.literal(1),
  id: z.string(),
  at: z.string(),
  /** What it was made for, and what must not have changed since. */
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
type Stored = z.output<typeof schema>
export type KeptProposal = Omit<Stored, 'prepared'> & { readonly prepared: ProposalRecord }

export async function keepProposal(
  proposal: Omit<KeptProposal, 'v' | 'id' | 'at'>,
  io: Io,
): Promise<string> {
  const folder = await folderOf(io)
  const id = randomIds.next('prp')
  const kept: KeptProposal = { v: 1, id, at: new Date().toISOString(), ...proposal }
  await writeText(join(folder, `${id}.json`), `${JSON.stringify(kept)}\n`, io)
  const names = (await readdir(folder)).filter((name) => /^prp_\w+\.json$/.test(name)).sort()
  for (const old of names.slice(0, -KEPT)) await rm(join(folder, old), { force: true })
  return id
}

export async function readProposal(id: string, io: Io): Promise<KeptProposal> {
  const file = join(await folderOf(io), `${id}.json`)
  const text = /^prp_\w+$/.test(id)
    ? await readFile(file, 'utf8').catch(() => undefined)
    : undefined
  if (text === undefined)
    throw new PrecisError('not-found', `there is no proposal ${id}`, {
      where: '--apply',
      hint: 'precis compact FILE --dry-run makes one and says its name.',
    })
  const read = schema.safeParse(jsonIn(text))
  if (read.success) return read.data as unknown as KeptProposal
  throw new PrecisError('invalid-input', `the proposal ${id} cannot be read`, {
    where: file,
    hint: 'Make a new one with --dry-run.',
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

async function folderOf(io: Io): Promise<string> {
  const folder = join(await stateFolder(io), 'proposals')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}
