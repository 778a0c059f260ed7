// One block of the transcript as lines of a given width.
import { visibleWidth } from '@earendil-works/pi-tui'
import {
  type AnswerBlock,
  type EditBlock,
  type NoticeBlock,
  renderSizes,
  type ThinkingBlock,
  type ToolBlock,
  type UserBlock,
  type ViewBlock,
} from '../../protocol/index.ts'
import { markdownLines } from './markdown-lines.ts'
import { cut, marked, rule, visible, visibleLine, wrapped } from './text-lines.ts'
import type { Theme } from './theme.ts'

/** Visible lines of a folded block. */
const FOLDED_LINES = 4
/** Limits the time it takes to draw a long result. */
const MOST_LINES = 2_000
const LONGEST_LINE = 4_000

export function renderBlock(block: ViewBlock, drawing: Drawing): readonly string[] {
  switch (block.kind) {
    case 'user':
      return ['', ...userLines(block, drawing)]
    case 'answer':
      return ['', ...answerLines(block, drawing)]
    case 'thinking':
      return ['', ...thinkingLines(block, drawing)]
    case 'tool':
      return toolLines(block, drawing)
    case 'compaction':
      return ['', ...compactionLines(block, drawing)]
    case 'notice':
      return ['', ...noticeLines(block, drawing)]
  }
}

/** Whether it has more than is visible at first. */
export function isOpenable({ kind }: ViewBlock): boolean {
  return kind === 'tool' || kind === 'thinking' || kind === 'compaction'
}

function userLines(block: UserBlock, { width, theme }: Drawing): string[] {
  const paint = block.isAutomatic ? theme.dim : theme.bold
  const said = wrapped(visible(block.text), width - 2).map(paint)
  const attached = block.attachments.map((name) => theme.dim(`[${visibleLine(name)}]`))
  return marked(theme.accent('› '), [...said, ...attached.map((line) => cut(line, width - 2))])
}

function answerLines({ text, cut: reason }: AnswerBlock, { width, theme }: Drawing): string[] {
  const lines = markdownLines(text, width, theme)
  return reason === undefined ? lines : [...lines, theme.warning(cut(CUTS[reason], width))]
}

const CUTS: Readonly<Record<Exclude<AnswerBlock['cut'], undefined>, string>> = {
  aborted: '[stopped here]',
  error: '[broke off here]',
  length: '[cut: the longest answer was reached]',
  refusal: '[the model refused to continue]',
}

function thinkingLines({ text }: ThinkingBlock, { width, theme, isOpen }: Drawing): string[] {
  const lines = folded(wrapped(visible(text.trim()), width - 2), isOpen, width - 2)
  return marked(
    theme.dim('∴ '),
    lines.map((line) => theme.dim(theme.italic(line))),
  )
}

const MARKS: Readonly<Record<ToolBlock['state'], string>> = {
  waiting: '·',
  asking: '?',
  running: '»',
  completed: '✓',
  failed: '✗',
  aborted: '■',
  denied: '✗',
}

function toolLines(block: ToolBlock, drawing: Drawing): string[] {
  const { width, theme, isOpen } = drawing
  const { state, name, subject, progress, result } = block
  const paint = { completed: theme.good, failed: theme.bad, denied: theme.bad }[state as string]
  const mark = (paint ?? theme.accent)(MARKS[state])
  const words = { denied: ' (denied)', aborted: ' (stopped)' }[state as string] ?? ''
  const head = cut(
    `${mark} ${theme.bold(visibleLine(name))} ${visibleLine(subject)}`,
    width - words.length,
  )
  const said = result ?? progress ?? ''
  const inputs = isOpen ? inputLines(block, width - 2) : []
  const body = folded([...inputs, ...readLines(said, width - 2)], isOpen, width - 2)
  return ['', cut(head + words, width), ...body.map((line) => `  ${theme.dim(line)}`)]
}

function inputLines({ input }: ToolBlock, width: number): string[] {
  return input === undefined ? [] : readLines(JSON.stringify(input, undefined, 2), width)
}

/** Processes only as much of a long text as can be shown. */
function readLines(text: string, width: number): string[] {
  const whole = text.trimEnd()
  const rows = whole.split('\n', MOST_LINES)
  const lines = rows.flatMap((row) => {
    if (row === '') return ['']
    const shown = row.length > LONGEST_LINE ? `${row.slice(0, LONGEST_LINE)}…` : row
    return wrapped(visible(shown), width)
  })
  const left = rows.length < MOST_LINES ? 0 : whole.split('\n').length - MOST_LINES
  if (left > 0) lines.push(cut(`… ${left} more lines: /export writes everything`, width))
  return whole === '' ? [] : lines
}

