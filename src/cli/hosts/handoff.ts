// `precis handoff`: the newest session of this project, written as a session of another agent, and how to go on there
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Io } from '../process-io.ts'
import { readName, targetOf, writtenFormat } from '../session/formats.ts'
import { openSession } from '../session/session.ts'
import { writeSession } from '../session/write-session.ts'
import { chooseSession } from '../sessions/choose-sessions.ts'
import { loadSettings, stateFolderPath } from '../settings/settings.ts'
import { writeText } from '../terminal/io.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { oneLine, print, quoted } from '../terminal/terminal.ts'
import { HOSTS, type HostName } from './host-files.ts'

export interface HandoffFlags {
  readonly to?: string
  readonly last?: boolean
  readonly here?: boolean
  readonly raw?: boolean
  readonly json?: boolean
}

export async function handOff(
  given: string | undefined,
  flags: HandoffFlags,
  io: Io,
): Promise<void> {
  const to = HOSTS.find((host) => host === flags.to)
  if (!to)
    throw new PrecisError('usage', `--to is ${flags.to ?? 'missing'}`, {
      where: '--to',
      hint: `Name one of ${HOSTS.join(', ')}.`,
    })
  const chosen = given === undefined && !flags.last ? { here: true } : flags
  const target = targetOf((await chooseSession(given, chosen, io)) ?? '', 'handoff', io)
  const { settings } = loadSettings(io)
  const progress = new ProgressLine(io.stderr)
  const session = await openSession(target, { settings, progress }, io)
  try {
    const { composed, threadId } = session
    const wish = {
      threadId,
      to: writtenFormat(to, undefined, composed),
      secrets: flags.raw ? 'leave' : 'remove',
    } as const
    const { text, problems, messages } = await writeSession(session, wish, io)
    const { path, command } = placeFor(to, text, io)
    await mkdir(dirname(path), { recursive: true })
    await writeText(path, text, io)
    progress.end()
    const told = { from: readName(target), to, path, messages, command, losses: problems }
    await print(io, told, flags.json, (clean, style, columns) =>
      [
        `${clean.from}: ${clean.messages} messages written for ${to}.`,
        ...clean.losses.map((loss) => `  ${oneLine(loss, columns - 2)}`),
        `Go on with it: ${style.bold(clean.command)}`,
        '',
      ].join('\n'),
    )
  } finally {
    progress.end()
    await session.close()
  }
}

/** Where the agent looks for it, and the command that opens it. */
function placeFor(host: HostName, text: string, io: Io): { path: string; command: string } {
  const { environment, cwd } = io
  const home = environment.HOME || environment.USERPROFILE || homedir()
  const now = new Date().toISOString()
  switch (host) {
    case 'claude-code': {
      const id = fieldIn(text, 'sessionId')
      const folder = cwd.replaceAll(/[^A-Za-z0-9]/g, '-')
      const root = environment.CLAUDE_CONFIG_DIR || join(home, '.claude')
      return {
        path: join(root, 'projects', folder, `${id}.jsonl`),
        command: `claude --resume ${id}`,
      }
    }
    case 'codex': {
      const id = fieldIn(text, 'id')
      const root = environment.CODEX_HOME || join(home, '.codex')
      const [year = '', month = '', day = ''] = now.slice(0, 10).split('-')
      const name = `rollout-${now.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`
      return { path: join(root, 'sessions', year, month, day, name), command: `codex resume ${id}` }
    }
    case 'pi': {
      const root = environment.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')
      const folder = `--${cwd.replace(/^[/\\]/, '').replaceAll(/[/\\:]/g, '-')}--`
      const name = `${now.replaceAll(/[:.]/g, '-')}_${fieldIn(text, 'id')}.jsonl`
      const path = join(root, 'sessions', folder, name)
      return { path, command: `pi --session ${quoted(path)}` }
    }
    case 'opencode': {
      const id = fieldIn(text, 'id')
      const path = join(stateFolderPath(io), 'handoff', `${id}.json`)
      return { path, command: `opencode import ${quoted(path)} && opencode --session ${id}` }
    }
  }
}

/** The first value that the file gives this field. */
function fieldIn(text: string, name: string): string {
  const value = new RegExp(`"${name}":\\s*"([^"]+)"`).exec(text)?.[1]
  if (value !== undefined) return value
  throw new PrecisError('internal', `the written session has no ${name}`)
}
