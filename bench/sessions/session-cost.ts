// What listing and syncing many session files cost of the processor, beside find and stat of the same files.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Answered, compare } from '../figure.ts'
import { interleave } from '../measure.ts'
import type { Settings } from './settings.ts'

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))
const FACTS = 'session-facts.json'

export async function sessionCost(settings: Settings): Promise<Answered[]> {
  const home = mkdtempSync(join(tmpdir(), 'precis-bench-sessions-'))
  try {
    return await measure(settings, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function measure({ sessions, rounds, budgetMs }: Settings, home: string) {
  const state = join(home, 'state')
  const precis = (...args: string[]) => run(process.execPath, [PRECIS, ...args], home)
  writeSessions(sessions, home)
  precis('sync')
  const series = await interleave(
    {
      // Without the facts of an earlier listing every file is opened.
      list: () => {
        rmSync(join(state, FACTS), { force: true })
        return precis('sessions', '--json', '--limit', String(sessions)).ms
      },
      again: () => precis('sessions', '--json', '--limit', String(sessions)).ms,
      sync: () => {
        const { ms, stdout } = precis('sync', '--json')
        const { addedEvents, unchanged } = JSON.parse(stdout)
        if (addedEvents !== 0 || unchanged !== sessions)
          throw new Error(`a second sync added ${addedEvents} events: ${unchanged} unchanged`)
        return ms
      },
      look: () => run('find', [home, '-name', '*.jsonl', '-exec', 'stat', '{}', '+'], home).ms,
    },
    { rounds, warmUps: 1, budgetMs },
  )
  const figure = (id: 'list' | 'again' | 'sync', subject: string, ratio: number) => {
    const reference = 'find and stat of the same files'
    const goal = { is: 'at most', ratio } as const
    return compare({ id, unit: 'ms', subject, reference, goal }, series[id], series.look)
  }
  return [
    figure('list', `precis sessions, ${sessions} files seen for the first time`, 100),
    figure('again', `precis sessions, ${sessions} known files`, 50),
    figure('sync', `a second precis sync of ${sessions} files, which adds 0 events`, 50),
  ]
}

function writeSessions(sessions: number, home: string): void {
  const sample = (name: string) =>
    readFileSync(new URL(`../../samples/sessions/${name}`, import.meta.url), 'utf8')
  const claude = sample('claude-code.jsonl')
  const codex = sample('codex.jsonl')
  for (let at = 0; at < sessions; at += 1) {
    const id = `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`
    const isClaude = at % 2 === 0
    const folder = isClaude
      ? join(home, '.claude', 'projects', `-srv-project-${at % 40}`)
      : join(home, '.codex', 'sessions', '2026', '03', String((at % 28) + 1).padStart(2, '0'))
    mkdirSync(folder, { recursive: true })
    const name = isClaude ? `${id}.jsonl` : `rollout-2026-03-01T09-00-00-${id}.jsonl`
    const text = isClaude ? claude : codex
    // Each its own words, or they would be one session in many files.
    const own = text.replaceAll('kettle', `kettle${at}`)
    writeFileSync(join(folder, name), own)
  }
}

/** What the process took of the processor, as the shell tells it: the time on the wall grows while others have it. */
const TIMED = 'TIMEFORMAT="%U %S"; time "$0" "$@"'

function run(command: string, args: readonly string[], home: string) {
  const { PATH } = process.env
  const env = { PATH, HOME: home, PRECIS_HOME: join(home, 'state'), NO_COLOR: '1' }
  const options = { env, cwd: home, encoding: 'utf8', maxBuffer: 100_000_000 } as const
  const { status, stdout, stderr } = spawnSync('bash', ['-c', TIMED, command, ...args], options)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  const [user, system] = (stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number)
  return { ms: ((user ?? 0) + (system ?? 0)) * 1_000, stdout }
}
