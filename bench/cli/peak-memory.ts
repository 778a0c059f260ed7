// The peaks of memory of `precis import` and `precis compact` on a long session, beside what they may take.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Answered, compare } from '../figure.ts'
import { longSession } from './long-session.ts'
import type { Settings } from './settings.ts'

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
