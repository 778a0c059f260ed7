// The tool `read`: a text file or part of it, unchanged; an image as an image.
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import type { Tool, ToolOutcome } from '../../core/agent/tool.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Signal } from '../../core/model.ts'
import { defineTool, textField, textOutcome, throwIfAborted } from '../define-tool.ts'
import { count, limitLine, OUTPUT_LIMITS, type OutputLimits } from '../process/limit-output.ts'
import { approvedWorkspace, type Workspace } from '../workspace.ts'
import { type FileKind, KIND_BYTES, openInWorkspace, readFileKind } from './open-file.ts'

const DEFAULT_LINES = 2_000
const MOST_LINES = 1_000_000_000
const MAX_IMAGE_BYTES = 5_000_000

const input = z.strictObject({
  path: z.string().describe('The file, relative to the workspace.'),
  offset: z
    .int()
    .min(1)
    .max(MOST_LINES)
    .optional()
    .describe('The first line to read, from 1. Default 1.'),
  limit: z
    .int()
    .min(1)
    .max(MOST_LINES)
    .optional()
    .describe(`How many lines to read. Default ${DEFAULT_LINES}.`),
})

/** No line numbers: they cost tokens and get copied into edits. */
export function readTool(workspace: Workspace, limits: OutputLimits = OUTPUT_LIMITS): Tool {
  return defineTool({
    name: 'read',
    description:
      'Reads a text file exactly as it is, without line numbers, or shows an image (PNG, JPEG, GIF, WebP). ' +
      'A last line in brackets says where to go on if there is more. For folders use `list`.',
    effect: 'read',
    isParallel: true,
    input,
    subject: (fields) => workspace.nameOf(textField(fields, 'path')),
    target: (fields) => workspace.targetOf(textField(fields, 'path')),
    async run({ path, offset = 1, limit = DEFAULT_LINES }, { signal, target }) {
      const approved = approvedWorkspace(workspace, target)
      const { place, file } = await openInWorkspace(approved, path)
      try {
        const kind = await readKind(file)
        if (kind.kind === 'image') return await showImage(file, place.name, kind.mimeType)
        if (kind.kind === 'binary') throw binaryFile(place.name)
        const range = { offset, limit, maxBytes: limits.keptChars }
        const found = await readLines(file, range, signal)
        const { size } = await file.stat()
        return showLines({ ...found, name: place.name, offset, size }, limits)
      } finally {
        await file.close()
      }
    },
  })
}

export function binaryFile(name: string): PrecisError {
  return new PrecisError('invalid-input', `${name} is a binary file.`, {
    hint: 'It cannot be read as text; `run` a program that understands it.',
  })
}

async function readKind(file: FileHandle): Promise<FileKind> {
  const start = Buffer.alloc(KIND_BYTES)
  const { bytesRead } = await file.read(start, 0, KIND_BYTES, 0)
  return readFileKind(start.subarray(0, bytesRead))
}

async function showImage(file: FileHandle, name: string, mimeType: string): Promise<ToolOutcome> {
  const { size } = await file.stat()
  if (size > MAX_IMAGE_BYTES)
    throw new PrecisError(
      'invalid-input',
      `${name} is an image of ${count(size)} bytes; ${count(MAX_IMAGE_BYTES)} can be shown.`,
      { hint: 'Make a smaller copy with `run` and read that.' },
    )
  const bytes = await file.readFile()
  return {
    status: 'completed',
    content: [{ type: 'image', mimeType, data: bytes.toString('base64') }],
    metadata: { path: name, mimeType, bytes: bytes.length },
  }
}

interface FoundLines extends FileLines {
  readonly name: string
  readonly offset: number
  readonly size: number
}

function showLines(found: FoundLines, limits: OutputLimits): ToolOutcome {
  const { name, offset, lines, totalLines } = found
  const metadata = { path: name, offset, lines, ...(totalLines !== undefined && { totalLines }) }
  if (totalLines === 0) return textOutcome('completed', '[The file is empty.]', metadata)
  if (lines === 0)
    throw new PrecisError(
      'invalid-input',
      `${name} has ${count(totalLines ?? 0)} lines; there is no line ${count(offset)}.`,
    )
  const text = new TextDecoder().decode(found.bytes)
  const whole = withNote(text, noteOn(found, lines))
  const part = firstLines(text, lines, limits)
  return {
    status: 'completed',
    content: [{ type: 'text', text: whole }],
    ...(part.text !== text && {
      shown: [{ type: 'text', text: withNote(part.text, noteOn(found, part.lines)) }],
    }),
    metadata,
  }
}

