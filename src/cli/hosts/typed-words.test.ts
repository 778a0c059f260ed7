// What the fast hook finds of the user's words: the same as the reader, of the whole file and of what is new
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { corpusFiles } from '../../../test/corpus/files.ts'
import { requirement } from '../../../test/require.ts'
import type { EventOf } from '../../core/log/event.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
import { readClaudeCode } from '../../formats/claude-code/read.ts'
import { ReadNotes } from '../../formats/reading/notes.ts'
import { textSource } from '../../formats/reading/sample.ts'
import { MAIN } from '../../formats/session-format.ts'
import { typedWords } from './typed-words.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-words-'))
afterAll(() => rmSync(folder, { recursive: true }))

function put(text: string): string {
  const path = join(folder, 'session.jsonl')
  writeFileSync(path, text)
  return path
}

async function readerWords(text: string): Promise<string[]> {
  const words: string[] = []
  for await (const step of readClaudeCode(textSource(text), new ReadNotes()))
    if (step.type === 'drafts' && step.thread === MAIN)
      for (const { draft } of step.drafts)
        if (draft.type === 'USER_MESSAGE')
          words.push(
            typedTexts(draft as EventOf<'USER_MESSAGE'>)
              .join('\n')
              .trim(),
          )
  return words.filter((each) => each !== '')
}

/** As a reader finds them, whole and from every line on; how often what was kept could be used. */
async function checkWords(text: string, step = 1): Promise<number> {
  const path = put(text)
  const size = Buffer.byteLength(text)
  const whole = typedWords(path, 0, size)
  expect(whole).toEqual(await readerWords(text))
  const ends = [...Buffer.from(text).entries()].flatMap(([at, byte]) =>
    byte === 10 ? [at + 1] : [],
  )
  const tried = ends.filter((_, index) => index % step === 0)
  let used = 0
  for (const from of tried) {
    const added = typedWords(path, from, size)
    if (added === undefined) continue
    used += 1
    expect([...(typedWords(path, 0, from) ?? []), ...added], `from byte ${from}`).toEqual(whole)
  }
  return used / tried.length
}

const line = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) =>
  `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 's', message: { role: 'user', content }, ...more })}\n`
const answer = (uuid: string, parent: string) =>
  line(uuid, parent, [{ type: 'text', text: 'Done.' }], { type: 'assistant' })

describe('the words of a user', () => {
  it('are those that the reader finds, also where only the end is read', async () => {
    const url = new URL('../../../samples/session.jsonl', import.meta.url)
    expect(await checkWords(readFileSync(url, 'utf8'), 7)).toBe(1)
  })

  it('are none of the client, of a sub-agent or of a tool, and all that waited', async () => {
    const text =
      line('a', null, 'Never push.') +
      line('b', 'a', 'Caveat', { isMeta: true }) +
      line('c', 'b', [{ type: 'tool_result', tool_use_id: 't', content: 'Never mind.' }]) +
      line('d', 'c', 'Look at the port.', { isSidechain: true }) +
      line('e', 'c', 'An event.', { origin: { kind: 'task-notification' } }) +
      line('f', 'e', [
        { type: 'text', text: 'Use tabs.' },
        { type: 'image', source: {} },
      ]) +
      `${JSON.stringify({ type: 'attachment', uuid: 'g', parentUuid: 'f', attachment: { type: 'queued_command', prompt: 'Always test.' } })}\n` +
      line('h', 'g', 'This was the summary.', { isCompactSummary: true })
    const found = typedWords(put(text), 0, Buffer.byteLength(text))
    expect(found).toEqual(['Never push.', 'Use tabs.', 'Always test.'])
  })

  it('are not those of a branch that was left, whenever that shows', async () => {
    const before = line('a', null, 'Start.') + answer('b', 'a') + line('c', 'b', 'Never push.')
    const far = Array.from({ length: 900 }, (_, at) => answer(`x${at}`, at ? `x${at - 1}` : 'c'))
    for (const kept of [before + answer('d', 'c'), before + far.join('')]) {
      const text = kept + line('e', 'b', 'Use tabs.')
      const path = put(text)
      expect(typedWords(path, 0, Buffer.byteLength(text))).toEqual(['Start.', 'Use tabs.'])
      expect(typedWords(path, kept.length, Buffer.byteLength(text))).toBeUndefined()
    }
  })

  it('are those of the end where a session is longer than a host waits for', () => {
    const text = `${line('a', null, 'Start.')}${`${'x'.repeat(999_999)}\n`.repeat(65)}`
    const end = line('b', 'gone', 'Never push.') + answer('c', 'b') + line('d', 'c', 'Use tabs.')
    const path = put(text + end)
    expect(typedWords(path, 0, text.length + end.length)).toEqual(['Never push.', 'Use tabs.'])
    expect(typedWords(path, 200, text.length + end.length)).toBeUndefined()
  })

  it.each(['', 'not JSON\n', '\uFEFF{"type":"user"}\n', '[1]\n{"type":'])(
    'are read around what is no record: %j',
    async (odd) => {
      const text = `${odd}${line('a', null, 'Never push.')}${odd}`
      expect(typedWords(put(text), 0, Buffer.byteLength(text))).toEqual(
        odd.endsWith(':') ? [] : ['Never push.'],
      )
    },
  )
})

const { available, notice } = requirement('corpus')

describe.skipIf(!available)(`recorded sessions of Claude Code ${notice}`, () => {
  for (const { name, read } of corpusFiles(['claude-code']))
    it(`${name}: the words are those that the reader finds`, async () => {
      const text = read()
      if (/^\s*\{?\s*"loglines"|^\s*\{\s*$/m.test(text.slice(0, 200))) return
      const lines = text.split('\n').length
      await checkWords(text, Math.ceil(lines / 20))
    })
})
