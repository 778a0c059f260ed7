// Commands that change the text: they edit each range and set the selection as the spec says.
import { type Document, isInsideCharacter, linesIn, type Range } from './document.ts'
import { FileProblem } from './problem.ts'
import type { Registers } from './registers.ts'
import type { MutateCommand, Value } from './script.ts'
import { single } from './select.ts'
import type { Edit } from './surviving-text.ts'

export interface Counts {
  replacements: number
  insertions: number
  deletions: number
  linesAdded: number
  linesRemoved: number
}

export interface MutateContext {
  readonly document: Document
  readonly counts: Counts
  readonly registers: Registers
  readonly maxChars: number
}

export function mutate(
  command: MutateCommand,
  ranges: readonly Range[],
  context: MutateContext,
): readonly Range[] {
  const { document, counts, registers } = context
  requireWholeCharacters(document.text, ranges)
  switch (command.name) {
    case 'replace': {
      const text = readText(command.value, registers)
      const edits = ranges.map(({ start, end }) => ({ start, end, text }))
      counts.replacements += edits.length
      return change(edits, context)
    }
    case 'insert_before': {
      const text = readText(command.value, registers)
      insert(
        ranges.map(({ start }) => ({ start, end: start, text })),
        context,
      )
      return ranges
    }
    case 'insert_after': {
      const text = readText(command.value, registers)
      const onNewLine = ({ end, isLines }: Range) => isLines && document.text[end - 1] !== '\n'
      insert(
        ranges.map((range) => ({
          start: range.end,
          end: range.end,
          text: onNewLine(range) ? `\n${text}` : text,
        })),
        context,
      )
      return ranges
    }
    case 'delete':
      return remove(ranges, context)
    case 'cut': {
      const { start, end } = single(ranges)
      registers.set(command.register, document.text.slice(start, end))
      return remove(ranges, context)
    }
  }
}

/** A selection from before an insertion may point anywhere. */
function requireWholeCharacters(text: string, ranges: readonly Range[]): void {
  for (const { start, end } of ranges)
    if (isInsideCharacter(text, start) || isInsideCharacter(text, end))
      throw new FileProblem('The selection cuts a character in half. Select again after inserting.')
}

function readText(value: Value, registers: Registers): string {
  if (value.type === 'text') return value.text
  const text = registers.get(value.name)
  if (text === undefined)
    throw new FileProblem(`Register "${value.name}" is empty or does not exist`)
  return text
}

function insert(edits: readonly Edit[], context: MutateContext): void {
  change(edits, context)
  context.counts.insertions += edits.length
}

function remove(ranges: readonly Range[], context: MutateContext): Range[] {
  change(
    ranges.map(({ start, end }) => ({ start, end, text: '' })),
    context,
  )
  context.counts.deletions += ranges.length
  const start = ranges[0]?.start ?? 0
  return [{ start, end: start, isLines: false }]
}

/** Returns the ranges of the new texts. */
function change(edits: readonly Edit[], { document, counts, maxChars }: MutateContext): Range[] {
  const removed = linesIn(document.text, edits)
  document.apply(edits, maxChars)
  counts.linesRemoved += removed
  const ranges = inserted(edits)
  counts.linesAdded += linesIn(document.text, ranges)
  return ranges
}

/** The ranges of the edits' new texts. */
function inserted(edits: readonly Edit[]): Range[] {
  let shift = 0
  return edits.map(({ start, end, text }) => {
    const range = { start: start + shift, end: start + shift + text.length, isLines: false }
    shift += text.length - (end - start)
    return range
  })
}
