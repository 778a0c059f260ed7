// The chat in this terminal: store, agent and app in this process, with an interface.
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createInterface as askOn } from 'node:readline/promises'
import { format } from 'node:util'
import { ProcessTerminal } from '@earendil-works/pi-tui'
import { composeApp } from '../compose-app.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { ResolvedSettings } from '../core/settings/settings.ts'
import { escapeHidden, escapeSteering } from '../core/text/visible.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import type { Client } from '../protocol/client.ts'
import { createClient } from '../protocol/http-client.ts'
import { systemClock } from '../system.ts'
import { startInteractive } from '../tui/interactive.ts'
import { runPlain } from '../tui/plain.ts'
import { restoreAtEnd } from '../tui/screen/restore-terminal.ts'
import { wishesHooks } from './compact/plan.ts'
import type { Io } from './process-io.ts'
import { programName, version } from './program-name.ts'
import { configFolder, type Environment } from './settings/places.ts'
import { projectRules, type RulesFile, rulesFiles } from './settings/project-rules.ts'
import type { ProjectSettings } from './settings/project-settings.ts'
import { loadSettings, projectSettings } from './settings/settings.ts'
import { remember } from './settings/trust.ts'
import { writeStream, writeText } from './terminal/io.ts'
import { hasColours } from './terminal/terminal.ts'
import { lastUsedIn, openHome } from './threads/home.ts'
import { readApproval, readFolder } from './threads/send-message.ts'

export interface ChatFlags {
  readonly model?: string
  readonly preset?: string
  readonly cwd: string
  readonly continue?: boolean
  readonly plain?: boolean
  readonly allow?: readonly string[]
  readonly yes?: boolean
}

/** The default preset of a chat (docs/spec/conflicts.md, C21). */
const CHAT_PRESET = 'chat'

export async function chat(thread: string | undefined, flags: ChatFlags, io: Io): Promise<void> {
  if (thread !== undefined && flags.continue)
    throw new PrecisError('usage', `the thread is ${thread}: --continue does not apply`, {
      where: '--continue',
      hint: 'Leave out one of the two.',
    })
  const workspace = readFolder(flags.cwd, io)
  const approval = readApproval(flags)
  const { stdin: input, stdout: output } = io
  if (input.isTTY && output.isTTY) await askTrust(workspace, io.environment, { input, output })
  const resolved = loadSettings({
    ...io,
    cwd: workspace,
    flags: {
      ...(flags.model !== undefined && { models: { default: flags.model } }),
      ...(flags.preset !== undefined && { preset: flags.preset }),
    },
  })
  const home = await openHome(resolved.settings, io)
  const jobs = await home.jobs().catch(async (thrown: unknown) => {
    await home.close()
    throw thrown
  })
  const { app, close } = composeApp(home, {
    settings: resolved,
    environment: io.environment,
    version: version(),
    // On a terminal the user was asked already, and the chat owns the screen.
    rules: (folder) => projectRules(folder, io.environment, output.isTTY ? undefined : io.stderr),
    agent: {
      workspace,
      approval,
      jobs,
      hooks: wishesHooks(home, resolved.settings),
      environment: io.environment,
    },
  })
  const closeAll = async () => {
    await close()
    await home.close()
  }
  try {
    const client = createClient({
      fetch: (request) => app.fetch(request),
      baseUrl: 'http://localhost',
      sleep: (ms, signal) => systemClock.sleep(ms, signal),
    })
    const opened = await openThread(client, thread, workspace, flags, resolved)
    const forget = () => forgetUntouched(client, opened)
    const end = async () => void (await forget().finally(closeAll))
    const left = await converse(client, opened, workspace, flags, end, io)
    const isGone = (await forget()) && left === opened.threadId
    const last = isGone
      ? 'Nothing was said: no thread is kept.'
      : `Go on with: ${programName(io)} chat ${left}`
    await writeStream(io.stdout, `${last}\n`)
  } finally {
    await closeAll()
  }
}

interface ChatThread {
  readonly threadId: string
  /** Version of a thread that began with this chat. */
  readonly begunAt?: number
  /** Shown to the user. */
  readonly notice?: string
}

/** The named or last thread, changed as requested; otherwise a new one. */
async function openThread(
  client: Client,
  named: string | undefined,
  folder: string,
  flags: ChatFlags,
  { settings, origins }: ResolvedSettings,
): Promise<ChatThread> {
  const { model, preset } = flags
  const changes = {
    ...(model !== undefined && { model }),
    ...(preset !== undefined && { preset }),
  }
  const thread = named ?? (flags.continue ? await lastUsedIn(client, folder) : undefined)
  if (thread !== undefined) {
    const changed = Object.keys(changes).length > 0
    const { threadId } = await (changed ? client.change(thread, changes) : client.thread(thread))
    return { threadId }
  }
  const isChosen = origins.preset !== undefined && origins.preset.origin !== 'default'
  const usual = isChosen ? settings.preset : CHAT_PRESET
  const { threadId, version: begunAt } = await client.createThread({ preset: usual, ...changes })
  return { threadId, begunAt, ...(flags.continue && { notice: NONE_FOUND }) }
}

