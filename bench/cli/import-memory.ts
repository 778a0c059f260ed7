// The peak of memory of `precis import` on a long session, beside what it may take.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Answered, compare } from '../figure.ts'
import { longSession } from './long-session.ts'
import type { Settings } from './settings.ts'

const SCRIPT = fileURLToPath(new URL('./import-process.ts', import.meta.url))

export async function importMemory({ longBytes, limitBytes }: Settings): Promise<Answered> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bench-'))
  try {
    const file = join(folder, 'session.jsonl')
    const handle = openSync(file, 'w')
    for (const line of longSession(longBytes)) writeSync(handle, line)
    closeSync(handle)
    const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT, file], {
      encoding: 'utf8',
      env: { ...process.env, PRECIS_HOME: join(folder, 'home') },
    })
    if (status !== 0) throw new Error(stderr)
    const question = {
      id: 'memory',
      unit: 'kB',
      subject: `the peak of importing a session of ${longBytes / 1e6} MB`,
      reference: 'what it may take',
      goal: { is: 'at most', ratio: 1 },
    } as const
    const peak = Number(stdout.trim().split('\n').at(-1))
    return compare(question, [peak], [limitBytes / 1_000])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
