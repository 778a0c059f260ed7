// The log of what went wrong while another agent ran précis: a hook is silent, and `precis doctor` shows this
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asPrecisError } from '../../core/errors.ts'
import { secretsOf } from '../../redact/known.ts'
import { redact } from '../../redact/redact.ts'
import type { Io } from '../process-io.ts'
import { stateFolder, stateFolderPath } from '../settings/settings.ts'

const FILE = 'host-failures.log'
/** Then it begins again: a hook that always fails must not fill the disk. */
const MOST_BYTES = 1_000_000

/** Never rejects: no one is left to report to. */
export async function logHostFailure(where: string, thrown: unknown, io: Io): Promise<void> {
  const { code, message } = asPrecisError(thrown)
  const line = `${new Date().toISOString()} ${where} ${code} ${message.replace(/\s+/g, ' ')}`
  try {
    const file = join(await stateFolder(io), FILE)
    const size = (await stat(file).catch(() => undefined))?.size ?? 0
    const write = size > MOST_BYTES ? writeFile : appendFile
    await write(file, `${redact(line, secretsOf(io.environment)).text}\n`, { mode: 0o600 })
  } catch {
    return
  }
}

export function hostFailureLog(io: Io): string {
  return join(stateFolderPath(io), FILE)
}

/** The latest lines, newest last. */
export async function readHostFailures(io: Io, most: number): Promise<string[]> {
  const text = await readFile(hostFailureLog(io), 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).slice(-most)
}