/** As many whole lines from the start as fit, at least one; very long lines are cut. */
function firstLines(
  text: string,
  lines: number,
  { shownChars, lineChars }: OutputLimits,
): { readonly text: string; readonly lines: number } {
  const all = text.split('\n').map((line) => limitLine(line, Math.min(lineChars, shownChars)))
  let used = 0
  const end = all.findIndex((line, index) => {
    used += line.length + 1
    return used > shownChars && index > 0
  })
  if (end === -1 || end >= lines) return { text: all.join('\n'), lines }
  return { text: all.slice(0, end).join('\n'), lines: end }
}

/** What else there is and how to get it; empty if the whole file is shown. */
function noteOn(found: FoundLines, shownLines: number): string {
  const { offset, totalLines, size, isCut } = found
  const last = offset + shownLines - 1
  const isWhole = offset === 1 && last === totalLines
  const notes: string[] = []
  if (!isWhole) {
    const of = totalLines === undefined ? `a file of ${count(size)} bytes` : count(totalLines)
    const next = last === totalLines ? '' : `; go on with offset ${last + 1}`
    notes.push(`lines ${offset} to ${last} of ${of}${next}`)
  }
  if (isCut && shownLines === found.lines)
    notes.push('the last line is too long to be read whole; `search` or `run` can look into it')
  if (!isValidUtf8(found.bytes, isCut)) notes.push('not all of it is UTF-8: � stands for the rest')
  return notes.length === 0 ? '' : `[${notes.join('; ')}]`
}

function isValidUtf8(bytes: Buffer, isCut: boolean): boolean {
  try {
    // A cut may split a character: streaming waits for its rest.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return true
  } catch {
    return false
  }
}

function withNote(text: string, note: string): string {
  if (note === '') return text
  return text.endsWith('\n') ? `${text}${note}` : `${text}\n${note}`
}

/** Some lines of a file of any size, read in blocks no further than needed. */
interface LineRange {
  readonly offset: number // first line, from 1
  readonly limit: number // number of lines
  readonly maxBytes: number
}

interface FileLines {
  readonly bytes: Buffer // with the file's line breaks
  readonly lines: number // how many there are in `bytes`
  /** Lines of the whole file; known if its end was reached. */
  readonly totalLines?: number
  /** The last line is incomplete because of the size limit. */
  readonly isCut: boolean
}

const BLOCK_BYTES = 64 * 1024
const NEWLINE = 0x0a

async function readLines(
  file: FileHandle,
  { offset, limit, maxBytes }: LineRange,
  signal: Signal,
): Promise<FileLines> {
  const kept: Buffer[] = []
  let room = maxBytes
  let line = 1 // the line of the next piece
  let isOpen = false // part of it was read already
  const done = (lines: number, isCut = false): FileLines => ({
    bytes: Buffer.concat(kept),
    lines: Math.max(0, lines),
    isCut,
  })
  for await (const block of readBlocks(file, signal)) {
    for (const piece of findPieces(block)) {
      if (line >= offset + limit) return done(limit)
      if (line >= offset) {
        kept.push(piece.subarray(0, room))
        if (piece.length > room) return done(line - offset + 1, true)
        room -= piece.length
      }
      isOpen = piece.at(-1) !== NEWLINE
      if (!isOpen) line += 1
    }
  }
  const totalLines = isOpen ? line : line - 1
  return { ...done(totalLines - offset + 1), totalLines }
}

async function* readBlocks(file: FileHandle, signal: Signal): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    throwIfAborted(signal)
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield block.subarray(0, bytesRead)
  }
}

/** The lines of a block with their breaks; the last may be incomplete. */
function* findPieces(block: Buffer): Generator<Buffer> {
  for (let from = 0; from < block.length; ) {
    const found = block.indexOf(NEWLINE, from)
    const to = found === -1 ? block.length : found + 1
    yield block.subarray(from, to)
    from = to
  }
}
