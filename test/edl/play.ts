// Runs a script on files in memory and tells what became of them, for tests that are tables.

import { InMemoryFileIO } from '../../src/edl/in-memory-file-io.ts'
import type { EdlRegisters } from '../../src/edl/registers.ts'
import type { EdlDone } from '../../src/edl/result.ts'
import { type RunOptions, runScript } from '../../src/edl/run.ts'

export interface Played {
  readonly result: EdlDone
  readonly files: InMemoryFileIO
}

/** The script must be one that runs; its files may fail. */
export async function play(
  texts: Readonly<Record<string, string>>,
  script: string,
  options: RunOptions = {},
): Promise<Played> {
  const files = new InMemoryFileIO(texts)
  const result = await runScript(script, files, options)
  if (result.status === 'error') throw new Error(result.error)
  return { result, files }
}

/** What a script leaves of one file `f`, or the error on it. */
export async function edited(
  text: string,
  commands: string,
  registers?: EdlRegisters,
): Promise<string> {
  const options = registers ? { registers } : {}
  const { result, files } = await play({ f: text }, `file f\n${commands}\n`, options)
  const [error] = result.errors
  return error ? `! ${error.message}` : (files.getFileContents('f') ?? 'missing')
}

/** Where the selection is at the end, as `[start, end)` pairs. */
export async function selected(text: string, commands: string): Promise<number[][] | string> {
  const { result } = await play({ f: text }, `file f\n${commands}\n`)
  const [error] = result.errors
  if (error) return error.message
  return (result.selection?.ranges ?? []).map(({ start, end }) => [start, end])
}

export async function parseError(script: string): Promise<string> {
  const result = await runScript(script, new InMemoryFileIO({ f: '' }))
  return result.status === 'error' ? result.error : 'no error'
}
