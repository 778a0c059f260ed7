// A command and everything it starts as one process group that can be ended together.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Signal } from '../../core/model.ts'
import type { Environment } from './environment.ts'
import { endMarked, MARK, POLL_MS } from './left-behind.ts'

interface CommandOptions {
  readonly shell: string
  readonly command: string
  readonly folder: string
  readonly environment: Environment
  readonly timeoutMs: number
  /** Time between the request to end and the kill. */
  readonly graceMs: number
  /** How long background processes may still write after the shell has ended. */
  readonly settleMs: number
  readonly signal: Signal
  /** Its output, both streams in order of arrival. */
  onOutput(text: string): void
}

export interface CommandEnd {
  /** Absent if a signal ended it. */
  readonly exitCode?: number
  readonly signalName?: string
  /** Why it was ended by us; absent if it ended by itself. */
  readonly endedFor?: 'timeout' | 'abort'
  /** It left background processes, which were ended. */
  readonly leftOthers: boolean
  /** Processes it left that could not be ended. */
  readonly stillRunning?: readonly number[]
}

/**
 * Rejects if the shell cannot be started. When it resolves, no process of the group is left, nor any that
 * left the group and can be found.
 */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { signal, timeoutMs, graceMs } = options
  const mark = randomUUID()
  const child = spawn(options.shell, ['-c', options.command], {
    cwd: options.folder,
    env: { ...options.environment, [MARK]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // leader of a new group
  })
  const closed = readOutputs(child, options.onOutput)
  const exited = waitForExit(child)
  let endedFor: CommandEnd['endedFor']
  let ending: Promise<unknown> | undefined
  const end = (why: CommandEnd['endedFor']) => {
    endedFor ??= why
    ending ??= endGroup(child, graceMs)
  }
  const timer = setTimeout(() => end('timeout'), timeoutMs)
  const onAbort = () => end('abort')
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    const exit = await exited
    clearTimeout(timer)
    await ending
    const settledAt = performance.now() + options.settleMs
    await Promise.race([closed, sleep(options.settleMs)])
    const leftGroup = endedFor === undefined && !(await isGroupGone(child, settledAt))
    if (leftGroup) await endGroup(child, graceMs)
    const { found, stillRunning } = await endMarked(mark, graceMs)
    const leftOthers = leftGroup || (endedFor === undefined && found > 0)
    // A process that left the group may keep the streams open for ever.
    await Promise.race([closed, sleep(graceMs, undefined, { ref: false })])
    const stays = stillRunning.length > 0 && { stillRunning }
    return { ...exit, ...(endedFor && { endedFor }), leftOthers, ...stays }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
}

/** Resolves when both streams are closed. Decodes each separately, since a character may be split. */
function readOutputs(child: ChildProcess, onOutput: (text: string) => void): Promise<unknown> {
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8')
    stream?.on('data', (bytes: Buffer) => onOutput(decoder.write(bytes)))
    stream?.on('end', () => onOutput(decoder.end()))
  }
  return new Promise((resolve) => child.once('close', resolve))
}

function waitForExit(child: ChildProcess): Promise<Pick<CommandEnd, 'exitCode' | 'signalName'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, name) =>
      resolve(code === null ? { signalName: name ?? 'unknown' } : { exitCode: code }),
    )
  })
}

/** Asks the whole group to end, and kills what remains after a while. */
async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
  signalGroup(child, 'SIGTERM')
  for (let waitedMs = 0; waitedMs < graceMs && isGroupAlive(child); waitedMs += POLL_MS)
    await sleep(POLL_MS)
  signalGroup(child, 'SIGKILL')
}

/** A process closes its streams a moment before it ends: wait that moment. */
async function isGroupGone(child: ChildProcess, deadline: number): Promise<boolean> {
  while (isGroupAlive(child)) {
    if (performance.now() >= deadline) return false
    await sleep(POLL_MS)
  }
  return true
}

/**
 * Whether a process of the group still runs. Zombies do not count: they stay in the group until their parent
 * reaps them, in a container perhaps never.
 */
function isGroupAlive(child: ChildProcess): boolean {
  if (!signalGroup(child, 0)) return false
  const states = statesOfGroup(child.pid ?? 0)
  return states === undefined || states.some((state) => state !== 'Z' && state !== 'X')
}

/** False if the group is empty. */
function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, name)
  } catch {
    return false // ESRCH: all gone. EPERM: the rest is not ours
  }
}

/** Undefined if the system does not tell; Linux does. */
function statesOfGroup(groupId: number): string[] | undefined {
  if (process.platform !== 'linux') return undefined
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => fieldsOfProcess(name))
    .flatMap(([state = '', , group]) => (Number(group) === groupId ? [state] : []))
}

/** State, parent, group, …: the fields after the name, which may itself contain blanks and brackets. */
function fieldsOfProcess(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return [] // it ended meanwhile
  }
}
