// Ranges that the agent replaces itself: the open request stays, and each note speaks of its own range alone.
import { describe, expect, it } from 'vitest'
import { findRequests } from '../../src/core/view/last-request.ts'
import { carriedEntry } from '../../src/core/view/request-note.ts'
import { extract } from '../../src/strategies/extract/extract.ts'
import { checkpointRange, wholeSummary } from '../../src/strategies/ranges/agent-replacements.ts'
import { keepRecent } from '../../src/strategies/summary/keep-recent.ts'
import { TestLog } from '../generate/test-log.ts'
import { answer, checkpoint, result, user } from '../say.ts'
import { CHARACTERS, type Character, portOf } from './characters.ts'
import { timesIn } from './honest.ts'
import { inputFor, REQUEST, sentText } from './planted.ts'

const STOPS_EARLY = CHARACTERS.find(({ name }) => name === 'stops early') as Character
const PAGE = 'We looked at this from several sides before anything was written down.\n'.repeat(80)

function exchange(at: number): TestLog['events'][number][] | ReturnType<typeof answer> {
  const path = `src/part-${at}/pier_${at}.ts`
  return [
    user(`Look at ${path}.`),
    ...answer(`I read ${path}.`, `call${at}`),
    result(`call${at}`, `export const pier_${at} = ${4_000 + at}\n${PAGE}`),
    ...answer(`It says pier_${at}.`),
  ]
}

async function compact(log: TestLog, range: { from?: string; to?: string }): Promise<void> {
  const strategy = checkpointRange([{ ...range, summary: 'We read some files of the harbour.' }])
  const proposal = await strategy.propose(inputFor(log, { trigger: 'tool' }))
  expect(log.compact(proposal, 'tool')).toBeUndefined()
}

describe('a range that the agent replaces', () => {
  it('may be short: an open request in it stays word for word [ALWAYS-23]', async () => {
    const log = new TestLog()
    log.append([...[1, 2, 3, 4, 5].flatMap(exchange), checkpoint('aaaaaa')])
    log.append([user(REQUEST), checkpoint('bbbbbb')])
    log.append([
      { type: 'AGENT_MESSAGE', data: { content: 'On it.', calls: [], stopReason: 'aborted' } },
    ])
    await compact(log, { from: 'aaaaaa' })
    expect(sentText(log)).toContain(REQUEST)
  })

  it('has a note that says nothing of ranges before it, not even what their notes leave out', async () => {
    const log = new TestLog()
    const early = Array.from({ length: 12 }, (_, at) => at + 1)
    log.append([
      ...early.flatMap(exchange),
      checkpoint('aaaaaa'),
      user('Go on.'),
      ...answer('Yes.'),
    ])
    await compact(log, { to: 'aaaaaa' })
    log.append([checkpoint('cccccc'), ...[31, 32, 33, 34, 35].flatMap(exchange)])
    log.append([checkpoint('bbbbbb'), user('Thanks.')])
    await compact(log, { from: 'cccccc', to: 'bbbbbb' })
    const [note] = sentText(log).split('[Context note').slice(-1)
    expect(note).toContain('pier_35')
    const numbers = [...(note?.matchAll(/(?:pier_|part-)(\d+)/g) ?? [])].map(([, at]) => Number(at))
    expect(numbers.filter((at) => at < 31)).toEqual([])
  })
})

