// The tool `edit`: replaces one exact text in a file; guesses nothing.
import { z } from 'zod'
import type { Tool } from '../../core/agent/tool.ts'
import { PrecisError } from '../../core/errors.ts'
import { defineTool, textField, textOutcome } from '../define-tool.ts'
import { count, limitLine } from '../process/limit-output.ts'
import { approvedWorkspace, type Workspace } from '../workspace.ts'
import { findNearLines, findText, lineAt, type Match } from './find-text.ts'
import { openInWorkspace } from './open-file.ts'
import { type FileMark, replaceFile } from './write-file.ts'

const MAX_FILE_BYTES = 10_000_000
const NAMED_LINES = 10
const NEAR_CHARS = 600

const input = z.strictObject({
  path: z.string().describe('The file, relative to the workspace.'),
  oldText: z.string().min(1).describe('The text to replace, exactly as it stands in the file.'),
  newText: z.string().describe('What comes in its place; empty to delete.'),
  all: z.boolean().optional().describe('Replace every match. Without it there must be just one.'),
})

export function editTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces one exact text in a file. `oldText` must match once, white space included: add lines around it until it does, or set `all`. Line breaks of Windows are kept.',
    effect: 'write',
    isParallel: false,
    input,
    subject: (fields) => workspace.nameOf(textField(fields, 'path')),
    target: (fields) => workspace.targetOf(textField(fields, 'path')),
    async run({ path, oldText, newText, all = false }, { target }) {
      const approved = approvedWorkspace(workspace, target)
      const { name, text, mark } = await readText(approved, path)
      const matches = findText(text, oldText)
      if (matches.length === 0) throw noMatch(name, text, oldText)
      if (matches.length > 1 && !all) throw manyMatches(name, text, matches)
      const edited = replaceMatches(text, matches, oldText, newText)
      if (edited === text)
        throw new PrecisError('invalid-input', 'The edit changes nothing: both texts are the same.')
      await replaceFile(approved, path, edited, mark)
      const lines = readLines(text, matches)
      return textOutcome(
        'completed',
        `Edited ${name}: ${matches.length === 1 ? '1 replacement' : `${count(matches.length)} replacements`}, ${lines}.`,
        { path: name, replacements: matches.length },
      )
    },
  })
}

interface FileText {
  readonly name: string
  readonly text: string
  readonly mark: FileMark
}

/** The whole text, if writing it back gives the same bytes. A byte order mark stays part of it. */
async function readText(workspace: Workspace, path: string): Promise<FileText> {
  const { place, file } = await openInWorkspace(workspace, path)
  try {
    const mark = await file.stat({ bigint: true })
    if (mark.size > MAX_FILE_BYTES)
      throw new PrecisError(
        'invalid-input',
        `${place.name} has ${count(Number(mark.size))} bytes.`,
        {
          hint: `Files up to ${count(MAX_FILE_BYTES)} can be edited; use \`run\` with sed or a script.`,
        },
      )
    const bytes = await file.readFile()
    return { name: place.name, text: decode(bytes, place.name), mark }
  } finally {
    await file.close()
  }
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PrecisError('invalid-input', `${name} is not UTF-8 text: an edit would damage it.`, {
      hint: 'Use `run` with a program that understands it.',
    })
  }
}

function replaceMatches(
  text: string,
  matches: readonly Match[],
  oldText: string,
  newText: string,
): string {
  // Carriage returns in the call are intended.
  const isMeant = oldText.includes('\r') || newText.includes('\r')
  const inFile = usesWindowsBreaks(text)
  const pieces: string[] = []
  let written = 0
  for (const { start, end } of matches) {
    const found = text.slice(start, end)
    const windows = found.includes('\n') ? usesWindowsBreaks(found) : inFile
    const put = windows && !isMeant ? newText.replaceAll('\n', '\r\n') : newText
    pieces.push(text.slice(written, start), put)
    written = end
  }
  return [...pieces, text.slice(written)].join('')
}

function usesWindowsBreaks(text: string): boolean {
  const windows = text.split('\r\n').length - 1
  const all = text.split('\n').length - 1
  return windows > all / 2
}

function noMatch(name: string, text: string, oldText: string): PrecisError {
  const near = findNearLines(text, oldText)
  const [first] = near
  const message = `oldText does not occur in ${name}.`
  if (!first)
    return new PrecisError('not-found', message, { hint: 'Read the file again and copy exactly.' })
  const where = near.map(({ line }) => line).join(', ')
  const what =
    first.kind === 'same-but-for-spaces'
      ? `It differs only in white space or quotes from line ${where}, which reads`
      : `Only its first line is like line ${where}, which reads`
  return new PrecisError('not-found', message, {
    hint: `${what}:\n${limitLine(first.text, NEAR_CHARS)}`,
  })
}

function manyMatches(name: string, text: string, matches: readonly Match[]): PrecisError {
  return new PrecisError(
    'invalid-input',
    `oldText occurs ${count(matches.length)} times in ${name}: ${readLines(text, matches)}.`,
    { hint: 'Add lines around it until it is unique, or set `all`. Nothing was changed.' },
  )
}

/** `line 3`, `lines 3, 17 and 2 more` */
function readLines(text: string, matches: readonly Match[]): string {
  const named = matches.slice(0, NAMED_LINES).map(({ start }) => lineAt(text, start))
  const more = matches.length - named.length
  const list = `${named.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`
  return matches.length === 1 ? `line ${list}` : `lines ${list}`
}
