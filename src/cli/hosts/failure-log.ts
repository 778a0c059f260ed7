// Logs failures that happen while another agent runs précis: hooks are silent, `precis doctor` shows the log.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { appendFailure, FAILURES_FILE } from '../../hosts/failure-log.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import type { Io } from '../process-io.ts'
import { stateFolder } from '../settings/places.ts'

/** Never rejects: no caller could handle it. */
export async function logHostFailure(where: string, thrown: unknown, io: Io): Promise<void> {
  try {
    await appendFailure(await stateFolder(io), where, thrown, io.environment)
  } catch {
    return
  }
}

export function hostFailureLog(io: Io): string {
  return join(stateFolderPath(io), FAILURES_FILE)
}

/** The latest lines, newest last. */
export async function readHostFailures(io: Io, most: number): Promise<string[]> {
  const text = await readFile(hostFailureLog(io), 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).slice(-most)
}