describe('a note that stays', () => {
  it('is not repeated by the note of a later range, down to the line of a call that failed', async () => {
    const log = new TestLog()
    const path = 'src/harbour/pier.ts'
    const edit = { path, oldText: '// version 0', newText: '// task 12.3, version 1' }
    log.append([
      ...[1, 2, 3].flatMap(exchange),
      { type: 'AGENT_MESSAGE', data: { content: 'I edit it.', calls: ['edit'] } },
      { type: 'TOOL_CALL', data: { id: 'edit', name: 'edit', arguments: edit, answer: 0 } },
      result('edit', 'pier.ts has no line `// version 0`.', 'failed'),
      checkpoint('aaaaaa'),
      ...[4, 5].flatMap(exchange),
      checkpoint('bbbbbb'),
      ...[6, 7].flatMap(exchange),
      checkpoint('cccccc'),
      user(REQUEST),
    ])
    const both = checkpointRange([
      { to: 'aaaaaa', summary: 'We read src/part-1/pier_1.ts, pier_2 and pier_3.' },
      { from: 'bbbbbb', to: 'cccccc', summary: 'We read src/part-6/pier_6.ts and pier_7.' },
    ])
    const first = await both.propose(inputFor(log, { trigger: 'tool' }))
    expect(log.compact(first, 'tool')).toBeUndefined()
    expect(sentText(log)).toMatch(/\] edit src\/harbour\/pier\.ts.* \(failed\)$/m)
    const again = checkpointRange([{ to: 'bbbbbb', summary: 'Before that pier_1 to pier_5.' }])
    const second = await again.propose(inputFor(log, { trigger: 'tool' }))
    expect(log.compact(second, 'tool')).toBeUndefined()
    const lines = sentText(log)
      .split('\n')
      .filter((line) => line.startsWith('[ref:'))
    expect(lines).toEqual([...new Set(lines)])
  })

  it('quotes messages of the user that a brief of what stood before it does not quote again', async () => {
    const log = new TestLog()
    const task = (at: number) => `Task ${at}: paint src/part-${at}/pier_${at}.ts before the winter.`
    const done = (at: number) => [user(task(at)), ...exchange(at).slice(1)]
    log.append([...[1, 2, 3, 4, 5, 6].flatMap(exchange), checkpoint('aaaaaa')])
    const later = log.append([...[7, 8, 9].flatMap(done), checkpoint('bbbbbb')])
    const [first, second, third] = later.filter(({ type }) => type === 'USER_MESSAGE')
    const said = `## The user said\n[ref:e${first?.seq}] ${task(7)}\n[ref:e${second?.seq}] ${task(8)}`
    const last = `The last request of the user, word for word [ref:e${third?.seq}]:\n${task(9)}`
    const entry = { type: 'USER_MESSAGE', label: 'summary', data: 'We painted some.' } as const
    const ids = log.context.items.toArray().map(({ id }) => id)
    const covers = ids.slice(ids.indexOf(`e${first?.seq ?? 0}`))
    const put = [entry, carriedEntry(`${said}\n\n${last}`)]
    expect(log.compact({ edits: [{ covers, put }] }, 'tool')).toBeUndefined()
    log.append([user(REQUEST)])
    for (const targetTokens of [1_000, 1_200, 1_400, 1_500]) {
      const { edits } = await extract.propose(inputFor(log, { trigger: 'command', targetTokens }))
      expect(log.compact({ edits })).toBeUndefined()
      const text = sentText(log)
      expect(text).toContain('## First request')
      expect(
        [7, 8, 9].map((at) => timesIn(text, task(at))),
        text,
      ).toEqual([1, 1, 1])
      log.undo()
    }
  })

  it('has said how far the requests are answered: a later one of the same turn does not', async () => {
    const log = new TestLog()
    const ids = ['aaaaaa', 'bbbbbb', 'cccccc'] as const
    log.append(ids.flatMap((id, at) => [...[3 * at, 3 * at + 1].flatMap(exchange), checkpoint(id)]))
    log.append([user(REQUEST)])
    await compact(log, { from: 'bbbbbb', to: 'cccccc' })
    expect(timesIn(sentText(log), 'Requests are answered up to')).toBe(1)
    await compact(log, { to: 'aaaaaa' })
    expect(timesIn(sentText(log), 'Requests are answered up to')).toBe(1)
    expect(timesIn(sentText(log), '[Context note')).toBe(2)
  })

  it('repeats no message of the user that the summary quotes', async () => {
    const log = new TestLog()
    log.append([...[1, 2, 3, 4, 5, 6].flatMap(exchange), user(REQUEST)])
    const provider = portOf(STOPS_EARLY, 16_000)
    const run = { threadId: log.threadId, provider, windowTokens: 16_000 }
    const input = inputFor(log, { run, trigger: 'auto', targetTokens: 4_000 })
    expect(log.compact(await keepRecent.propose(input), 'auto')).toBeUndefined()
    expect(sentText(log)).toContain('<user-messages>')
    const lines = sentText(log)
      .split('\n')
      .filter((line) => line.startsWith('[ref:'))
    expect(lines).toEqual([...new Set(lines)])
  })
})

