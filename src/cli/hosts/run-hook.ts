// `precis hook`: runs around an agent's own compaction; silent, and never a failure for the agent.
import { existsSync } from 'node:fs'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Io } from '../process-io.ts'
import { markedThread } from '../sessions/sync-marks.ts'
import { projectFile, userFile } from '../settings/places.ts'
import { readPieces, writeStream } from '../terminal/io.ts'
import { type Brief, renderBrief, renderWords } from './brief.ts'
import { HOSTS, type HostName } from './host-file.ts'
import { keepBrief, keptBefore, keptBrief, readExtent } from './kept-brief.ts'

/** The hook's standard input from Claude Code, Codex and our plug-ins. */
interface HookInput {
  readonly hook_event_name?: string
  readonly transcript_path?: string
  readonly cwd?: string
}

/** The maximum length of instructions in Claude Code. */
const INSTRUCTION_CHARS = 9_500
const CONTEXT_CHARS = 8_000
/** Another running sync of the store imports this session as well. */
const SYNC_WAIT_MS = 20_000

/** `isAside`: the agent does not wait and ignores the output. */
export async function runHook(host: string | undefined, io: Io, isAside = false): Promise<void> {
  try {
    requireHost(host)
    const pieces = await readPieces(io.stdin, '-')
    const input = JSON.parse(Buffer.concat(pieces).toString('utf8')) as HookInput
    const here = { ...io, cwd: input.cwd ?? io.cwd }
    // Codex accepts no instructions, and does not wait for the hook before its compaction.
    const said =
      isAside || (host === 'codex' && input.hook_event_name === 'PreCompact')
        ? await readAhead(host, input, here)
        : await answerTo(host, input, here)
    if (said !== '') await writeStream(io.stdout, said)
  } catch (thrown) {
    await logFailure(host === undefined ? 'hook' : `hook ${host}`, thrown, io)
  }
}

function requireHost(host: string | undefined): asserts host is HostName {
  if (HOSTS.some((known) => known === host)) return
  const what = host === undefined ? 'no agent is named' : `Unknown agent: ${host}`
  throw new PrecisError('usage', what, { hint: `Known agents: ${HOSTS.join(', ')}.` })
}

async function answerTo(host: string, input: HookInput, io: Io): Promise<string> {
  const { hook_event_name: event, transcript_path: path } = input
  // From the plug-ins for pi and OpenCode, which do the rest themselves.
  if (event === 'Pins') return JSON.stringify(await readPins(path ?? '', io))
  if (path === undefined || path === '') return ''
  if (event === 'SessionEnd') return synced(io)
  if (event === 'PreCompact') return instructions(await wordsBefore(host, path, io))
  if (event !== 'SessionStart') return ''
  const kept = keptBrief(path, io)
  const brief = kept ? { ...kept, pins: await readPins(path, io) } : await newBrief(host, path, io)
  const additionalContext = afterCompaction(brief)
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext }
  return additionalContext === '' ? '' : JSON.stringify({ hookSpecificOutput })
}

/** For the hook after the compaction, and for recall. */
async function readAhead(host: string, { transcript_path: path }: HookInput, io: Io): Promise<''> {
  if (path === undefined || path === '') return ''
  await newBrief(host, path, io)
  return synced(io)
}

/** What the host's summary must keep. */
function instructions(text: string): string {
  return text === ''
    ? ''
    : `Keep the following in the summary; sentences of the user word for word:\n\n${text}\n`
}

/** What follows the host's summary. */
function afterCompaction(brief: Brief): string {
  const text = renderBrief(brief, CONTEXT_CHARS)
  if (text === '') return ''
  return `The context was compacted. précis kept what must not be lost of this session:

${text}

The whole history can still be read. The tool recall of the MCP server precis, or \`precis recall WORDS\`, finds it by words. What stands in brackets behind a line is a ref: the tool show, or \`precis show REF\`, reads the whole message.`
}

/**
 * Only what the host waits for: the user's words and the pins. The state follows its summary later. What was
 * kept of the session is not read again.
 */
async function wordsBefore(host: string, path: string, io: Io): Promise<string> {
  const { typedWords } = await import('./typed-words.ts')
  const { bytes } = readExtent(path)
  const kept = keptBefore(path, io)
  const added = kept && typedWords(path, kept.bytes, bytes)
  const words = added ?? typedWords(path, 0, bytes) ?? []
  const before = added ? kept?.brief : undefined
  if (words.length === 0 && before === undefined)
    return renderBrief(await newBrief(host, path, io), INSTRUCTION_CHARS, { withRefs: false })
  const known = before?.request ? [before.request.text] : []
  const held = { constraints: before?.constraints ?? [], pins: await readPins(path, io) }
  return renderWords([...known, ...words], held, INSTRUCTION_CHARS)
}

async function newBrief(host: string, path: string, io: Io): Promise<Brief> {
  const { readBrief } = await import('./read-brief.ts')
  const extent = readExtent(path)
  const brief = await readBrief(host, path, { ...extent, pins: await readPins(path, io) })
  await keepBrief(path, extent, brief, io)
  return brief
}

async function synced(io: Io): Promise<''> {
  const { syncSessions } = await import('../sessions/sync-sessions.ts')
  await syncSessions({ here: true }, io, SYNC_WAIT_MS)
  return ''
}

/** Pins of the settings, and of this session's thread if it is readable. */
async function readPins(path: string, io: Io): Promise<string[]> {
  const settings = await ownSettings(io)
  const own = settings?.pins ?? []
  try {
    const threadId = await markedThread(settings?.store ?? 'sqlite', path, io)
    return threadId === undefined ? own : [...own, ...(await pinsOfThread(threadId, io))]
  } catch (thrown) {
    await logFailure('hook pins', thrown, io)
    return own
  }
}

/** Reading settings takes longer than most of a hook: undefined if there are none. */
async function ownSettings(io: Io): Promise<Settings | undefined> {
  const { cwd, environment } = io
  const isSet = (variable: string) => variable.startsWith('PRECIS_') && variable !== 'PRECIS_HOME'
  const hasAny =
    Object.keys(environment).some(isSet) ||
    existsSync(userFile(environment)) ||
    projectFile(cwd) !== undefined
  if (!hasAny) return undefined
  const { loadSettings } = await import('../settings/settings.ts')
  return loadSettings({ cwd, environment }).settings
}

async function pinsOfThread(threadId: string, io: Io): Promise<string[]> {
  const { loadSettings } = await import('../settings/settings.ts')
  const { openHome } = await import('../threads/home.ts')
  const home = await openHome(
    loadSettings({ cwd: io.cwd, environment: io.environment }).settings,
    io,
  )
  try {
    return (await home.threads.pins(threadId)).flatMap(({ text }) => text ?? [])
  } finally {
    await home.close()
  }
}

async function logFailure(where: string, thrown: unknown, io: Io): Promise<void> {
  const { logHostFailure } = await import('./failure-log.ts')
  await logHostFailure(where, thrown, io)
}
