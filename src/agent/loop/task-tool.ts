// `task`: works in a separate thread with its own window, and returns the result.
import type { Tool, ToolOutcome } from '../../core/agent/tool.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { TaskResult, Turn } from '../core.ts'
import { failed, text } from './results.ts'

const SUBJECT_LENGTH = 80

export function taskTool(parent: Turn): Tool {
  return {
    name: 'task',
    description:
      'Runs a self-contained task in a conversation of its own and returns its final answer. The task sees nothing of this conversation: say everything it needs. Use it for work that reads much and reports little.',
    inputSchema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What to do, and what to report.' },
        title: { type: 'string', description: 'A few words for people.' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    effect: 'none', // its actions ask for approval themselves
    isParallel: true,
    subjectOf: (input) =>
      (stringAt(input, 'title') ?? stringAt(input, 'prompt') ?? '').slice(0, SUBJECT_LENGTH),
    async run(input, { signal }) {
      const prompt = stringAt(input, 'prompt')
      if (prompt === undefined || prompt.trim() === '')
        return failed('prompt: a text is needed that says what to do.')
      const title = stringAt(input, 'title')
      const result = await parent.core.runTask({
        parent: { ...parent, signal: signal as AbortSignal },
        prompt,
        ...(title !== undefined && { title }),
      })
      return readOutcome(result)
    },
  }
}

function readOutcome({ end, text: said, usage, error, threadId }: TaskResult): ToolOutcome {
  const isDone = end === 'done' || end === 'waiting'
  const content = isDone ? said : `The task ended early (${end}). ${error?.message ?? ''}\n${said}`
  return {
    status: isDone ? 'completed' : end === 'aborted' ? 'aborted' : 'failed',
    content: text(content.trim()),
    metadata: { threadId },
    ...(usage && { tokenUsage: usage }),
  }
}

function stringAt(input: Json, field: string): string | undefined {
  const value = isFields(input) ? input[field] : undefined
  return typeof value === 'string' ? value : undefined
}
