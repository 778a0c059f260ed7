// Counts what a conversion must keep: calls with their arguments, results, failures, thinking and the directory.
import type { Json } from '../../src/core/text/json.ts'
import { findWorkplace } from '../../src/formats/reading/workplace.ts'
import { formatOf, type Opened, openText, outgoingOf, writing } from './session.ts'

export const AGENTS = ['claude-code', 'codex', 'opencode', 'pi'] as const

/** Each as one text, in the order of the conversation. */
export interface Census {
  readonly calls: readonly string[]
  readonly results: readonly string[]
  readonly failures: readonly string[]
  readonly thinking: readonly string[]
  readonly workplace: string
}

export async function censusOf({ view, threads, threadId }: Opened): Promise<Census> {
  const parts = view.messages.flatMap((message) => message.parts)
  const events = await threads.getAllEvents(threadId)
  const results = parts.flatMap((part) => (part.type === 'tool_result' ? [part] : []))
  return {
    calls: parts.flatMap((part) =>
      part.type === 'tool_call'
        ? [`${part.id} ${part.name} ${JSON.stringify(part.arguments)}`]
        : [],
    ),
    results: results.map(({ id, content }) => {
      const words = content.map(({ text, data, value }) => text ?? data ?? JSON.stringify(value))
      return `${id} ${words.join('\n')}`
    }),
    failures: results.flatMap(({ id, status }) =>
      status === 'completed' ? [] : [`${id} ${status}`],
    ),
    thinking: parts.flatMap((part) => {
      const text =
        part.type === 'thinking'
          ? part.thinking
          : part.type === 'native'
            ? summaryOf(part.value)
            : ''
      return text === '' ? [] : [text]
    }),
    workplace: findWorkplace(events) ?? '',
  }
}

/** What can be read of reasoning that only its provider understands. */
function summaryOf(value: Json): string {
  const { type, summary } = value as { type?: string; summary?: { text: string }[] }
  return type === 'reasoning' ? (summary ?? []).map(({ text }) => text).join('\n\n') : ''
}

/** Written in each format in turn and read again; `problems` are all that the writers reported. */
export async function convertedBy(first: Opened, hops: readonly string[]) {
  let opened = first
  const problems: string[] = []
  for (const to of hops) {
    const written = formatOf(to).write?.(await outgoingOf(opened), writing())
    problems.push(...(written?.problems ?? []))
    opened = await openText(written?.text ?? '', formatOf(to))
  }
  return { opened, problems }
}

export interface Kept {
  readonly before: number
  readonly after: number
  /** How many of those before are not there in the same place afterwards. */
  readonly altered: number
}

export type Comparison = { readonly [K in keyof Census]: Kept }

export function compared(before: Census, after: Census): Comparison {
  const kept = (one: readonly string[], other: readonly string[]): Kept => ({
    before: one.length,
    after: other.length,
    altered: one.filter((each, index) => each !== other[index]).length,
  })
  const listed = ({ workplace }: Census) => (workplace === '' ? [] : [workplace])
  return {
    calls: kept(before.calls, after.calls),
    results: kept(before.results, after.results),
    failures: kept(before.failures, after.failures),
    thinking: kept(before.thinking, after.thinking),
    workplace: kept(listed(before), listed(after)),
  }
}