function folded(lines: readonly string[], isOpen: boolean, width: number): readonly string[] {
  if (isOpen || lines.length <= FOLDED_LINES + 1) return lines
  const left = lines.length - FOLDED_LINES
  return [...lines.slice(0, FOLDED_LINES), cut(`… ${left} more lines (Ctrl+O)`, width)]
}

function noticeLines({ level, text, command }: NoticeBlock, { width, theme }: Drawing): string[] {
  const paint = { info: theme.dim, warning: theme.warning, error: theme.bad, reply: undefined }[
    level
  ]
  const lines = wrapped(visible(text), width - 2)
  const head = command === undefined ? [] : [theme.dim(cut(visibleLine(command), width - 2))]
  return marked('  ', [...head, ...(paint ? lines.map(paint) : lines)])
}

const UNDO_HINT = '; /undo goes back'
/** Width of a rule besides its words. */
const RULE_COLUMNS = 6

/** The divider of a compaction: pending, done, failed or undone. */
function compactionLines(block: EditBlock, drawing: Drawing): readonly string[] {
  const { width, theme } = drawing
  if (block.isEmpty)
    return [theme.dim(rule('nothing to compact', width)), ...noteLines(block, drawing)]
  switch (block.state) {
    case 'running':
      return [theme.accent(rule(`compacting: ${pending(block)}`, width))]
    case 'failed':
      if (block.isStopped) return [theme.dim(rule('■ compaction stopped; nothing changed', width))]
      return [
        ...wrapped(theme.bad(`${failure(block)}: ${visible(block.error ?? 'unknown')}`), width),
        ...(block.hint === undefined ? [] : wrapped(visible(block.hint), width)),
      ]
    case 'undone':
      return [theme.dim(rule(`compaction by ${block.strategy}, undone`, width))]
    case 'done':
      return block.isFresh ? freshLines(block, drawing) : inPlaceLines(block, drawing)
  }
}

/** The progress of a run: «chunk 2 / 5» once known. */
export function buildChunk({ done, total }: { done?: number; total?: number }): string {
  if (done === undefined || total === undefined || total < 1) return ''
  return `chunk ${Math.min(done + 1, total)} / ${total}`
}

function pending(block: EditBlock): string {
  const chunk = buildChunk(block)
  const message = visibleLine(block.message ?? block.strategy)
  return chunk === '' ? message : `${message} (${chunk})`
}

/** FRESH has its own words. */
function failure({ isFresh }: EditBlock): string {
  return isFresh ? 'Compact failed' : '✗ Compaction failed'
}

/** FRESH-19 and FRESH-26: the summary between two dividers, without counts. */
function freshLines(block: EditBlock, drawing: Drawing): string[] {
  const { summary = '' } = block
  const { width, theme } = drawing
  const line = theme.dim(rule('', width))
  return [
    line,
    theme.bold('Context compacted. Summary:'),
    ...noteLines(block, drawing),
    '',
    ...markdownLines(summary, width, theme),
    line,
  ]
}

function inPlaceLines(block: EditBlock, drawing: Drawing): string[] {
  const { width, theme, isOpen } = drawing
  const { strategy, summary } = block
  const sizes = renderSizes(block)
  const figures = sizes === '' ? '' : `: ${sizes}`
  // A fallback or growth is not a plain success: its note says so.
  const mark = block.note === undefined ? '✓ ' : ''
  const whole = `${mark}compacted by ${visibleLine(strategy)}${figures}`
  // The percentage is dropped first if there is no room.
  const done =
    visibleWidth(whole) + RULE_COLUMNS <= width ? whole : whole.replace(/ \([^()]*\)$/, '')
  const hint = visibleWidth(done + UNDO_HINT) + RULE_COLUMNS <= width ? UNDO_HINT : ''
  const head = [theme.accent(rule(done + hint, width)), ...noteLines(block, drawing)]
  if (!isOpen) return head
  const text = summary ?? 'It removed or shortened parts without a summary.'
  return [
    ...head,
    ...markdownLines(text, width, theme),
    theme.dim(cut('Ctrl+G: report, diff, undo, recall', width)),
    theme.dim(rule('', width)),
  ]
}

function noteLines({ note }: EditBlock, { width, theme }: Drawing): string[] {
  return note === undefined ? [] : wrapped(theme.warning(visible(note)), width)
}

/** The drawing options of a block. */
interface Drawing {
  readonly width: number
  readonly theme: Theme
  readonly isOpen: boolean
}
