// `precis send`: one message in a new or existing thread, streamed or as JSON.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SendOutcome } from '../../agent/agent.ts'
import { systemDrafts } from '../../agent/loop/system-prompt.ts'
import type { Composed } from '../../compose.ts'
import { composeAgent } from '../../compose-agent.ts'
import { type ApprovalPolicy, patternProblem } from '../../core/agent/approval.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/log/event.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { escapeSteering, printableJson } from '../../core/text/visible.ts'
import { billedUsage } from '../../core/window/usage.ts'
import { wishesHooks } from '../compact/plan.ts'
import type { Io } from '../process-io.ts'
import { projectRules } from '../settings/project-rules.ts'
import { loadSettings } from '../settings/settings.ts'
import { watchAgent } from '../terminal/agent-output.ts'
import { readText, writeStream } from '../terminal/io.ts'
import { type Home, openHome } from './home.ts'

export interface SendFlags {
  readonly model?: string
  readonly thread?: string
  readonly cwd: string
  readonly preset?: string
  readonly allow?: readonly string[]
  readonly yes?: boolean
  readonly readOnly?: boolean
  readonly json?: boolean
}

export async function sendMessage(given: string, flags: SendFlags, io: Io): Promise<void> {
  const message = given === '-' ? (await readText('-', io)).trim() : given
  if (message.trim() === '')
    throw new PrecisError('usage', 'the message is empty', { hint: 'Pass a message.' })
  const workspace = readFolder(flags.cwd, io)
  const { settings } = loadSettings({
    ...io,
    cwd: workspace,
    flags: {
      ...(flags.model !== undefined && { models: { default: flags.model } }),
      ...(flags.preset !== undefined && { preset: flags.preset }),
    },
  })
  const home = await openHome(settings, io)
  try {
    await converse(home, settings, workspace, message, flags, io)
  } finally {
    await home.close()
  }
}

async function converse(
  home: Home,
  settings: Settings,
  workspace: string,
  message: string,
  flags: SendFlags,
  io: Io,
): Promise<void> {
  const agent = composeAgent(home, {
    settings,
    workspace,
    readOnly: flags.readOnly ?? false,
    approval: readApproval(flags),
    hooks: wishesHooks(home, settings),
    environment: io.environment,
    jobs: await home.jobs(),
  })
  const threadId = await chooseThread(home, workspace, flags, io)
  const watch = watchAgent(agent, threadId, flags.json ?? false, io)
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  io.host.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const outcome = await agent.sendMessage(threadId, message, {
      signal: stop.signal,
      isPatient: true,
    })
    const ended = watch.end()
    await writeStream(io.stderr, isToldBelow(outcome, io) ? '' : ended)
    const isForgotten = flags.thread === undefined && (await isFruitless(home, threadId, outcome))
    const isTold = ended !== '' && isToldAbove(outcome, io)
    const saidIn = (outcome.status !== 'command' && outcome.threadId) || threadId
    await tell(home, saidIn, outcome, { isJson: flags.json ?? false, isForgotten, isTold }, io)
  } finally {
    io.host.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    watch.stop()
    await agent.close()
  }
}

/** The named thread, changed as requested; otherwise a new one. */
async function chooseThread(
  { threads, models }: Composed,
  workspace: string,
  { thread, model, preset }: SendFlags,
  io: Io,
): Promise<string> {
  const changes: EventDraft[] = []
  // Report a missing model before creating a thread.
  if (model !== undefined || thread === undefined) {
    const { ref } = await (await models()).resolve(model)
    if (model !== undefined) changes.push({ type: 'MODEL_CHANGED', data: { model: ref } })
  }
  if (thread !== undefined) {
    await threads.context(thread) // report an unknown thread first
    if (preset !== undefined) changes.push({ type: 'THREAD_SETTINGS', data: { preset } })
    if (changes.length > 0) await threads.append(thread, changes, { openCalls: 'leave' })
    return thread
  }
  const threadId = await threads.create()
  await threads.append(threadId, [
    ...systemDrafts({ workspace, rules: projectRules(workspace, io.environment, io.stderr) }),
    { type: 'THREAD_SETTINGS', data: { workspace, ...(preset !== undefined && { preset }) } },
    ...changes,
  ])
  return threadId
}

