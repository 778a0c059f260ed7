// `precis handoff`: writes the newest session of this project as another agent's, with the command to resume
// it.
import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import type { Io } from '../process-io.ts'
import { parseTarget, readName, type WrittenFormat, writtenFormat } from '../session/formats.ts'
import { findProject } from '../session/replace-unchanged.ts'
import { openSession, readEvents } from '../session/session.ts'
import { writeSession } from '../session/write-session.ts'
import { chooseSession } from '../sessions/choose-sessions.ts'
import type { FoundSession } from '../sessions/find-sessions.ts'
import { stateFolder } from '../settings/places.ts'
import { loadSettings } from '../settings/settings.ts'
import { makeFolder, writeText } from '../terminal/io.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { counted, print, quoted, wrapLines } from '../terminal/terminal.ts'
import { HOSTS, type HostName, readIfThere } from './host-file.ts'

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
  const to = readHost(flags.to)
  const chosen = given === undefined && !flags.last ? { here: true } : flags
  const target = parseTarget(
    (await chooseSession(given, chosen, io, await ownCopies(io))) ?? '',
    'handoff',
    io,
  )
  const { settings } = loadSettings(io)
  const progress = new ProgressLine(io.stderr)
  const session = await openSession(target, { settings, progress }, io)
  try {
    const { composed, threadId } = session
    const { directory, missing } = await findDirectory(
      await readEvents(composed.store, threadId),
      io,
    )
    const wish = {
      threadId,
      to: asNew(writtenFormat(to, undefined, composed)),
      secrets: flags.raw ? 'leave' : 'remove',
    } as const
    const there = { ...io, cwd: directory }
    const { text, problems, messages } = await writeSession(session, wish, there)
    const { path, command: start } = await placeFor(to, text, there)
    const isHere = directory === (await realpath(io.cwd))
    const command = isHere ? start : `cd ${quoted(directory)} && ${start}`
    await refuseExisting(path)
    await makeFolder(dirname(path), PRIVATE_FOLDER)
    await writeText(path, text, io)
    await noteCopy(path, text, io)
    progress.end()
    const told = {
      from: readName(target),
      to,
      path,
      directory,
      ...(missing !== undefined && { missingDirectory: missing }),
      messages,
      command,
      losses: problems,
    }
    await print(io, told, flags.json, (clean, style, columns) =>
      [
        `${clean.from}: ${counted(clean.messages, 'message')} written for ${to}.`,
        ...clean.losses.flatMap((loss) => wrapLines(loss, columns)),
        `File:       ${clean.path}`,
        `Directory:  ${clean.directory}`,
        ...(clean.missingDirectory === undefined
          ? []
          : [
              `  The session was in ${clean.missingDirectory}, which is not a directory on this machine.`,
            ]),
        `${isHere ? 'Continue it in this directory' : 'Continue it'}: ${style.bold(clean.command)}`,
        '',
      ].join('\n'),
    )
  } finally {
    progress.end()
    await session.close()
  }
}

function readHost(given: string | undefined): HostName {
  const found = HOSTS.find((host) => host === given)
  if (found) return found
  throw new PrecisError('usage', `--to is ${given ?? 'missing'}`, {
    where: '--to',
    hint: `Name one of ${HOSTS.join(', ')}.`,
  })
}

const COPIES = 'handoffs.json'
const MOST_COPIES = 500
/** Bytes by path, oldest first. */
const copiesSchema = z.record(z.string(), z.number())

/** A session written by a handoff is a copy until an agent continues it. */
async function ownCopies(io: Io): Promise<(session: FoundSession) => boolean> {
  const copies = await readCopies(io)
  return ({ path, bytes }) => copies[path] === bytes
}

async function readCopies(io: Io): Promise<Readonly<Record<string, number>>> {
  const text = await readIfThere(join(stateFolderPath(io), COPIES))
  try {
    return copiesSchema.parse(JSON.parse(text ?? '{}'))
  } catch {
    return {} // the list only saves a choice: a damaged one starts again
  }
}

