// The divider of a compaction: pending, done, failed or undone
import { visibleWidth } from '@earendil-works/pi-tui'
import type { CompactionBlock } from '../../protocol/index.ts'
import type { Drawing } from './drawing.ts'
import { markdownLines } from './markdown-lines.ts'
import { cut, rule, wrapped } from './text-lines.ts'
import { visible, visibleLine } from './visible.ts'

const UNDO_HINT = '; /undo goes back'
/** Of a rule, beside its words. */
const RULE_COLUMNS = 6

export function compactionLines(block: CompactionBlock, drawing: Drawing): readonly string[] {
  const { width, theme } = drawing
  if (block.isEmpty) return [theme.dim(rule('nothing to compact', width))]
  switch (block.state) {
    case 'running':
      return [theme.accent(rule(`compacting: ${pending(block)}`, width))]
    case 'failed':
      return wrapped(theme.bad(`${failure(block)}: ${visible(block.error ?? 'unknown')}`), width)
    case 'undone':
      return [theme.dim(rule(`compaction by ${block.strategy}, undone`, width))]
    case 'done':
      return block.isFresh ? freshLines(block, drawing) : inPlaceLines(block, drawing)
  }
}

/** Where a run is: «chunk 2 / 5» as soon as it is known. */
export function chunkOf({ done, total }: { done?: number; total?: number }): string {
  if (done === undefined || total === undefined || total < 1) return ''
  return `chunk ${Math.min(done + 1, total)} / ${total}`
}

function pending(block: CompactionBlock): string {
  const chunk = chunkOf(block)
  const message = visibleLine(block.message ?? block.strategy)
  return chunk === '' ? message : `${message} (${chunk})`
}

/** FRESH has its own words. */
function failure({ isFresh }: CompactionBlock): string {
  return isFresh ? 'Compact failed' : '✗ Compaction failed'
}

/** FRESH-19 and FRESH-26: the summary between two dividers, and no counts. */
function freshLines({ summary = '' }: CompactionBlock, { width, theme }: Drawing): string[] {
  const line = theme.dim(rule('', width))
  return [
    line,
    theme.bold('Context compacted. Summary:'),
    '',
    ...markdownLines(summary, width, theme),
    line,
  ]
}

function inPlaceLines(block: CompactionBlock, { width, theme, isOpen }: Drawing): string[] {
  const { strategy, beforeTokens: before, afterTokens: after, summary } = block
  const known = before !== undefined && after !== undefined
  const figures = known ? `: ${count(before)} → ${count(after)} tokens` : ''
  const done = `✓ compacted by ${visibleLine(strategy)}${figures}`
  const hint = visibleWidth(done + UNDO_HINT) + RULE_COLUMNS <= width ? UNDO_HINT : ''
  const head = theme.accent(rule(done + hint, width))
  if (!isOpen) return [head]
  const text = summary ?? 'It removed or shortened parts without a summary.'
  return [
    head,
    ...markdownLines(text, width, theme),
    theme.dim(cut('Ctrl+G: report, diff, undo, recall', width)),
    theme.dim(rule('', width)),
  ]
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US')
}