export function readApproval({
  allow = [],
  yes = false,
  readOnly = false,
}: Pick<SendFlags, 'allow' | 'yes' | 'readOnly'>): ApprovalPolicy {
  for (const pattern of allow) {
    const problem = patternProblem(pattern)
    if (problem !== undefined)
      throw new PrecisError('usage', problem, {
        where: '--allow',
        hint: 'A pattern is a tool, or an effect with a subject: "run:npm test*", "write:src/**".',
      })
  }
  return { mode: yes ? 'allow' : 'ask', allow: ['read:*', ...allow], deny: [], readOnly }
}

export function readFolder(given: string, { cwd }: Pick<Io, 'cwd'>): string {
  const folder = resolve(cwd, given)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new PrecisError('usage', `${given} is not a directory`, {
    where: '--cwd',
    hint: 'Name the directory for the agent to work in.',
  })
}

/** A new thread without any answer, for lack of a key or server, is useless. */
async function isFruitless(
  { threads }: Composed,
  threadId: string,
  outcome: SendOutcome,
): Promise<boolean> {
  if (readError(outcome) === undefined) return false
  const events = await threads.getEvents(threadId)
  return !events.some(({ type }) => type === 'AGENT_MESSAGE')
}

async function tell(
  { threads }: Composed,
  threadId: string,
  outcome: SendOutcome,
  { isJson, isForgotten, isTold }: Record<'isJson' | 'isForgotten' | 'isTold', boolean>,
  { stdout, stderr }: Io,
): Promise<void> {
  const error = readError(outcome)
  if (isJson) {
    const { conversation, summarizing } = await threads.usage(threadId)
    const told = {
      threadId: isForgotten ? null : threadId,
      ...readOutcome(outcome),
      usage: { ...billedUsage({ conversation, summarizing }), summarizing },
      context: await threads.reading(threadId),
    }
    await writeStream(stdout, `${printableJson(told)}\n`)
  } else if (outcome.status === 'command') {
    // A failed one is reported as the error below.
    const { text, threadId: goOnIn } = outcome.reply
    if (!error && !isTold) await writeStream(stdout, `${escapeSteering(text)}\n`)
    if (goOnIn !== undefined && !text.includes(goOnIn))
      await writeStream(stderr, `Thread ${goOnIn}\n`)
  } else if (outcome.status === 'queued') {
    await writeStream(stderr, 'Another process works on the thread; it will answer the message.\n')
  } else if (!isForgotten) {
    const kept = error ? ' keeps your message, which was not answered to the end' : ''
    await writeStream(stderr, `Thread ${threadId}${kept}\n`)
  }
  if (isForgotten) await threads.delete(threadId)
  if (error) throw error
}

/** A compaction that failed or changed nothing is reported by its error or command reply. */
function isToldBelow(outcome: SendOutcome, io: Io): boolean {
  if (outcome.status !== 'command' || outcome.reply.compaction === undefined) return false
  return !outcome.reply.ok || (isOneTerminal(io) && !isToldAbove(outcome, io))
}

/** A committed one has the same figures in its own words, and a person sees both. */
function isToldAbove(outcome: SendOutcome, io: Io): boolean {
  if (outcome.status !== 'command' || !isOneTerminal(io)) return false
  return outcome.reply.ok && (outcome.reply.compaction?.event?.data.edits.length ?? 0) > 0
}

function isOneTerminal({ stdout, stderr }: Io): boolean {
  return stdout.isTTY === true && stderr.isTTY === true
}

function readOutcome(outcome: SendOutcome): object {
  if (outcome.status === 'command') {
    const { ok, text, threadId } = outcome.reply
    return { status: 'command', ok, text, ...(threadId !== undefined && { goOnIn: threadId }) }
  }
  if (outcome.status === 'queued') return outcome
  return { status: outcome.status, text: outcome.text }
}

function readError(outcome: SendOutcome): PrecisError | undefined {
  if (outcome.status === 'command')
    return outcome.reply.ok ? undefined : commandError(outcome.reply)
  if (outcome.status === 'aborted') return new PrecisError('aborted', 'the turn was stopped')
  return outcome.status === 'queued' ? undefined : outcome.error
}

/** The hint has its own line, so remove it from the text. */
function commandError({
  text,
  compaction,
}: Extract<SendOutcome, { status: 'command' }>['reply']): PrecisError {
  const { hint } = compaction?.error ?? {}
  const message = hint === undefined ? text : text.replace(`\n${hint}`, '')
  return new PrecisError('invalid-input', message, { ...(hint !== undefined && { hint }) })
}
