// What `precis install` changed: each file as it was before, and the digest of what it became
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import type { Io } from '../process-io.ts'
import { stateFolder } from '../settings/places.ts'
import { unreadable, writeText } from '../terminal/io.ts'

const FILE = 'installed.json'
const schema = z.record(
  z.string(),
  z.object({
    /** The file as it was; null where there was none. */
    before: z.string().nullable(),
    after: z.string(), // a digest
    madeFolder: z.string().exactOptional(), // the first one that had to be made
  }),
)
export type Records = z.output<typeof schema>

export function recordsFile(io: Io): string {
  return join(stateFolderPath(io), FILE)
}

export async function readRecords(io: Io): Promise<Records> {
  const path = recordsFile(io)
  const text = (await readIfThere(path)) ?? '{}'
  try {
    return schema.parse(JSON.parse(text))
  } catch (thrown) {
    throw new PrecisError('invalid-input', `${path} cannot be read`, {
      where: path,
      hint: 'It keeps the files as they were before `precis install`. Restore it from a copy, or move it away.',
      cause: thrown,
    })
  }
}

export async function writeRecords(records: Records, io: Io): Promise<void> {
  const text = `${JSON.stringify(records, null, 2)}\n`
  await writeText(join(await stateFolder(io), FILE), text, io)
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable(path, thrown)
  }
}
