// One more token on the screen: processor time and bytes, under 10,000 lines, under 100, and by ink.
import { Random } from '../../test/generate/random.ts'
import { type Answered, compare, type Goal } from '../figure.ts'
import { interleave, microsEach } from '../measure.ts'
import { type ChatScreen, chatScreen } from './chat-screen.ts'
import { inkScreen } from './ink-screen.ts'
import type { Settings } from './settings.ts'

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
