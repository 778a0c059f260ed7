// What to do after a compaction, as commands ready to type.
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { type ModelOverrides, modelInfo, readModelOverrides } from '../../providers/catalogue.ts'
import { costOf } from '../../providers/costs.ts'
import { quoted, type Style, thousands } from '../terminal/terminal.ts'
import type { SessionOutcome } from './compact-session.ts'

export interface NextSteps {
  readonly input: { readonly kind: 'file' | 'thread'; readonly source: string }
  /** Where the result went. */
  readonly result: {
    readonly written: string | null // a file, or `-`
    readonly inPlace: boolean
    readonly proposal?: string
    readonly threadId?: string // changed or created
    readonly oldRecords?: number // kept in the file before the current ones
  }
  readonly tokens: number // of the result
  readonly drops: readonly unknown[] // empty if nothing changed
  readonly again: Again
}

/** How to repeat the command. */
export interface Again {
  readonly program: string // as the reader starts it
  readonly options: readonly string[] // as given
  readonly canReplace: boolean // the input is a file whose format can be written
}

type Step = readonly [command: string, what: string]

/** Lines are wrapped to `columns` where possible. */
interface Shown {
  readonly style: Style
  readonly columns: number
}

export function nextSteps(steps: NextSteps, shown: Shown): string[] {
  const { style } = shown
  const { input, result, tokens, again } = steps
  const { program } = again
  const source = quoted(input.source)
  if (result.proposal !== undefined && steps.drops.length === 0)
    return told('Nothing changes, so there is nothing to apply. Next:', repeatSteps(steps), shown)
  if (result.proposal !== undefined)
    return told(
      'Nothing was changed. The proposal is kept:',
      applySteps(result.proposal, input, again),
      shown,
    )
  if (result.written === '-') return []
  if (result.inPlace)
    return told(
      writtenTo(input.source, result, tokens, style),
      [
        [`${program} undo ${source}`, 'as it was, byte for byte'],
        [`${program} diff ${source}`, 'what was removed'],
      ],
      shown,
    )
  if (result.written !== null) return [writtenTo(result.written, result, tokens, style)]
  if (result.threadId !== undefined)
    return told(
      `The thread is ${style.bold(result.threadId)}.`,
      [
        [`${program} diff ${result.threadId}`, 'what was removed'],
        ...(result.threadId === input.source
          ? ([[`${program} undo ${source}`, 'the context as it was']] satisfies Step[])
          : []),
      ],
      shown,
    )
  return told(
    'Nothing was written. Next:',
    [...repeatSteps(steps), [`${program} --help`, 'list all commands']],
    shown,
  )
}

/** Below this most of the content must stay, so halving it is impossible. */
const WORTH_SHRINKING_TOKENS = 2_000

function repeatSteps({ input, tokens, drops, again }: NextSteps): Step[] {
  const { program, options, canReplace } = again
  const source = quoted(input.source)
  const compact = [program, 'compact', source, ...options.map(quoted)].join(' ')
  const write: Step = [
    `${compact} --out compacted${readExtension(input.source)}`,
    'write the result',
  ]
  const replace: Step = [`${compact} --in-place`, 'replace the file and keep a backup']
  const shrink: Step = [`${compact} --budget 50%`, 'set the size of the result']
  return [
    ...(drops.length > 0 ? [write] : []),
    ...(drops.length > 0 && canReplace ? [replace] : []),
    ...(options.includes('--budget') || tokens < WORTH_SHRINKING_TOKENS ? [] : [shrink]),
    [`${program} inspect ${source}`, 'show its content and what each strategy saves'],
  ]
}

/** If old records stay, the file grows: say so before someone looks at its size. */
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

