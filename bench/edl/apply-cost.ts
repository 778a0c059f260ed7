// What a script takes on a file of several times the size, and how fast patterns are searched for.
import { InMemoryFileIO } from '../../src/edl/in-memory-file-io.ts'
import { compileRegex } from '../../src/edl/regex/compile-regex.ts'
import { searchAll } from '../../src/edl/regex/search.ts'
import { runScript } from '../../src/edl/run.ts'
import { Random } from '../../test/generate/random.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, microsEach, use } from '../measure.ts'
import type { Settings } from './settings.ts'

/** One that no script of the benchmark reaches: a figure must not be that of an error. */
const STEPS = 1e12
const MARK = '# The middle of it all'

/** The commands behind `file f`, and what they show. */
const SCRIPTS: Readonly<Record<string, { what: string; commands: string }>> = {
  'apply-line': {
    what: 'one line selected and replaced',
    commands: `select <<E\n${MARK}\nE\nreplace <<E\nnew\nE\n`,
  },
  'apply-regex': {
    what: 'one match of a regex selected and replaced',
    commands: 'select /^# The \\w+ of it/m\nreplace "new"\n',
  },
  'apply-every-line': {
    what: 'every line selected and something inserted after it',
    commands: 'select_multiple /^.*$/m\ninsert_after "+"\n',
  },
  'apply-many-edits': {
    what: 'a word edited everywhere five times, a line looked up after each',
    commands: 'select_multiple /\\boff?\\b/\nreplace "off"\nselect 3\n'.repeat(5),
  },
  'apply-failed': {
    what: 'every word replaced, and then a failure that undoes it',
    commands: 'select_multiple /\\w+/\nreplace "x"\nselect /never/\n',
  },
  'apply-runaway': {
    what: 'a regex that runs away elsewhere: /(?:\\w+\\s?)+!/',
    commands: 'select /(?:\\w+\\s?)+!/\n',
  },
}
/** How much more than in proportion it may take. */
const ALLOWANCE = 1.2

const SEARCHES: Readonly<Record<string, RegExp>> = {
  'search-prefix': /The \w+ of/g,
  'search-words': /\w+/g,
  'search-lines': /^.*the.*$/gm,
}

export async function applyCost(settings: Settings): Promise<Answered[]> {
  const { largeChars, smallChars, rounds, budgetMs, seed } = settings
  const large = textOf(new Random(seed), largeChars)
  const small = Array.from({ length: largeChars / smallChars }, (_, index) =>
    textOf(new Random(seed + index), smallChars),
  )
  const figures: Answered[] = []
  for (const [id, { what, commands }] of Object.entries(SCRIPTS)) {
    const script = `file f\n${commands}`
    // As many small files as make the same amount of text, so that both sides touch the same memory.
    const series = await interleave(
      {
        large: () => cpuMillisOf(() => apply(script, [large])),
        small: async () => (await cpuMillisOf(() => apply(script, small))) / small.length,
      },
      { rounds, warmUps: 2, budgetMs },
    )
    const question = {
      id,
      unit: 'ms',
      subject: `${what}, ${largeChars.toLocaleString('en-US')} characters`,
      reference: `${smallChars.toLocaleString('en-US')} characters`,
      goal: { is: 'at most', ratio: (largeChars / smallChars) * ALLOWANCE },
    } as const
    figures.push(compare(question, series.large, series.small))
  }
  for (const [id, pattern] of Object.entries(SEARCHES))
    figures.push(await searchSpeed(id, pattern, large, settings))
  return figures
}

async function searchSpeed(
  id: string,
  pattern: RegExp,
  text: string,
  { rounds, budgetMs }: Settings,
): Promise<Answered> {
  const program = compileRegex(pattern.source, pattern.flags)
  const megabytes = Buffer.byteLength(text) / 1e6
  const speed = (work: () => void) => (megabytes / microsEach(1, work)) * 1e6
  const series = await interleave(
    {
      ours: () => speed(() => searchAll(program, text, { left: STEPS }, (start) => use(start))),
      native: () =>
        speed(() => {
          for (const { index } of text.matchAll(pattern)) use(index)
        }),
    },
    { rounds, warmUps: 3, budgetMs },
  )
  const question = {
    id,
    unit: 'MB/s',
    subject: `all matches of ${pattern}`,
    reference: 'the native engine, which may run away',
  } as const
  return compare(question, series.ours, series.native)
}

async function apply(script: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const result = await runScript(script, new InMemoryFileIO({ f: text }), {
      limits: { regexSteps: STEPS },
    })
    if (result.status === 'error') throw new Error(result.error)
    use(result.text.length)
  }
}

/** Time of the processor; a script awaits its files, which here are there at once. */
async function cpuMillisOf(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

const WORDS = 'the of and a system file reader write summary State red green is was 42 note'.split(
  ' ',
)

/** Lines of words, with one certain line in the middle. */
function textOf(random: Random, chars: number): string {
  const lines: string[] = []
  let [length, isMarked] = [0, false]
  while (length < chars) {
    const isMiddle = !isMarked && length >= chars / 2
    isMarked ||= isMiddle
    const words = Array.from({ length: random.int(2, 14) }, () => random.pick(WORDS))
    const line = isMiddle ? MARK : words.join(' ')
    lines.push(line)
    length += line.length + 1
  }
  return `${lines.join('\n')}\n`
}
