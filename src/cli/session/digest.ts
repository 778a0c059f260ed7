// The digest of a file, to detect changes
import { createHash } from 'node:crypto'
import type { Source } from '../../formats/session-format.ts'
import type { Io } from '../process-io.ts'
import type { Written } from '../terminal/io.ts'
import { openInput } from './input.ts'

export async function digestOfFile(path: string, io: Pick<Io, 'stdin' | 'cwd'>): Promise<string> {
  return digestOfSource(await openInput(path, io))
}

export async function digestOfSource(source: Source): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of source.open()) hash.update(piece)
  return hash.digest('hex')
}

export function digestOf(content: Written): string {
  const hash = createHash('sha256')
  const isWhole = typeof content === 'string' || content instanceof Uint8Array
  for (const piece of isWhole ? [content] : content) hash.update(piece)
  return hash.digest('hex')
}
