// The sample session as Claude Code writes one: a block a line, a chain of lines, usage with cache reads.
import { sampleSession } from './session.ts'

type Fields = Readonly<Record<string, unknown>>

const START_MS = Date.UTC(2026, 2, 5, 8, 30)
const ROUND_MS = 23_000
const CHARS_PER_TOKEN = 4
const SESSION_ID = '7c1d0a52-4b7e-4c1f-9a3e-2f6b8d90e417'
const LINE_FIELDS = {
  isSidechain: false,
  userType: 'external',
  cwd: '/quay',
  sessionId: SESSION_ID,
  version: '2.1.56',
  gitBranch: 'main',
}

/** What the tools of the story are called there, and how their arguments are. */
const TOOLS: Readonly<Record<string, (input: Fields) => readonly [name: string, input: Fields]>> = {
  read: ({ path, lines }) => ['Read', { file_path: path, ...linesOf(lines) }],
  edit: ({ path, old, new: next }) => [
    'Edit',
    { file_path: path, old_string: old, new_string: next, replace_all: false },
  ],
  write: ({ path, content }) => ['Write', { file_path: path, content }],
  list: ({ path }) => ['LS', { path }],
  grep: ({ pattern, path }) => ['Grep', { pattern, path, output_mode: 'content' }],
  bash: ({ command }) => ['Bash', { command }],
  todo: ({ todos }) => ['TodoWrite', { todos: (todos as Fields[]).map(todoOf) }],
}

const STATES: Readonly<Record<string, string>> = {
  open: 'pending',
  started: 'in_progress',
  done: 'completed',
}

export function claudeCodeText(): string {
  const { model, messages } = sampleSession()
  const lines: Fields[] = [
    { type: 'summary', summary: 'Double booking in quay', leafUuid: uuidOf(1) },
  ]
  let parentUuid: string | null = null
  let readChars = 0
  const add = (round: number, fields: Fields) => {
    const uuid = uuidOf(lines.length)
    const timestamp = new Date(START_MS + round * ROUND_MS + lines.length).toISOString()
    lines.push({ parentUuid, ...LINE_FIELDS, ...fields, uuid, timestamp })
    parentUuid = uuid
  }
  messages.forEach(({ role, content }, round) => {
    const blocks: readonly Fields[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (role === 'user')
      for (const message of userMessages(blocks)) add(round, { type: 'user', message })
    else {
      const usage = usageOf(readChars, JSON.stringify(blocks).length)
      for (const block of blocks)
        add(round, {
          type: 'assistant',
          requestId: `req_${round}`,
          message: { ...answerOf(round, model, blocks), content: [ownTool(block)], usage },
        })
    }
    readChars += JSON.stringify(content).length
  })
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function answerOf(round: number, model: string, blocks: readonly Fields[]): Fields {
  const calls = blocks.some(({ type }) => type === 'tool_use')
  return {
    id: `msg_${String(round).padStart(4, '0')}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
  }
}

/** Each result is a line; what was typed is another, as a string. */
function userMessages(blocks: readonly Fields[]): Fields[] {
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text)
  return [
    ...results.map((result) => ({ role: 'user', content: [result] })),
    ...texts.map((text) => ({ role: 'user', content: text })),
  ]
}

function ownTool(block: Fields): Fields {
  if (block.type !== 'tool_use') return block
  const [name, input] = TOOLS[String(block.name)]?.(block.input as Fields) ?? [
    block.name,
    block.input,
  ]
  return { ...block, name, input }
}

/** Nearly everything is read from the cache, as in a session that goes on without long pauses. */
function usageOf(readChars: number, saidChars: number): Fields {
  const tokens = (chars: number) => Math.ceil(chars / CHARS_PER_TOKEN)
  return {
    input_tokens: 12,
    cache_creation_input_tokens: tokens(Math.min(readChars, 4_000)),
    cache_read_input_tokens: tokens(Math.max(0, readChars - 4_000)) + 14_200,
    output_tokens: tokens(saidChars),
  }
}

function linesOf(lines: unknown): Fields {
  const [first, last] = typeof lines === 'string' ? lines.split('-').map(Number) : []
  if (first === undefined || last === undefined) return {}
  return { offset: first, limit: last - first + 1 }
}

function todoOf({ text, status }: Fields): Fields {
  return { content: text, status: STATES[String(status)], activeForm: text }
}

function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}
