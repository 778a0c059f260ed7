// `precis hook`: what an agent runs around its own compaction; silent, and never a failure to the agent
import type { EventDraft, ThreadEvent } from '../../core/log/event.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import { ReadNotes } from '../../formats/reading/notes.ts'
import { detectFormat, sampleOf } from '../../formats/reading/sample.ts'
import { MAIN, type Source } from '../../formats/session-format.ts'
import type { Io } from '../process-io.ts'
import { openInput } from '../session/input.ts'
import { Marks } from '../sessions/sync-marks.ts'
import { loadSettings } from '../settings/settings.ts'
import { readPieces, writeStream } from '../terminal/io.ts'
import { type Brief, briefOf, renderBrief } from './brief.ts'
import { logHostFailure } from './failure-log.ts'

/** What Claude Code, Codex and our plug-ins write to the standard input of a hook. */
interface HookInput {
  readonly hook_event_name?: string
  readonly transcript_path?: string
  readonly cwd?: string
}

/** Claude Code takes so many characters of instructions. */
const INSTRUCTION_CHARS = 9_500
const CONTEXT_CHARS = 8_000
/** Another sync of the same store brings in this session as well. */
const SYNC_WAIT_MS = 20_000

export async function runHook(host: string, io: Io): Promise<void> {
  try {
    const pieces = await readPieces(io.stdin, '-')
    const input = JSON.parse(Buffer.concat(pieces).toString('utf8')) as HookInput
    const said = await answerTo(host, input, { ...io, cwd: input.cwd ?? io.cwd })
    if (said !== '') await writeStream(io.stdout, said)
  } catch (thrown) {
    await logHostFailure(`hook ${host}`, thrown, io)
  }
}

async function answerTo(host: string, input: HookInput, io: Io): Promise<string> {
  const { hook_event_name: event, transcript_path: path } = input
  // Of the plug-ins for pi and OpenCode, which do the rest by themselves.
  if (event === 'Pins') return JSON.stringify(await pinsOf(path ?? '', io))
  if (path === undefined || path === '') return ''
  // Codex takes no instructions, and does not wait for the hook before its compaction.
  if (event === 'SessionEnd' || (event === 'PreCompact' && host === 'codex')) {
    const { syncSessions } = await import('../sessions/sync-sessions.ts')
    await syncSessions({ here: true }, io, SYNC_WAIT_MS)
    return ''
  }
  if (event === 'PreCompact') return instructions(await readBrief(path, io))
  if (event !== 'SessionStart') return ''
  const additionalContext = afterCompaction(await readBrief(path, io))
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext }
  return additionalContext === '' ? '' : JSON.stringify({ hookSpecificOutput })
}

/** What the summary of the host must keep. */
function instructions(brief: Brief): string {
  const text = renderBrief(brief, INSTRUCTION_CHARS)
  return text === ''
    ? ''
    : `Keep the following in the summary; sentences of the user word for word:\n\n${text}\n`
}

/** What stands behind the host's summary. */
function afterCompaction(brief: Brief): string {
  const text = renderBrief(brief, CONTEXT_CHARS)
  if (text === '') return ''
  return `The context was compacted. précis kept what must not be lost of this session:

${text}

The whole history can still be read: call the tool recall of the MCP server precis with a few words, or run \`precis recall WORDS\`.`
}

/** From the file itself: opening a store would take longer than the host should wait. */
async function readBrief(path: string, io: Io): Promise<Brief> {
  return briefOfSource(await openInput(path, io), await pinsOf(path, io))
}

async function briefOfSource(source: Source, pins: readonly string[]): Promise<Brief> {
  const format = detectFormat(await sampleOf(source), SESSION_FORMATS)
  const events: ThreadEvent[] = []
  let answer = 0
  for await (const step of format.read(source, new ReadNotes())) {
    if (step.type !== 'drafts' || step.thread !== MAIN) continue
    for (const { draft } of step.drafts) {
      const event = numbered(draft, events.length + 1, answer)
      if (event.type === 'AGENT_MESSAGE') answer = event.seq
      events.push(event)
    }
  }
  return briefOf(events, pins, () => '')
}

function numbered(draft: EventDraft, seq: number, answer: number): ThreadEvent {
  const data = draft.type === 'TOOL_CALL' ? { ...draft.data, answer } : draft.data
  const timestamp = draft.timestamp ?? new Date(0)
  return { ...draft, data, v: 1, id: `e${seq}`, threadId: '', seq, timestamp } as ThreadEvent
}

/** Of the settings, and of the thread of this session where it has one that can be read. */
async function pinsOf(path: string, io: Io): Promise<string[]> {
  const { settings } = loadSettings({ cwd: io.cwd, environment: io.environment })
  const own = settings.pins ?? []
  try {
    const threadId = (await Marks.open(settings, io)).threadOf(path)
    return threadId === undefined ? own : [...own, ...(await pinsOfThread(threadId, settings, io))]
  } catch (thrown) {
    await logHostFailure('hook pins', thrown, io)
    return own
  }
}

async function pinsOfThread(threadId: string, settings: Settings, io: Io): Promise<string[]> {
  const { openHome } = await import('../threads/home.ts')
  const home = await openHome(settings, io)
  try {
    return (await home.threads.pins(threadId)).flatMap(({ text }) => text ?? [])
  } finally {
    await home.close()
  }
}