function applySteps(
  proposal: string,
  { kind }: NextSteps['input'],
  { program, canReplace }: Again,
): Step[] {
  const apply = `${program} compact --apply ${proposal}`
  if (kind === 'thread') return [[apply, 'do exactly this']]
  const write: Step = [`${apply} --out FILE`, 'write exactly this']
  if (!canReplace) return [write]
  return [[`${apply} --in-place`, 'do exactly this to the file, with a backup for undo'], write]
}

/** In two columns, or with each explanation below its command if that is too wide. */
function told(heading: string, steps: readonly Step[], { style, columns }: Shown): string[] {
  const width = Math.max(...steps.map(([command]) => command.length))
  const widest = Math.max(...steps.map(([, what]) => INDENT.length + width + 2 + what.length))
  if (widest <= columns)
    return [
      heading,
      ...steps.map(([command, what]) => `${INDENT}${command.padEnd(width)}  ${style.dim(what)}`),
    ]
  return [
    heading,
    ...steps.flatMap(([command, what]) => [
      ...broken(command, columns),
      `${INDENT.repeat(3)}${style.dim(what)}`,
    ]),
  ]
}

const INDENT = '  '
/** A shell word, including quotes and escapes. */
const WORD = /(?:'[^']*'|\\.|[^\s'\\])+/g

/** Wraps a command with line continuations; keeps an option with its value. */
function broken(command: string, columns: number): string[] {
  const whole = `${INDENT}${command}`
  if (whole.length <= columns) return [whole]
  const lines: string[] = []
  for (const part of readParts(command)) {
    const last = lines.at(-1)
    const longer = last === undefined ? `${INDENT}${part}` : `${last} ${part}`
    // Leave room for the continuation mark.
    if (last === undefined || longer.length + 2 <= columns) lines.splice(-1, 1, longer)
    else lines.push(`${INDENT.repeat(2)}${part}`)
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line))
}

function readParts(command: string): string[] {
  const parts: string[] = []
  for (const word of command.match(WORD) ?? []) {
    const last = parts.at(-1)
    if (last === undefined || word.startsWith('--')) parts.push(word)
    else parts.splice(-1, 1, `${last} ${word}`)
  }
  return parts
}

function readExtension(source: string): string {
  return /\.\w{1,8}$/.exec(source)?.[0] ?? '.json'
}

/** What a compaction saves and costs in money, if prices are known. */
export interface Costs {
  /** An uncached request to the model that answered last. */
  readonly request?: {
    readonly model: string
    readonly beforeUsd: number
    readonly afterUsd: number
  }
  /** The cost of the summary. */
  readonly summaryUsd?: number
}

export function computeCosts(
  { report, record }: SessionOutcome,
  latest: readonly ThreadEvent[],
  { catalogue }: Settings,
): Costs {
  const overrides = readModelOverrides(catalogue ?? {}, 'catalogue')
  const model = readLastModel(latest)
  const beforeUsd = promptCost(report.before.total, model, overrides)
  const afterUsd = promptCost(report.after.total, model, overrides)
  const { usage } = record.proposal
  const summaryUsd = usage?.model && costOf(usage, modelInfo(usage.model, overrides))
  return {
    ...(model !== undefined &&
      beforeUsd !== undefined &&
      afterUsd !== undefined && { request: { model, beforeUsd, afterUsd } }),
    ...(summaryUsd !== undefined && { summaryUsd }),
  }
}

function promptCost(
  tokens: number,
  model: string | undefined,
  overrides: ModelOverrides,
): number | undefined {
  if (model === undefined) return undefined
  const usage = { promptTokens: tokens, completionTokens: 0, totalTokens: tokens }
  return costOf(usage, modelInfo(model, overrides))
}

function readLastModel(events: readonly ThreadEvent[]): string | undefined {
  const said = events.findLast(
    (event) =>
      event.type === 'MODEL_CHANGED' ||
      (event.type === 'AGENT_MESSAGE' && event.data.model !== undefined),
  )
  return said?.type === 'MODEL_CHANGED' || said?.type === 'AGENT_MESSAGE'
    ? said.data.model
    : undefined
}
