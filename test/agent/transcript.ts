// The transcript T of the range vectors, made by the real loop, and messages as one line each.
import type { Json } from '../../src/core/text/json.ts'
import type { MessagePart } from '../../src/core/view/message.ts'
import type {
  AskedPart,
  DevModel,
  RecordedRequest,
  ScriptedAnswer,
} from '../../src/dev-model/index.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from './setup.ts'

export const REMINDER = 'Mind the gap.'

export type Replacement = {
  readonly from?: string
  readonly to?: string
  readonly summary: string
}

export interface Transcript extends AgentSetup {
  /** Of the typed message, of the first results, of the second results. */
  readonly a: string
  readonly b: string
  readonly c: string
  /** The messages of a thread, checkpoints named in order of their making: `user["go", <d>]`. */
  lines(threadId?: string): Promise<string[]>
  /** Forks T, says «go» there, and lets the agent answer with a call to `compact`. */
  compactFork(...replacements: readonly Replacement[]): Promise<Fork>
}

interface Fork {
  readonly threadId: string
  readonly lines: string[]
  /** What was said to the agent about its call, where the call has a result. */
  readonly result: { readonly status: string; readonly text: string } | undefined
  /** The messages when the agent was asked, and the same stretch afterwards, to the byte. */
  readonly before: string
  readonly after: string
}

/** An answer that calls `compact` with this input, sound or not. */
export function compactCall(input: Json): ScriptedAnswer {
  return { calls: [{ name: 'compact', arguments: input }] }
}

export function rangeCall(...replacements: readonly Replacement[]): ScriptedAnswer {
  return compactCall({ replacements })
}

/** One turn of three answers with thinking, two of which call a tool. */
export async function transcript(options: SetupOptions = {}): Promise<Transcript> {
  const setup = await setUpAgent({
    preset: 'range',
    ...options,
    agent: { reminder: () => REMINDER, ...options.agent },
  })
  const { agent, dev, threads, threadId, eventsOf } = setup
  const call = (id: string) => [{ id, name: 'list', arguments: {} }]
  dev.script([
    { thinking: 'hm', text: 'first', calls: call('1') },
    { thinking: 'hm', text: 'second', calls: call('2') },
    { thinking: 'hm', text: 'content3' },
  ])
  await agent.sendMessage(threadId, 'content')
  const [a = '', b = '', c = ''] = (await eventsOf('CHECKPOINT')).map(({ data }) => data.id)
  const lines = async (thread = threadId) => {
    const names = new Map<string, string>()
    for (const event of await threads.getAllEvents(thread))
      if (event.type === 'CHECKPOINT') names.set(event.data.id, letter(names.size))
    const { messages, problems } = await threads.messages(thread)
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    return messages.map(({ role, parts }) => lineOf(role, parts, (id) => names.get(id) ?? id))
  }
  const compactFork: Transcript['compactFork'] = async (...replacements) => {
    const fork = await threads.fork(threadId)
    let before: readonly unknown[] = []
    dev.script([
      async () => {
        before = (await threads.messages(fork)).messages
        return rangeCall(...replacements)
      },
      { text: 'done' },
    ])
    await agent.sendMessage(fork, 'go')
    const { messages } = await threads.messages(fork)
    return {
      threadId: fork,
      lines: await lines(fork),
      result: await lastResult(setup, fork),
      before: JSON.stringify(before),
      after: JSON.stringify(messages.slice(0, before.length)),
    }
  }
  return { ...setup, a, b, c, lines, compactFork }
}

/** What the call to `compact` was answered with, last in the thread. */
export async function lastResult(
  { threads }: Pick<AgentSetup, 'threads'>,
  threadId: string,
): Promise<Fork['result']> {
  const events = await threads.getAllEvents(threadId)
  const calls = events.flatMap((event) =>
    event.type === 'TOOL_CALL' && event.data.name === 'compact' ? [event.data.id] : [],
  )
  const found = events.findLast(
    (event) => event.type === 'TOOL_RESULT' && event.data.id === calls.at(-1),
  )
  if (found?.type !== 'TOOL_RESULT') return undefined
  const { status, content } = found.data
  return { status, text: content.map(({ text = '' }) => text).join('\n') }
}

/** What a provider was sent, as one line for each turn. */
export function wireLines(request: RecordedRequest | undefined): string[] {
  return (request?.asked?.turns ?? []).map(({ role, parts }) => lineOf(role, parts, () => 'cp'))
}

/** Everything in all requests that the provider's rules forbid. */
export function violations({ requests }: DevModel): readonly unknown[] {
  return requests.flatMap((request) => request.violations)
}

function lineOf(
  role: string,
  parts: readonly (MessagePart | AskedPart)[],
  nameOf: (id: string) => string,
): string {
  return `${role}[${parts.map((part) => word(part, nameOf)).join(', ')}]`
}

function word(part: MessagePart | AskedPart, nameOf: (id: string) => string): string {
  switch (part.type) {
    case 'checkpoint':
      return `<${nameOf(part.id)}>`
    case 'tool_call':
    case 'call':
      return `call ${bare(part.id)}`
    case 'tool_result':
    case 'result':
      return `result ${bare(part.id)}`
    case 'system_reminder':
      return 'reminder'
    case 'text': {
      const id = /^<checkpoint:(\w{6})>$/.exec(part.text)?.[1]
      if (id !== undefined) return `<${nameOf(id)}>`
      return part.text.startsWith('<system-reminder>') ? 'reminder' : JSON.stringify(part.text)
    }
    default:
      return part.type
  }
}

/** Without what the provider's format puts before each id. */
function bare(id: string): string {
  return id.replace('toolu_', '')
}

function letter(index: number): string {
  return 'abcdefghijklmnopqrstuvwxyz'.charAt(index)
}
