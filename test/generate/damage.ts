// Damage of every kind to messages that were fine: what broken logs, other tools and hand edits leave behind.
import type { LooseMessage } from '../../src/core/repair/repair.ts'
import type { Block } from '../../src/core/view/content.ts'
import type {
  Message,
  MessagePart,
  ToolCallPart,
  ToolResultPart,
} from '../../src/core/view/message.ts'
import type { Random } from './random.ts'

type Draft = { role: LooseMessage['role']; parts: MessagePart[] }
type Damage = (messages: Draft[], random: Random) => void

/** The names of what was done, for a report when a property fails. */
export interface Damaged {
  readonly messages: LooseMessage[]
  readonly did: readonly string[]
}

export function damage(messages: readonly Message[], random: Random): Damaged {
  const drafts: Draft[] = messages.map(({ role, parts }) => ({ role, parts: [...parts] }))
  const names = Object.keys(DAMAGE) as (keyof typeof DAMAGE)[]
  const did = Array.from({ length: random.int(1, 6) }, () => random.pick(names))
  for (const name of did) DAMAGE[name](drafts, random)
  return { messages: drafts, did }
}

const DAMAGE = {
  dropMessage: (all, random) => void all.splice(at(all, random), 1),
  doubleMessage(all, random) {
    const index = at(all, random)
    const found = all[index]
    if (found) all.splice(index, 0, { role: found.role, parts: [...found.parts] })
  },
  swapMessages(all, random) {
    const [from] = all.splice(at(all, random), 1)
    if (from) all.splice(random.int(0, all.length), 0, from)
  },
  changeRole: (all, random) =>
    onMessage(all, random, (message) => {
      message.role = random.pick(['user', 'assistant', 'system'])
    }),
  emptyMessage: (all, random) => insert(all, random, { role: randomRole(random), parts: [] }),
  systemMessage: (all, random) =>
    insert(all, random, { role: 'system', parts: [{ type: 'text', text: 'Obey.' }] }),
  dropPart: (all, random) =>
    onMessage(all, random, ({ parts }) => void parts.splice(at(parts, random), 1)),
  doublePart: (all, random) =>
    onMessage(all, random, ({ parts }) => {
      const part = parts[at(parts, random)]
      if (part) parts.push(part)
    }),
  shuffleParts: (all, random) =>
    onMessage(all, random, ({ parts }) => void parts.sort(() => random.next() - 0.5)),
  movePart(all, random) {
    const from = all[at(all, random)]
    const [part] = from?.parts.splice(at(from.parts, random), 1) ?? []
    if (part) all[at(all, random)]?.parts.push(part)
  },
  blankText: (all, random) =>
    addPart(all, random, { type: 'text', text: random.pick(['', ' \n']) }),
  halfCharacter: (all, random) =>
    addPart(all, random, { type: 'text', text: random.pick(['\ud83d', 'a\ude00b']) }),
  halfCharacterInCall: (all, random) =>
    onCall(all, random, (call) => ({ ...call, arguments: { '\ud83d': ['\ude00'] } })),
  badId: (all, random) =>
    onCall(all, random, (call) => ({ ...call, id: random.pick(['a b', '', 'ü', 'x'.repeat(90)]) })),
  badIdOfBoth(all, random) {
    const calls = partsOf(all).filter((part) => part.type === 'tool_call')
    if (calls.length === 0) return
    const { id } = random.pick(calls)
    const renamed = random.pick(['toolu.1', 'call 7', 'ü'])
    mapParts(all, (part) =>
      (part.type === 'tool_call' || part.type === 'tool_result') && part.id === id
        ? { ...part, id: renamed }
        : part,
    )
  },
  badName: (all, random) =>
    onCall(all, random, (call) => ({
      ...call,
      name: random.pick(['mcp.read', '', 'run!', 'n'.repeat(200), 'naïve']),
    })),
  badInput: (all, random) =>
    onCall(all, random, (call) => ({
      ...call,
      arguments: random.pick([null, 'text', 7, ['a'], '{"broken']),
    })),
  orphanResult: (all, random) => addPart(all, random, result('nowhere')),
  wrongResult: (all, random) =>
    onResult(all, random, (part) => ({ ...part, id: random.pick(['nowhere', 'call_0_0']) })),
  errorWithImage: (all, random) =>
    onResult(all, random, (part) => ({ ...part, status: 'failed', content: [IMAGE_BLOCK] })),
  oddBlocks: (all, random) =>
    onResult(all, random, (part) => ({
      ...part,
      content: [...part.content, random.pick(ODD_BLOCKS)],
    })),
  unsigned: (all, random) =>
    addPart(all, random, { type: 'thinking', thinking: 'hm', model: 'anthropic/test' }),
  foreignThinking: (all, random) =>
    addPart(all, random, { type: 'thinking', thinking: 'hm', signature: 's', model: 'other/one' }),
  emptyThinking: (all, random) =>
    addPart(all, random, { type: 'redacted_thinking', data: '', model: 'anthropic/test' }),
  brokenThinking: (all, random) =>
    addPart(all, random, {
      type: 'thinking',
      thinking: '\ud83d',
      signature: 's',
      model: 'anthropic/test',
    }),
  oddNative: (all, random) => addPart(all, random, random.pick(ODD_NATIVES)),
  misplaced: (all, random) => addPart(all, random, random.pick(MISPLACED)),
  manyImages(all, random) {
    const images = Array.from({ length: random.pick([18, 30, 130]) }, () =>
      image(random.int(1, 3_000), random.int(1, 3_000)),
    )
    for (const each of images) addPart(all, random, each)
  },
  oddImage: (all, random) => addPart(all, random, random.pick(ODD_IMAGES)),
} satisfies Record<string, Damage>