async function noteCopy(path: string, text: string, io: Io): Promise<void> {
  const all = { ...(await readCopies(io)), [path]: Buffer.byteLength(text) }
  const kept = Object.fromEntries(Object.entries(all).slice(-MOST_COPIES))
  await writeText(join(await stateFolder(io), COPIES), `${JSON.stringify(kept, null, 2)}\n`, io)
}

/** Conversations are private. */
const PRIVATE_FOLDER = 0o700

/**
 * Agents look up sessions by directory. A directory missing on this machine is replaced by the working
 * directory.
 */
async function findDirectory(
  events: readonly ThreadEvent[],
  { cwd }: Io,
): Promise<{ readonly directory: string; readonly missing?: string }> {
  const own = findProject(events)
  if (own === undefined) return { directory: await realpath(cwd) }
  const isThere = (await stat(own).catch(() => undefined))?.isDirectory()
  return isThere
    ? { directory: await realpath(own) }
    : { directory: await realpath(cwd), missing: own }
}

/**
 * The handed-over session gets a new id, even within the same agent: otherwise a writer that finds its own
 * records would continue that session and use its directory.
 */
function asNew(to: WrittenFormat): WrittenFormat {
  if (to.kind === 'page') return to
  const { format } = to
  const write: typeof format.write = ({ events = [], sideEvents: _, ...outgoing }, options) =>
    format.write({ ...outgoing, events: events.flatMap(withoutRecords) }, options)
  return { kind: 'session', format: { ...format, write } }
}

function withoutRecords({ source: _, ...event }: ThreadEvent): ThreadEvent[] {
  return event.type === 'FOREIGN' ? [] : [event as ThreadEvent]
}

/** Includes dangling links: the file is not ours. */
export async function refuseExisting(path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there === undefined) return
  throw new PrecisError('file-unwritable', `${path} already exists`, {
    where: path,
    hint: 'Nothing was written. Run the command again: each handoff gets a new id.',
  })
}

/** Where the agent looks for it, and the command to open it. */
async function placeFor(
  host: HostName,
  text: string,
  io: Io,
): Promise<{ path: string; command: string }> {
  const { environment, cwd } = io
  const home = environment.HOME || environment.USERPROFILE || homedir()
  const now = new Date().toISOString()
  const id = parseId(host, text)
  switch (host) {
    case 'claude-code': {
      const folder = cwd.replaceAll(/[^A-Za-z0-9]/g, '-')
      const root = environment.CLAUDE_CONFIG_DIR || join(home, '.claude')
      const path = join(root, 'projects', folder, `${id}.jsonl`)
      return { path, command: `claude --resume ${quoted(id)}` }
    }
    case 'codex': {
      const root = environment.CODEX_HOME || join(home, '.codex')
      const [year = '', month = '', day = ''] = now.slice(0, 10).split('-')
      const name = `rollout-${now.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`
      const path = join(root, 'sessions', year, month, day, name)
      return { path, command: `codex resume ${quoted(id)}` }
    }
    case 'pi': {
      const root = environment.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')
      const folder = `--${cwd.replace(/^[/\\]/, '').replaceAll(/[/\\:]/g, '-')}--`
      const path = join(root, 'sessions', folder, `${now.replaceAll(/[:.]/g, '-')}_${id}.jsonl`)
      return { path, command: `pi --session ${quoted(path)}` }
    }
    case 'opencode': {
      const path = join(await stateFolder(io), 'handoff', `${id}.json`)
      return {
        path,
        command: `opencode import ${quoted(path)} && opencode --session ${quoted(id)}`,
      }
    }
  }
}

const ID = /^[\w-]{1,128}$/

/** The session id from the writer. It becomes part of a path and a command. */
function parseId(host: HostName, text: string): string {
  const end = text.indexOf('\n')
  const first: Json = JSON.parse((host === 'opencode' ? text : text.slice(0, end)) || '{}')
  const { sessionId, id, payload, info } = isFields(first) ? first : {}
  const found = {
    'claude-code': sessionId,
    codex: payload !== undefined && isFields(payload) ? payload.id : undefined,
    pi: id,
    opencode: info !== undefined && isFields(info) ? info.id : undefined,
  }[host]
  if (typeof found === 'string' && ID.test(found)) return found
  throw new PrecisError('internal', `the session written for ${host} has no id that can be used`)
}