const NONE_FOUND = 'No thread of this folder was found: this is a new one.'

/**
 * Whether the thread is gone. Deletes only a thread that began with this chat and has nothing but its
 * beginning, checked just before: another process may have written to it.
 */
async function forgetUntouched(
  client: Client,
  { threadId, begunAt }: ChatThread,
): Promise<boolean> {
  if (begunAt === undefined) return false
  try {
    const { version, isWorking, queued } = await client.thread(threadId)
    if (version !== begunAt || isWorking || queued > 0) return false
    await client.deleteThread(threadId)
  } catch (thrown) {
    // Already deleted by another process.
    if (asPrecisError(thrown).code !== 'unknown-thread') throw thrown
  }
  return true
}

/** Resolves with the thread open at exit. */
async function converse(
  client: Client,
  { threadId, notice }: ChatThread,
  folder: string,
  flags: ChatFlags,
  close: () => Promise<void>,
  io: Io,
): Promise<string> {
  const { stdin, stdout, environment } = io
  const shared = {
    client,
    threadId,
    ...(notice !== undefined && { notice }),
    nowMs: () => Date.now(),
    hasFile: async (name: string) => existsSync(resolve(folder, name)),
    async saveFile(name: string, text: string) {
      const file = resolve(folder, name)
      await writeText(file, text, io)
      return file
    },
  }
  const canDraw = stdin.isTTY && stdout.isTTY && environment.TERM !== 'dumb'
  const isInteractive = canDraw && !flags.plain
  if (!isInteractive) {
    const lines = createInterface({ input: stdin, terminal: false })
    const write = (text: string) => void stdout.write(text)
    return runPlain({ ...shared, lines, write, isPatient: !stdin.isTTY })
  }
  const ui = startInteractive({
    ...shared,
    terminal: new ProcessTerminal(),
    hasColor: hasColours(stdout, environment),
  })
  const report = (thrown: unknown) => tellCrash(thrown, io)
  const unwatch = restoreAtEnd({ restore: () => ui.stop(), report, close }, io.host)
  const unhook = hearConsole((text) => ui.say(text))
  try {
    return await ui.left
  } finally {
    unhook()
    unwatch()
  }
}

/** Libraries log to the console, which is the screen: show their messages in the transcript, once each. */
function hearConsole(hear: (text: string) => void): () => void {
  const before = { ...console }
  const heard = new Set<string>()
  const said = (...words: unknown[]) => {
    const text = format(...words)
    if (!heard.has(text)) hear(text)
    heard.add(text)
  }
  Object.assign(console, { log: said, info: said, warn: said, error: said })
  return () => void Object.assign(console, before)
}

function tellCrash(thrown: unknown, { stderr }: Io): void {
  const { message, stack } = asPrecisError(thrown)
  stderr.write(`precis chat broke: ${escapeSteering(stack ?? message)}\n`)
}

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/**
 * Asks once about undecided settings and rules and stores the answers; without an answer they stay ignored.
 */
export async function askTrust(
  cwd: string,
  environment: Environment,
  streams: Streams,
): Promise<void> {
  const project = projectSettings(cwd, environment)
  if (project?.isUndecided) {
    const file = realpathSync(project.file)
    const isDecided = await ask(buildQuestion(project), { ...project, file }, environment, streams)
    if (!isDecided) return
  }
  for (const rules of rulesFiles(cwd, environment))
    if (rules.isUndecided && !(await ask(rulesQuestion(rules), rules, environment, streams))) return
}

/** False without an answer. */
async function ask(
  question: string,
  { file, content }: Pick<RulesFile, 'file' | 'content'>,
  environment: Environment,
  { input, output }: Streams,
): Promise<boolean> {
  output.write(question)
  const lines = askOn({ input, output, terminal: false })
  const gone = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
  try {
    const answer = await Promise.race([lines.question('Trust this folder? [y/N] '), gone])
    if (answer === undefined) return false
    const decision = /^y(?:es)?$/i.test(answer.trim()) ? 'yes' : 'no'
    remember(file, content, decision, configFolder(environment))
    return true
  } finally {
    lines.close()
  }
}

/** Shows every value in full for the decision. */
function buildQuestion({ file, ignored }: ProjectSettings): string {
  const lines = ignored.map(
    ({ key, value }) => `  ${key}: ${escapeHidden(JSON.stringify(value, undefined, 1))}`,
  )
  return `${escapeHidden(file)} sets what a folder may set only if you trust it:
${lines.join('\n')}
If you do not know who wrote it, say no: everything else works.
`
}

const SHOWN_CHARS = 4_000

function rulesQuestion({ file, content }: RulesFile): string {
  const shown = escapeHidden(cutHead(content, SHOWN_CHARS)).replace(/^/gm, '  ')
  const more =
    content.length > SHOWN_CHARS ? `\n  [${content.length - SHOWN_CHARS} more characters]` : ''
  return `${escapeHidden(file)} has rules for agents in this folder:
${shown}${more}
They are sent to the model with every request of new threads. If you do not know who wrote them, say no.
`
}
