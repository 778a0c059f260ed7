// What golden tests look at: the sample sessions, seeded random threads, and short lines for what is in them.
import { readFileSync } from 'node:fs'
import { readRow } from '../../src/core/log/codec.ts'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import type { Item } from '../../src/core/view/entry.ts'
import type { Message, MessagePart } from '../../src/core/view/message.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { importSession } from '../../src/formats/reading/import-session.ts'
import { detectFormat, readSample, textSource } from '../../src/formats/reading/sample.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'
import { TestLog, testClock, testFold, testIds } from '../generate/test-log.ts'
import { digestOf, shortened } from './golden.ts'

export const SAMPLES = ['session', 'claude-code', 'codex', 'pi', 'opencode'] as const
export type SampleName = (typeof SAMPLES)[number]

const FILES: Readonly<Record<SampleName, string>> = {
  session: 'session.jsonl',
  'claude-code': 'sessions/claude-code.jsonl',
  codex: 'sessions/codex.jsonl',
  pi: 'sessions/pi.jsonl',
  opencode: 'sessions/opencode.json',
}

export interface Sample {
  readonly store: Store
  readonly threads: Threads
  readonly threadId: string
  readonly log: TestLog
}

export async function openSample(name: SampleName): Promise<Sample> {
  const source = textSource(
    readFileSync(new URL(`../../samples/${FILES[name]}`, import.meta.url), 'utf8'),
  )
  const store = memoryStore()
  const threads = createThreads({ store, clock: testClock(), ids: testIds() })
  const format = detectFormat(await readSample(source), SESSION_FORMATS)
  const { threadId } = await importSession(threads, format, source)
  return { store, threads, threadId, log: logOf((await store.read(threadId)).map(readRow)) }
}

function logOf(events: readonly ThreadEvent[]): TestLog {
  const log = new TestLog()
  for (const event of events) {
    log.events.push(event)
    log.state = testFold.step(log.state, event, log.eventAt)
  }
  return log
}

export function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}

export function itemLine(item: Item): string {
  const { id, kind, tokens, calls, thinkingTokens, hide } = item
  return [
    `${id} ${kind} ${tokens}`,
    calls && `calls ${calls.join(' ')}`,
    thinkingTokens !== undefined && `thinking ${thinkingTokens}`,
    hide && `hides ${hide.join(' ')}`,
  ]
    .filter(Boolean)
    .join(', ')
}

export function eventLine({ seq, type, id, data }: ThreadEvent): string {
  return `${seq} ${type} ${id} ${digestOf(data)}`
}

export function messageLines(messages: readonly { role: string; parts: Message['parts'] }[]) {
  return messages.map(({ role, parts }) => `${role}: ${parts.map(partLine).join(' | ')}`)
}

function partLine(part: MessagePart): string {
  const { type, ...rest } = part
  if (part.type === 'text') return shortened(part.text)
  const text = JSON.stringify(rest)
  return `${type} ${text.length > 90 ? `${text.slice(0, 60)}… ${digestOf(text)}` : text}`
}
