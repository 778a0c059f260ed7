// What a terminal can do to a chat: other sizes, any script, endless outputs, long pasts, sudden ends.
import { EventEmitter } from 'node:events'
import { visibleWidth } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import { ThreadView, type ViewBlock } from '../../src/protocol/index.ts'
import { restoreAtEnd } from '../../src/tui/screen/restore-terminal.ts'
import { createTheme } from '../../src/tui/screen/theme.ts'
import { Transcript } from '../../src/tui/screen/transcript.ts'
import { ManualClock } from '../dev-model/manual-clock.ts'
import { answer, user } from '../say.ts'
import { exchange, openChat } from './setup.ts'

describe('sizes', () => {
  it('follow the window, down to one that is hardly there', async () => {
    const chat = await openChat({ dev: { script: [{ text: 'word '.repeat(100) }] } })
    await exchange(chat, 'go on', 'word word')
    for (const [columns, rows] of [
      [200, 50],
      [40, 12],
      [20, 6],
      [12, 4],
      [80, 24],
    ] as const) {
      await chat.terminal.resize(columns, rows)
      await chat.terminal.sees(/word/)
      for (const line of await chat.terminal.lines())
        expect(visibleWidth(line)).toBeLessThanOrEqual(columns)
    }
    expect(await chat.terminal.sees('queue 0')).toContain('word word')
  })

  it('may change while an answer comes', async () => {
    const fault = { kind: 'stall', at: 'middle', ms: 1_000 } as const
    const clock = new ManualClock()
    const chat = await openChat({
      dev: { clock, script: [{ text: `${'word '.repeat(200)}and the end.`, fault }] },
    })
    chat.terminal.enter('go on')
    await chat.terminal.sees('word word')
    for (const columns of [40, 120, 60]) {
      await chat.terminal.resize(columns, 20)
      const screen = await chat.terminal.sees('word word')
      expect(screen).toContain('Esc stops it')
      for (const line of screen.split('\n')) expect(visibleWidth(line)).toBeLessThanOrEqual(columns)
    }
    clock.advance(1_000)
    expect(await chat.terminal.sees('and the end.')).toContain('word word')
  })

  it('let a long list be used in a window that became small', async () => {
    const chat = await openChat({ rows: 40 })
    chat.terminal.enter('/model')
    await chat.terminal.sees('Enter chooses')
    chat.terminal.press('up')
    await chat.terminal.sees('→ dev')
    await chat.terminal.resize(80, 12)
    await chat.terminal.sees('→ dev')
    chat.terminal.type('no such model, '.repeat(8))
    const screen = await chat.terminal.sees('Nothing has these words.')
    for (const line of screen.split('\n').filter((each) => each.includes('│')))
      expect(line).toMatch(/│.*│/)
  })

  it('let a dialog be used in a small window', async () => {
    const chat = await openChat({ columns: 30, rows: 10 })
    chat.terminal.enter('/settings')
    await chat.terminal.sees('model')
    chat.terminal.press('escape')
    await chat.terminal.sees('model ', false)
  })
})

describe('text', () => {
  it('of wide letters is wrapped where it must be, also while it is typed', async () => {
    const text = '日本語のテキスト'.repeat(12)
    const chat = await openChat({ columns: 40, dev: { script: [{ text }] } })
    chat.terminal.type('漢字と👩‍👩‍👧‍👦の入力')
    await chat.terminal.sees('漢字と')
    chat.terminal.press('enter')
    await chat.terminal.sees(text.slice(0, 18))
    for (const line of await chat.terminal.lines())
      expect(visibleWidth(line)).toBeLessThanOrEqual(40)
  })

  it('has no colour where none is wanted', async () => {
    const chat = await openChat()
    await exchange(chat, 'hello', 'You said')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
    expect(chat.terminal.written.join('')).not.toMatch(/\u001b\[(?:3[0-7]|4[0-7]|38|48|9[0-7])[;m]/)
    expect(createTheme(true).good('x')).toBe('\u001b[32mx\u001b[39m')
  })
})

describe('amounts', () => {
  it('of output do not slow the drawing: one more word draws one line', async () => {
    const view = new ThreadView()
    const transcript = new Transcript(createTheme(false))
    const blocks: ViewBlock[] = Array.from({ length: 3_000 }, (_, index) => ({
      kind: 'notice',
      key: `n${index}`,
      level: 'reply',
      text: `line ${index}`,
    }))
    let drawn = 0
    const counted = blocks.map(
      (block) =>
        new Proxy(block, {
          get(target, key) {
            if (key === 'text') drawn += 1
            return Reflect.get(target, key)
          },
        }),
    )
    transcript.show(counted)
    transcript.render(80, 20)
    expect(drawn).toBeLessThan(30)
    drawn = 0
    transcript.render(80, 20)
    expect(drawn).toBe(0)
    expect(view.blocks).toEqual([])
  })

  it('of a tool are folded, and shown up to a limit when opened', () => {
    const transcript = new Transcript(createTheme(false))
    const result = 'a line of output\n'.repeat(500_000)
    const tool: ViewBlock = {
      kind: 'tool',
      key: 'call:1',
      callId: '1',
      name: 'run',
      subject: 'yes',
      state: 'completed',
      result,
    }
    transcript.show([tool])
    expect(transcript.render(80, 10).join('\n')).toMatch(/… \d+ more lines/)
    transcript.toggle('call:1')
    expect(transcript.render(80, 5).join('\n')).toContain('/export writes everything')
  })

  it('of history are read when the user goes up to them', async () => {
    const chat = await openChat()
    const drafts = Array.from({ length: 1_500 }, (_, index) => [
      user(`question ${index}`),
      ...answer(`answer ${index}`),
    ]).flat()
    await chat.home.threads.append(chat.threadId, drafts)
    const terminal = chat.reopen(chat.threadId)
    await terminal.sees('answer 1499')
    for (let page = 0; page < 400; page += 1) terminal.press('page-up')
    await terminal.sees(/question 5\d\d/)
    for (let page = 0; page < 400; page += 1) terminal.press('page-up')
    await terminal.sees('question 0')
    terminal.wheel('down')
    terminal.press('escape')
    await terminal.sees('answer 1499')
  })
})

describe('the end of the process', () => {
  function process() {
    const host = Object.assign(new EventEmitter(), {
      codes: [] as number[],
      exit(code: number) {
        host.codes.push(code)
      },
    })
    return host
  }

  const CASES = [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['uncaughtException', 1],
    ['unhandledRejection', 1],
  ] as const
  for (const [event, code] of CASES)
    it(`by ${event} gives the terminal back first`, async () => {
      const host = process()
      const did: string[] = []
      restoreAtEnd(
        {
          restore: () => did.push('restore'),
          report: () => did.push('report'),
          close: async () => void did.push('close'),
        },
        host,
      )
      host.emit(event, new Error('broken'))
      host.emit(event, new Error('again'))
      await new Promise((resolve) => setImmediate(resolve))
      expect(did[0]).toBe('restore')
      expect(did.filter((step) => step === 'close')).toHaveLength(1)
      expect(did.includes('report')).toBe(code === 1)
      expect(host.codes).toEqual([code])
    })

  it('is watched no more when the chat is over', () => {
    const host = process()
    const unwatch = restoreAtEnd(
      { restore: () => undefined, report: () => undefined, close: async () => undefined },
      host,
    )
    unwatch()
    expect(host.eventNames()).toEqual([])
  })
})
