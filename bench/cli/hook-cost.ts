// What the hooks around a compaction of Claude Code cost of the processor on a long session, beside starting Node.
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Answered, compare } from '../figure.ts'
import { interleave } from '../measure.ts'
import { longSession } from './long-session.ts'
import type { Settings } from './settings.ts'

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))
const HOOK = [PRECIS, 'hook', 'claude-code']
/** What Claude Code runs beside its compaction, without waiting for it. */
const ASIDE = [...HOOK, 'aside']
/** How much of a session was there at its compaction before this one. */
const EARLIER_SHARE = 0.8

/** The process says at its end what it took: the time on the wall grows while others have the processor. */
const TELLING = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write(String((user + system) / 1000))
})`

const COMPACTED = [
  { type: 'system', subtype: 'compact_boundary', uuid: 'b', compactMetadata: { trigger: 'auto' } },
  { type: 'user', uuid: 's', isCompactSummary: true, message: { content: 'A summary.' } },
]

export async function hookCost({ hookBytes, starts, budgetMs }: Settings): Promise<Answered[]> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bench-'))
  try {
    const lines = [...longSession(hookBytes)]
    const text = lines.join('')
    const earlier = lines.slice(0, Math.floor(lines.length * EARLIER_SHARE)).join('')
    // One was never read; one was read at an earlier compaction; one has just been compacted.
    const first = placeIn(folder, 'first', text)
    const later = placeIn(folder, 'later', earlier)
    const after = placeIn(folder, 'after', text)
    for (const place of [later, after]) millisOf(ASIDE, place, 'PreCompact')
    writeFileSync(later.file, text)
    appendFileSync(after.file, COMPACTED.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const series = await interleave(
      {
        first: () => millisOf(HOOK, first, 'PreCompact'),
        later: () => millisOf(HOOK, later, 'PreCompact'),
        after: () => millisOf(HOOK, after, 'SessionStart'),
        node: () => millisOf(['-e', '0'], first),
      },
      { rounds: starts, warmUps: 2, budgetMs },
    )
    const question = (id: string, subject: string) => ({
      ...({ id, unit: 'ms', reference: 'starting Node' } as const),
      subject: `${subject}, on a session of ${hookBytes / 1e6} MB`,
      goal: { is: 'at most', ratio: 4 } as const,
    })
    return [
      compare(question('hook-after', 'the hook after a compaction'), series.after, series.node),
      compare(
        question('hook-before', 'the hook before the first compaction'),
        series.first,
        series.node,
      ),
      compare(
        question('hook-before-later', 'the hook before a later one, a fifth of it new'),
        series.later,
        series.node,
      ),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Place {
  readonly home: string
  readonly file: string
}

function placeIn(folder: string, name: string, text: string): Place {
  const home = join(folder, name)
  mkdirSync(home)
  const file = join(home, 'session.jsonl')
  writeFileSync(file, text)
  return { home, file }
}

function millisOf(args: readonly string[], { home, file }: Place, event = ''): number {
  const input = JSON.stringify({ hook_event_name: event, transcript_path: file, cwd: home })
  const telling = `--import=data:text/javascript,${encodeURIComponent(TELLING)}`
  const { XDG_CACHE_HOME, NODE_COMPILE_CACHE, PATH } = process.env
  const { status, stderr, stdout } = spawnSync(process.execPath, [telling, ...args], {
    cwd: home,
    input,
    encoding: 'utf8',
    env: { PATH, HOME: home, PRECIS_HOME: home, XDG_CACHE_HOME, NODE_COMPILE_CACHE },
  })
  const isSilent = event !== '' && args !== ASIDE && stdout === ''
  if (status !== 0 || isSilent) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return Number(stderr)
}
