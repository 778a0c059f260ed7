// Logs failures inside other agents: plug-ins and hooks are silent, `precis doctor` shows the log.
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asPrecisError } from '../core/errors.ts'
import { secretsOf } from '../redact/known.ts'
import { redact } from '../redact/redact.ts'
import { stateFolderPath } from './platform-folders.ts'

export const FAILURES_FILE = 'host-failures.log'
/** Above this it restarts, so that a hook that always fails cannot fill the disk. */
const MOST_BYTES = 1_000_000

/** The folder must exist. */
export async function appendFailure(
  folder: string,
  where: string,
  thrown: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { code, message } = asPrecisError(thrown)
  const line = `${new Date().toISOString()} ${where} ${code} ${message.replace(/\s+/g, ' ')}`
  const file = join(folder, FAILURES_FILE)
  const size = (await stat(file).catch(() => undefined))?.size ?? 0
  const write = size > MOST_BYTES ? writeFile : appendFile
  await write(file, `${redact(line, secretsOf(environment)).text}\n`, { mode: 0o600 })
}

/** For plug-ins. Never rejects: a plug-in must not break its host. */
export async function notePluginFailure(host: string, thrown: unknown): Promise<void> {
  try {
    const folder = stateFolderPath({ cwd: process.cwd(), environment: process.env })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await appendFailure(folder, `plugin ${host}`, thrown, process.env)
  } catch {
    return
  }
}
