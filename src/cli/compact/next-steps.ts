// What to do after a compaction, as commands that can be typed as they stand.
import { quoted } from '../shell-quote.ts'
import { type Style, thousands } from '../terminal.ts'

export interface NextSteps {
  readonly input: { readonly kind: 'file' | 'thread'; readonly source: string }
  /** What became of the result. */
  readonly result: {
    readonly written: string | null // a file, or `-`
    readonly inPlace: boolean
    readonly proposal?: string
    readonly threadId?: string // that was changed, or began
    readonly oldRecords?: number // that stay in the file, before what is in force now
  }
  readonly tokens: number // of the result
  readonly program: string
  readonly options: readonly string[] // as they were given, to be given again
}

type Step = readonly [command: string, what: string]

export function nextSteps(
  { input, result, program, options, tokens }: NextSteps,
  style: Style,
): string[] {
  const source = quoted(input.source)
  const compact = [program, 'compact', source, ...options.map(quoted)].join(' ')
  if (result.proposal !== undefined)
    return told(
      'Nothing was changed. The proposal is kept:',
      applySteps(result.proposal, input, program),
      style,
    )
  if (result.written === '-') return []
  if (result.inPlace)
    return told(
      writtenTo(input.source, result, tokens, style),
      [
        [`${program} undo ${source}`, 'as it was, byte for byte'],
        [`${program} diff ${source}`, 'what went'],
      ],
      style,
    )
  if (result.written !== null) return [writtenTo(result.written, result, tokens, style)]
  if (result.threadId !== undefined)
    return told(
      `The thread is ${style.bold(result.threadId)}.`,
      [
        [`${program} diff ${result.threadId}`, 'what went'],
        ...(result.threadId === input.source
          ? ([[`${program} undo ${source}`, 'the context as it was']] satisfies Step[])
          : []),
      ],
      style,
    )
  return told(
    'Nothing was written. Next:',
    [
      [`${compact} --out compacted${extensionOf(input.source)}`, 'write the result'],
      [`${compact} --in-place`, 'replace the file, with a backup for undo'],
      [`${compact} --budget 50%`, 'fail unless it gets this small'],
      [`${program} inspect ${source}`, 'what is in it, and what each strategy gives'],
      [`${program} --help`, 'everything else'],
    ],
    style,
  )
}

/** Where old records stay, the file grows: that has to be said before somebody looks at its size. */
function writtenTo(
  file: string,
  { oldRecords }: NextSteps['result'],
  tokens: number,
  style: Style,
): string {
  const done = `Written to ${style.bold(file)}.`
  if (oldRecords === undefined) return done
  return `${done} The file is larger than before: its ${thousands(oldRecords)} old records stay in it,
and the new context stands behind them. The agent reads only that: ${thousands(tokens)} tokens.`
}

function applySteps(proposal: string, { kind }: NextSteps['input'], program: string): Step[] {
  const apply = `${program} compact --apply ${proposal}`
  if (kind === 'thread') return [[apply, 'do exactly this']]
  return [
    [`${apply} --in-place`, 'do exactly this to the file, with a backup for undo'],
    [`${apply} --out FILE`, 'write exactly this'],
  ]
}

function told(heading: string, steps: readonly Step[], style: Style): string[] {
  const width = Math.max(...steps.map(([command]) => command.length))
  return [
    heading,
    ...steps.map(([command, what]) => `  ${command.padEnd(width)}  ${style.dim(what)}`),
  ]
}

function extensionOf(source: string): string {
  return /\.\w{1,8}$/.exec(source)?.[0] ?? '.json'
}
