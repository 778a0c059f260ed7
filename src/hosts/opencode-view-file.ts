// The brief that stands in for the beginning of a session of OpenCode, in a file, for the next start of OpenCode
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolderPath } from './platform-folders.ts'

/** A brief that stands in place of messages. */
export interface View {
  /** The first message that OpenCode gave: another one means that it compacted, or that the user went back. */
  readonly first: string
  /** The first message that is sent as it is. */
  readonly keptFrom: string
  /** The last message when it was made: only later ones tell how full the window is with it. */
  readonly madeAt: string
  readonly brief: string
}

/** A view that cannot be read is made again. */
export async function readView(sessionID: string): Promise<View | undefined> {
  try {
    const { first, keptFrom, madeAt, brief } = Object(
      JSON.parse(await readFile(fileOf(sessionID), 'utf8')),
    ) as Partial<Record<keyof View, unknown>>
    const isWhole = [first, keptFrom, madeAt, brief].every((field) => typeof field === 'string')
    return isWhole ? ({ first, keptFrom, madeAt, brief } as View) : undefined
  } catch {
    return undefined
  }
}

/** Another process of OpenCode reads the old one or the new one, never a part. */
export async function writeView(sessionID: string, view: View): Promise<void> {
  const file = fileOf(sessionID)
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  try {
    await writeFile(beside, JSON.stringify(view), { mode: 0o600 })
    await rename(beside, file)
  } catch (thrown) {
    await rm(beside, { force: true })
    throw thrown
  }
}

export async function dropView(sessionID: string): Promise<void> {
  await rm(fileOf(sessionID), { force: true })
}

function fileOf(sessionID: string): string {
  const folder = join(stateFolderPath({ cwd: process.cwd(), environment: process.env }), 'opencode')
  return join(folder, `${sessionID.replaceAll(/[^\w-]/g, '_')}.json`)
}