describe('a request that is still open', () => {
  const request = 'Rename the handler of orders.'

  it('stays open where the agent compacts a range before it, and stands in a note once [ALWAYS-23]', async () => {
    const log = new TestLog()
    log.append([...[1, 2, 3].flatMap(exchange), checkpoint('aaaaaa'), user(request)])
    log.append(answer('This is getting long.', 'own'))
    const range = checkpointRange([{ to: 'aaaaaa', summary: 'We read files.' }], 'own')
    const first = await range.propose(inputFor(log, { trigger: 'tool' }))
    expect(log.compact(first, 'tool')).toBeUndefined()
    for (const time of [1, 2, 3]) {
      log.append([
        ...answer('I look.', `more${time}`),
        result(`more${time}`, `Berth ${time}\n${PAGE}`),
      ])
      const whole = wholeSummary({ summary: `We read more, ${time}.`, files: [] })
      const input = inputFor(log, { trigger: 'tool', targetTokens: 1_500 })
      const next = await (time === 3 ? extract : whole).propose(input)
      expect(log.compact(next, 'tool')).toBeUndefined()
      const text = sentText(log)
      expect(text.split(request), text).toHaveLength(2)
      expect(text).toMatch(/The request \[ref:e\d+\] is not answered yet/)
      expect(findRequests(log.context.items.toArray(), log.eventAt).isOpen).toBe(true)
    }
  })
})

describe('a continuation that is the open request', () => {
  it.each(['e1', 'e3', 'e5', 'e6', 'e8'] as const)(
    'stands once, and as the user said it, where %s is pinned',
    async (id) => {
      const log = new TestLog()
      log.append([
        user('Look at pier_1.'),
        ...answer('Yes.', 'a'),
        result('a', `pier_1 is 5\n${PAGE}`),
      ])
      log.append([user(REQUEST), ...answer('I look.', 'b'), result('b', `pier_2\n${PAGE}`)])
      log.pin({ entries: [id] })
      const whole = wholeSummary({
        summary: 'pier_1 is 5, and pier_2.',
        files: [],
        continuation: ` ${REQUEST}\n`,
      })
      const proposal = await whole.propose(inputFor(log, { trigger: 'tool' }))
      expect(log.compact(proposal, 'tool')).toBeUndefined()
      expect(timesIn(sentText(log), REQUEST)).toBe(1)
      expect(log.context.items.toArray().map((item) => item.id)).toContain('e5')
    },
  )
})

describe('a note on what a summary lost', () => {
  it.each([
    ['pinned', [{ type: 'PIN', data: { pinId: 'p', text: 'Never touch the pier.' } } as const]],
    ['nothing pinned', []],
  ])('goes with the summary where a brief takes its place: %s', async (_, pins) => {
    const log = new TestLog()
    log.append([...[1, 2, 3, 4, 5].flatMap(exchange), ...pins, user(REQUEST)])
    const files = [{ path: 'harbour.md', content: PAGE }]
    const whole = wholeSummary({ summary: 'We read files.', files, continuation: 'Go on.' })
    const first = await whole.propose(inputFor(log, { trigger: 'tool' }))
    expect(log.compact(first, 'tool')).toBeUndefined()
    expect(notesIn(log)).toHaveLength(1)
    log.append([...answer('Renamed.'), ...[6, 7].flatMap(exchange), user('And now the tests.')])
    for (let targetTokens = 1_000; targetTokens <= 2_000; targetTokens += 100) {
      const { edits } = await extract.propose(inputFor(log, { trigger: 'command', targetTokens }))
      expect(edits.length).toBeGreaterThan(0)
      expect(log.compact({ edits })).toBeUndefined()
      const lines = sentText(log)
        .split('\n')
        .filter((line) => line.startsWith('[ref:') && line.length > 30)
      expect(lines, `${targetTokens} tokens`).toEqual([...new Set(lines)])
      expect(sentText(log)).toContain('pier_5')
      log.undo()
    }
  })
})

function notesIn(log: TestLog): string[] {
  return sentText(log).split('[Context note, not a new request').slice(1)
}

it('the list of pinned texts stands once, also where it was beyond what is replaced', async () => {
  const log = new TestLog()
  const pin = (pinId: string, text: string) => ({ type: 'PIN', data: { pinId, text } }) as const
  log.append([...[1, 2, 3].flatMap(exchange), pin('a', 'Never touch the pier.')])
  const first = wholeSummary({ summary: 'We read pier_1, pier_2 and pier_3.', files: [] })
  expect(
    log.compact(await first.propose(inputFor(log, { trigger: 'tool' })), 'tool'),
  ).toBeUndefined()
  log.append([pin('b', 'Never paint the berth.'), ...[4, 5].flatMap(exchange)])
  const items = log.context.items.toArray()
  const [summary] = items
  if (!summary) throw new Error('there is a summary')
  const put = [{ type: 'USER_MESSAGE', data: 'We read pier_1.', label: 'summary' }] as const
  expect(log.compact({ edits: [{ covers: [summary.id], put }] })).toBeUndefined()
  const lists = sentText(log).split('what the user said that still holds')
  expect(lists).toHaveLength(2)
  expect(lists[1]).toMatch(/Never touch the pier\.[\s\S]*Never paint the berth\./)
})
