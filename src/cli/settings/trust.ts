// The user's decisions about project settings, by file and content.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isInside } from '../../tools/workspace.ts'

export type TrustDecision = 'yes' | 'no'

const FILE = 'trusted-folders.json'
const schema = z.record(
  z.string(),
  z.object({ sha256: z.string(), decision: z.enum(['yes', 'no']) }),
)
type Decisions = z.output<typeof schema>

let trusted: string | undefined

/** Applies `--trust-folder` to the running command. */
export function trustFolder(folder: string | undefined): void {
  trusted = folder === undefined ? undefined : realpathSync(folder)
}

/** Files in the folder and its parents, but not in other workspaces. */
function isTrusted(file: string): boolean {
  if (trusted === undefined) return false
  const holder = dirname(file).replace(/[\\/]\.precis$/, '')
  return isInside(trusted, file) || isInside(holder, trusted)
}

/** Undefined for undecided content. Changing a file makes it undecided again. */
export function decisionOn(
  file: string,
  content: string,
  configFolder: string,
): TrustDecision | undefined {
  if (isTrusted(file)) {
    remember(file, content, 'yes', configFolder)
    return 'yes'
  }
  const known = read(configFolder)[file]
  return known?.sha256 === sha256(content) ? known.decision : undefined
}

/** If it cannot be stored, it applies to this command only. */
export function remember(
  file: string,
  content: string,
  decision: TrustDecision,
  configFolder: string,
): void {
  const known = read(configFolder)
  const entry = { sha256: sha256(content), decision }
  if (known[file]?.sha256 === entry.sha256 && known[file].decision === decision) return
  const place = join(configFolder, FILE)
  const beside = `${place}.${randomUUID()}.tmp`
  try {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    writeFileSync(beside, `${JSON.stringify({ ...known, [file]: entry }, undefined, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
    renameSync(beside, place)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown
  }
}

/** A missing or broken file trusts nothing. */
function read(configFolder: string): Decisions {
  try {
    return schema.parse(JSON.parse(readFileSync(join(configFolder, FILE), 'utf8')))
  } catch {
    return {}
  }
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}
