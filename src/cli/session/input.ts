// The source of a session: a file, or a stream that is buffered
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Source } from '../../formats/session-format.ts'
import type { Io } from '../process-io.ts'
import { readPieces, unreadable } from '../terminal/io.ts'
import { databaseSession, readDatabase } from './opencode-database.ts'
import { rereadable } from './reread.ts'

const PIECE_BYTES = 64_000

/**
 * `-` is standard input. Whatever is wrong with the file is told by its name. Whoever keeps what it says in
 * memory has the lines of a long file read again where they are needed: `lines` are not held.
 */
export async function openInput(
  given: string,
  io: Pick<Io, 'stdin' | 'cwd'>,
  { lines = 'hold' }: { readonly lines?: 'hold' | 'read again' } = {},
): Promise<Source> {
  if (given === '-') return held(await readPieces(io.stdin, given))
  const database = databaseSession(given, io.cwd)
  if (database) return held([Buffer.from((await readDatabase(database)).text)])
  const path = resolve(io.cwd, given)
  const found = await stat(path).catch((thrown: unknown) => {
    throw unreadable(given, thrown)
  })
  if (found.isDirectory()) throw unreadable(given, { code: 'EISDIR' })
  // A pipe or a device may give something else when it is read again.
  if (!found.isFile()) return held(await readPieces(piecesOf(path, given), given))
  const source = { bytes: found.size, open: () => piecesOf(path, given) }
  return lines === 'hold' ? source : rereadable(path, source, { name: given })
}

function held(pieces: readonly Uint8Array[]): Source {
  return {
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
    async *open() {
      yield* pieces
    },
  }
}

async function* piecesOf(path: string, name: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path, { highWaterMark: PIECE_BYTES })
  try {
    for await (const piece of stream) yield piece
  } catch (thrown) {
    throw unreadable(name, thrown)
  } finally {
    stream.destroy()
  }
}
