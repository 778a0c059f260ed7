// Project rules, AGENTS.md and CLAUDE.md: for the system prompt of new threads in trusted folders.
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { escapeHidden } from '../../core/text/visible.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { isInside } from '../../tools/workspace.ts'
import { configFolder, type Environment } from './places.ts'
import { readOwn } from './project-settings.ts'
import { warnOnce } from './settings.ts'
import { decisionOn } from './trust.ts'

const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const
/** Every request contains the rules. */
const MOST_CHARS = 32_000

export interface RulesFile {
  readonly file: string // resolved
  readonly content: string
  /** Why it is not read. */
  readonly why?: string
  readonly isUndecided: boolean
}

/** From the root of the repository to the folder, so that the nearest rules come last. */
export function rulesFiles(folder: string, environment: Environment): RulesFile[] {
  const root = rootAbove(folder)
  const found: RulesFile[] = []
  for (let at = folder; ; at = dirname(at)) {
    const here = NAMES.flatMap((name) => readRules(join(at, name), root, environment))
    found.unshift(...here)
    if (at === root || dirname(at) === at) break
  }
  // One is often a link to the other, or a copy.
  return found.filter(
    ({ content }, at) => found.findIndex((each) => each.content === content) === at,
  )
}

/** Undefined without trusted rules; ignored ones are reported once on `stderr`. */
export function projectRules(
  folder: string,
  environment: Environment,
  stderr?: NodeJS.WritableStream,
): string | undefined {
  const files = rulesFiles(folder, environment)
  for (const { file, why, isUndecided } of files)
    if (why !== undefined && stderr)
      warnOnce(
        `precis: ${escapeHidden(file)} is not read: ${why}.${isUndecided ? ' --trust-folder reads it.' : ''}\n`,
        stderr,
      )
  const read = files.filter(({ why }) => why === undefined)
  return read.length === 0 ? undefined : rulesText(read)
}

const HEADING =
  'Rules of this project, from files in its folder. They bind you as long as you work here; what the user says goes before them.'

function rulesText(files: readonly RulesFile[]): string {
  const each = files.map(({ file, content }) => `# ${basename(file)}\n\n${content.trim()}`)
  const text = each.join('\n\n')
  const head = cutHead(text, MOST_CHARS)
  const rest = head === text ? '' : '\n[cut here: the files have more; read them before you begin]'
  return `${HEADING}\n\n${head}${rest}`
}

/** The root of the repository around this folder; otherwise the folder itself. */
function rootAbove(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return folder
  }
}

function readRules(path: string, root: string, environment: Environment): RulesFile[] {
  if (!existsSync(path)) return []
  const file = realpathSync(path)
  const { text, problem } = readOwn(path)
  if (problem === undefined && text.trim() === '') return []
  const outside = isInside(realpathSync(root), file) ? undefined : 'it leads out of its folder'
  const why = problem ?? outside
  const content = text || path // two unreadable files are not equal
  if (why !== undefined) return [{ file, content, why, isUndecided: false }]
  const decision = decisionOn(file, content, configFolder(environment))
  if (decision === 'yes') return [{ file, content, isUndecided: false }]
  const untrusted = decision === 'no' ? 'you did not trust it' : 'this folder is not trusted'
  return [{ file, content, why: untrusted, isUndecided: decision === undefined }]
}
