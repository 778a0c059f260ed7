// The command line: a session in and out beside JSON.parse, its start beside Node's, its peak of memory.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readEvents } from '../../src/cli/session/session.ts'
import { compose } from '../../src/compose.ts'
import { DEFAULT_STRATEGY } from '../../src/core/settings/settings-schema.ts'
import { buildMessages } from '../../src/core/view/build.ts'
import { claudeCode } from '../../src/formats/claude-code/write.ts'
import { importSession } from '../../src/formats/reading/import-session.ts'
import type { Source } from '../../src/formats/session-format.ts'
import { valueStore } from '../../src/stores/memory/memory.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, use } from '../measure.ts'
import { longSession } from './long-session.ts'
import type { Settings } from './settings.ts'

const PIECE_BYTES = 64_000

export async function sessionCost({ sessionBytes, rounds, budgetMs }: Settings): Promise<Answered> {
  const bytes = Buffer.from([...longSession(sessionBytes)].join(''))
  const series = await interleave(
    {
      session: () => cpuMillisOf(() => throughAThread(bytes)),
      parse: () =>
        cpuMillisOf(async () => {
          for (const line of bytes.toString('utf8').split('\n'))
            if (line !== '') use(Object.keys(JSON.parse(line)).length)
        }),
    },
    { rounds, warmUps: 4, budgetMs },
  )
  const question = {
    id: 'session',
    unit: 'ms',
    subject: `a Claude Code session of ${sessionBytes / 1e6} MB imported, compacted and written`,
    reference: 'JSON.parse of its lines',
    goal: { is: 'at most', ratio: 15 },
  } as const
  return compare(question, series.session, series.parse)
}

/** What `precis compact FILE --out FILE` does between reading and writing the file. */
async function throughAThread(bytes: Buffer): Promise<void> {
  const { threads, store, close } = compose({ store: valueStore() })
  const { threadId } = await importSession(threads, claudeCode, sourceOf(bytes))
  const outcome = await threads.compact(threadId, DEFAULT_STRATEGY, { trigger: 'command' })
  if (!outcome.committed) throw new Error(outcome.refusal.message)
  const events = await readEvents(store, threadId)
  const view = buildMessages(await threads.context(threadId), (seq) => events[seq - 1])
  const options = { now: new Date(), newId: randomUUID }
  use(claudeCode.write?.({ view, events }, options).text.length ?? 0)
  await close()
}

function sourceOf(bytes: Buffer): Source {
  return {
    bytes: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        yield bytes.subarray(at, at + PIECE_BYTES)
    },
  }
}

/** Time of the processor: nothing here waits for anything else. */
async function cpuMillisOf(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

export async function startCost({ starts, budgetMs }: Settings): Promise<Answered> {
  const series = await interleave(
    { help: () => millisOf([PRECIS, '--help']), node: () => millisOf(['-e', '0']) },
    // The first start compiles, the others find that done.
    { rounds: starts, warmUps: 2, budgetMs },
  )
  const question = {
    id: 'help',
    unit: 'ms',
    subject: 'precis --help',
    reference: 'starting Node',
    goal: { is: 'at most', ratio: 3 },
  } as const
  return compare(question, series.help, series.node)
}

function millisOf(args: readonly string[]): number {
  const start = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return performance.now() - start
}

const SCRIPT = fileURLToPath(new URL('./command-process.ts', import.meta.url))

export async function peakMemory({ longBytes, limitBytes }: Settings): Promise<Answered[]> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bench-'))
  try {
    const file = join(folder, 'session.jsonl')
    const handle = openSync(file, 'w')
    for (const line of longSession(longBytes)) writeSync(handle, line)
    closeSync(handle)
    const figure = (id: string, doing: string, ...args: readonly string[]): Answered => {
      const question = {
        id,
        unit: 'kB',
        subject: `the peak of ${doing} a session of ${longBytes / 1e6} MB`,
        reference: 'what it may take',
        goal: { is: 'at most', ratio: 1 },
      } as const
      return compare(question, [peakOf(args, folder)], [limitBytes / 1_000])
    }
    return [
      figure('memory', 'importing', 'import', file, '--json'),
      figure('compact-memory', 'compacting', 'compact', file, '--out', `${file}.out`, '--json'),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function peakOf(args: readonly string[], folder: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT, ...args], {
    encoding: 'utf8',
    env: { ...process.env, PRECIS_HOME: join(folder, 'home') },
  })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout.trim().split('\n').at(-1))
}
