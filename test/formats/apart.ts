// Readers that share nothing with the product: what a file says, found in the simplest way there is.

type Value = Record<string, unknown>

const object = (value: unknown): Value =>
  typeof value === 'object' && value !== null ? (value as Value) : {}
const list = (value: unknown): Value[] => (Array.isArray(value) ? value.map(object) : [])
const records = (text: string): Value[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => object(JSON.parse(line)))

/** What stands in a file that was written as a new one: texts in order, calls and results by id. */
export interface Told {
  readonly texts: readonly string[]
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

export const READ_APART: Readonly<Record<string, (text: string) => Told>> = {
  'claude-code': (text) => {
    const blocks = records(text).flatMap((line) => {
      const { content } = object(line.message)
      return typeof content === 'string'
        ? [{ type: 'text', text: content } as Value]
        : list(content)
    })
    return told(blocks, 'tool_use', 'id', 'tool_result', 'tool_use_id')
  },
  codex: (text) => {
    const items = records(text).flatMap(({ type, payload }) =>
      type === 'response_item' ? [object(payload)] : [],
    )
    const parts = items.flatMap((item) => (item.type === 'message' ? list(item.content) : [item]))
    const ids = (kind: RegExp) =>
      parts
        .filter(({ type, call_id }) => call_id !== undefined && kind.test(String(type)))
        .map((part) => String(part.call_id))
    return {
      texts: parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])),
      calls: ids(/_call$/),
      results: ids(/_call_output$/),
    }
  },
  pi: (text) => {
    const messages = records(text).flatMap((entry) => {
      if (entry.type === 'custom_message')
        return [{ content: [{ type: 'text', text: entry.content }] }]
      return entry.type === 'message' ? [object(entry.message)] : []
    })
    const results = messages.filter(({ role }) => role === 'toolResult')
    const blocks = messages
      .filter((message) => !results.includes(message))
      .flatMap(({ content }) => list(content))
    return {
      ...told(blocks, 'toolCall', 'id', '', ''),
      results: results.map(({ toolCallId }) => String(toolCallId)),
    }
  },
  opencode: (text) => {
    const parts = list(object(JSON.parse(text)).messages).flatMap((message) => list(message.parts))
    const tools = parts.filter(({ type }) => type === 'tool')
    const ended = tools.filter(({ state }) => object(state).status !== 'running')
    return {
      texts: parts.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])),
      calls: tools.map(({ callID }) => String(callID)),
      results: ended.map(({ callID }) => String(callID)),
    }
  },
}

function told(
  blocks: Value[],
  call: string,
  callId: string,
  result: string,
  resultId: string,
): Told {
  const ids = (type: string, field: string) =>
    blocks.filter((block) => block.type === type).map((block) => String(block[field]))
  return {
    texts: blocks.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])),
    calls: ids(call, callId),
    results: ids(result, resultId),
  }
}

/** How many records a file has: lines, or the items of its list. */
export function recordCount(text: string): number {
  const start = text.trimStart()
  const isLines =
    start.startsWith('{') && isJson(start.split('\n', 1)[0] ?? '') && start.trimEnd().includes('\n')
  if (isLines) return records(text).length
  const document: unknown = JSON.parse(text)
  if (Array.isArray(document)) return document.length
  return ['messages', 'history', 'trajectory', 'loglines']
    .map((name) => list(object(document)[name]).length)
    .reduce((sum, count) => sum + count, 0)
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
