// One more token on the screen: processor time and bytes, under 10,000 lines, under 100, and by ink.
import { Editor, TuiAltScreen } from '@earendil-works/pi-tui'
import { Box, render, Text } from 'ink'
import { createElement } from 'react'
import { type AgentFrame, type ThreadEvent, ThreadView } from '../../src/protocol/index.ts'
import { Screen } from '../../src/tui/screen/screen.ts'
import { createTheme } from '../../src/tui/screen/theme.ts'
import { Transcript } from '../../src/tui/screen/transcript.ts'
import { Random } from '../../test/generate/random.ts'
import { type Answered, compare, type Goal } from '../figure.ts'
import { interleave, microsEach } from '../measure.ts'
import type { Settings } from './settings.ts'
import { SilentStream, SilentTerminal } from './silent-terminal.ts'

const GOAL: Goal = { is: 'at most', ratio: 1.5 }
/** Less than what it replaces. */
const CHEAPER: Goal = { is: 'at most', ratio: 1 }
const WORDS = ['the', 'parser', 'reads', '`config`', 'twice,', 'and', 'so', 'on.\n\n']

export async function tokenCost(settings: Settings): Promise<Answered[]> {
  const { longLines, shortLines, columns, rows, rounds, tokensPerRound: count } = settings
  const long = chatScreen(longLines, columns, rows)
  const short = chatScreen(shortLines, columns, rows)
  const ink = inkScreen(columns, rows)
  const bytes = { long: [] as number[], short: [] as number[], ink: [] as number[] }
  const series = await interleave(
    {
      long: (round) => streamed(long, tokensOf(settings, round), bytes.long),
      short: (round) => streamed(short, tokensOf(settings, round), bytes.short),
      ink: async (round) => {
        const tokens = tokensOf(settings, round)
        const frames = framesOf(settings, tokens)
        const before = ink.stream.bytes
        const start = process.cpuUsage()
        for (const lines of frames) await ink.draw(lines)
        const { user, system } = process.cpuUsage(start)
        bytes.ink.push((ink.stream.bytes - before) / frames.length)
        return (user + system) / frames.length
      },
    },
    { rounds, warmUps: 2 },
  )
  ink.close()
  const lines = (number: number) => `under ${number.toLocaleString('en-US')} lines`
  const ours = `${count} tokens, ${lines(shortLines)}`
  return [
    compare(
      {
        id: 'token-time',
        unit: 'µs',
        subject: lines(longLines),
        reference: lines(shortLines),
        goal: GOAL,
      },
      series.long,
      series.short,
    ),
    compare(
      {
        id: 'token-bytes',
        unit: 'bytes',
        subject: lines(longLines),
        reference: lines(shortLines),
        goal: GOAL,
      },
      bytes.long,
      bytes.short,
    ),
    compare(
      { id: 'ink-time', unit: 'µs', subject: ours, reference: 'ink', goal: CHEAPER },
      series.short,
      series.ink,
    ),
    compare(
      { id: 'ink-bytes', unit: 'bytes', subject: ours, reference: 'ink', goal: CHEAPER },
      bytes.short,
      bytes.ink,
    ),
  ]
}

function tokensOf({ seed, tokensPerRound }: Settings, round: number): string[] {
  const random = new Random(seed + round)
  return Array.from({ length: tokensPerRound }, () => `${random.pick(WORDS)} `)
}

/** Microseconds for each token; the bytes are noted as well. */
function streamed(screen: ChatScreen, tokens: readonly string[], bytes: number[]): number {
  const before = screen.terminal.bytes
  const micros = microsEach(tokens.length, (index) => screen.token(tokens[index] ?? ''))
  bytes.push((screen.terminal.bytes - before) / tokens.length)
  screen.finish(tokens.join(''))
  return micros
}

/** What the screen of the chat shows after each token: ink gets the finished lines, and only draws them. */
function framesOf({ shortLines, columns, rows }: Settings, tokens: readonly string[]): string[][] {
  const screen = chatScreen(shortLines, columns, rows)
  return tokens.map((token) => {
    screen.token(token)
    return [...screen.lines()]
  })
}

const NOON = new Date(Date.UTC(2026, 0, 1, 12))
/** Lines that one exchange of the transcript takes, blank ones included. */
const EXCHANGE_LINES = 10

export interface ChatScreen {
  readonly terminal: SilentTerminal
  /** One more token of the answer that is being given, and the screen with it. */
  token(text: string): void
  /** The answer is whole, and the next may begin. */
  finish(text: string): void
  lines(): readonly string[]
}

export function chatScreen(lineCount: number, columns: number, rows: number): ChatScreen {
  const view = new ThreadView()
  let seq = 0
  const event = (type: string, data: unknown) => {
    seq += 1
    const envelope = { v: 2, id: `e${seq}`, threadId: 'thr_bench', seq, timestamp: NOON }
    view.apply({ kind: 'event', event: { ...envelope, type, data } as ThreadEvent })
  }
  const answer = (text: string) => event('AGENT_MESSAGE', { content: text, calls: [] })
  for (let line = 0; line < lineCount; line += EXCHANGE_LINES) {
    event('USER_MESSAGE', `Question ${line}: how does **this** part work?`)
    answer(`It reads \`file-${line}.ts\`:\n\n- one\n- two\n- three\n\nAnd that is all of it.`)
  }
  const theme = createTheme(true)
  const terminal = new SilentTerminal(columns, rows)
  const tui = new TuiAltScreen(terminal, true)
  const transcript = new Transcript(theme)
  const screen = new Screen({
    theme,
    transcript,
    editor: new Editor(tui, theme.editor),
    rows: () => rows,
    nowMs: () => NOON.getTime(),
    status: () => view.status,
    detail: () => undefined,
    earlierEvents: () => 0,
    isTyping: () => false,
    onWheel: () => undefined,
    onClick: () => undefined,
  })
  tui.setLayoutRoot(screen)
  tui.start()
  transcript.show(view.blocks)
  tui.renderNow()
  return {
    terminal,
    token(text) {
      const frame: AgentFrame = { type: 'text-delta', threadId: 'thr_bench', timestamp: NOON, text }
      view.apply({ kind: 'frame', frame })
      transcript.show(view.blocks)
      tui.renderNow()
    },
    finish: answer,
    lines: () => screen.render(columns),
  }
}

export interface InkScreen {
  readonly stream: SilentStream
  /** Resolves when it is drawn. */
  draw(lines: readonly string[]): Promise<void>
  close(): void
}

/** As often as ink can: it holds drawings back for a thousandth of a second. */
const MAX_FPS = 1_000
const LONGEST_DRAW_MS = 10_000

export function inkScreen(columns: number, rows: number): InkScreen {
  const stream = new SilentStream(columns, rows)
  const tree = (lines: readonly string[]) =>
    createElement(
      Box,
      { flexDirection: 'column', height: rows - 1 },
      lines.slice(1).map((line, row) =>
        createElement(
          Text,
          // Rows have no other name than their number.
          { key: row, wrap: 'truncate' },
          line === '' ? ' ' : line,
        ),
      ),
    )
  const options = {
    stdout: stream as unknown as NodeJS.WriteStream,
    patchConsole: false,
    exitOnCtrlC: false,
    maxFps: MAX_FPS,
  }
  const app = render(tree([]), options)
  return {
    stream,
    async draw(lines) {
      const before = stream.bytes
      app.rerender(tree(lines))
      const deadline = performance.now() + LONGEST_DRAW_MS
      while (stream.bytes === before) {
        if (performance.now() > deadline) throw new Error('ink drew nothing')
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    close: () => app.unmount(),
  }
}