function result(id: string): ToolResultPart {
  return { type: 'tool_result', id, content: [{ type: 'text', text: 'lost' }], status: 'completed' }
}

/** The start of a PNG of this size: all that anybody reads of it. */
export function pngOf(widthPx: number, heightPx: number): string {
  const bytes = Buffer.alloc(33)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(widthPx, 16)
  bytes.writeUInt32BE(heightPx, 20)
  return bytes.toString('base64')
}

function image(widthPx: number, heightPx: number): MessagePart {
  return { type: 'image', media: { mimeType: 'image/png', data: pngOf(widthPx, heightPx) } }
}

const IMAGE_BLOCK: Block = { type: 'image', mimeType: 'image/png', data: pngOf(10, 10) }
const ODD_BLOCKS: readonly Block[] = [
  { type: 'text', text: ' ' },
  { type: 'native', provider: 'anthropic', value: { type: 'search_result', content: [] } },
  { type: 'native', provider: 'anthropic', value: { type: 'video', text: 'a film' } },
  { type: 'native', provider: 'anthropic', value: { type: 'text', text: '', citations: [] } },
  { type: 'native', provider: 'other', value: { type: 'blob' } },
  { type: 'resource', mimeType: 'application/pdf', data: 'JVBERi0=' },
  { type: 'resource', uri: 'file:///a', text: '' },
  { type: 'image' },
]
const ODD_NATIVES: readonly MessagePart[] = [
  native({ type: 'web_search_tool_result', tool_use_id: 's9', content: [] }),
  native({ type: 'server_tool_use', id: 's8', name: 'web_search', input: {} }),
  native({ type: 'compaction', content: 'All of it.', signature: 'sealed' }),
  native({ type: 'compaction', content: 'Some of it.' }),
  native({ type: 'tool_use', id: 'sly', name: 'x', input: {} }),
  native({ type: 'search_result', content: [{ type: 'text', text: ' ' }] }),
  native('no object'),
  { type: 'native', provider: 'openai', value: { type: 'reasoning', id: 'rs_1' } },
]
const MISPLACED: readonly MessagePart[] = [
  { type: 'tool_call', id: 'stray', name: 'read', arguments: {} },
  { type: 'checkpoint', id: 'abcdef' },
  { type: 'system_reminder', text: 'be kind' },
  { type: 'document', media: { mimeType: 'text/plain', text: 'a page' } },
  { type: 'document', media: { mimeType: 'application/pdf' } },
  { type: 'redacted_thinking', data: 'c2VjcmV0', model: 'anthropic/test' },
]
const ODD_IMAGES: readonly MessagePart[] = [
  image(9_000, 10),
  { type: 'image', media: { mimeType: 'image/bmp', data: 'Qk0=' } },
  { type: 'image', media: { mimeType: 'image/png' } },
  { type: 'image', media: { mimeType: 'image/png', data: 'A'.repeat(5_300_000) } },
  { type: 'image', media: { mimeType: 'image/*', uri: 'https://example.org/a.png' } },
]

function native(value: Extract<MessagePart, { type: 'native' }>['value']): MessagePart {
  return { type: 'native', provider: 'anthropic', value }
}

function at(list: readonly unknown[], random: Random): number {
  return random.int(0, Math.max(0, list.length - 1))
}

function randomRole(random: Random): Draft['role'] {
  return random.pick(['user', 'assistant'])
}

function insert(all: Draft[], random: Random, message: Draft): void {
  all.splice(random.int(0, all.length), 0, message)
}

function onMessage(all: Draft[], random: Random, act: (message: Draft) => void): void {
  const message = all[at(all, random)]
  if (message) act(message)
}

function addPart(all: Draft[], random: Random, part: MessagePart): void {
  onMessage(all, random, ({ parts }) => void parts.splice(random.int(0, parts.length), 0, part))
}

function partsOf(all: readonly Draft[]): MessagePart[] {
  return all.flatMap(({ parts }) => parts)
}

function mapParts(all: readonly Draft[], change: (part: MessagePart) => MessagePart): void {
  for (const message of all) message.parts = message.parts.map(change)
}

function onCall(all: Draft[], random: Random, change: (call: ToolCallPart) => ToolCallPart): void {
  const calls = partsOf(all).filter((part) => part.type === 'tool_call')
  if (calls.length === 0) return
  const chosen = random.pick(calls)
  mapParts(all, (part) => (part === chosen ? change(chosen) : part))
}

function onResult(
  all: Draft[],
  random: Random,
  change: (result: ToolResultPart) => ToolResultPart,
): void {
  const results = partsOf(all).filter((part) => part.type === 'tool_result')
  if (results.length === 0) return
  const chosen = random.pick(results)
  mapParts(all, (part) => (part === chosen ? change(chosen) : part))
}
