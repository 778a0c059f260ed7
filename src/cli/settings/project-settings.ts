// A project's settings file: its owner, and the keys that apply without a question.
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { HARMLESS_KEYS, PERSONAL_KEYS, settingsIn } from '../../core/settings/settings-keys.ts'
import { shownSetting } from '../../core/text/address.ts'
import type { Json } from '../../core/text/json.ts'
import { escapeHidden } from '../../core/text/visible.ts'
import { decisionOn } from './trust.ts'

export interface IgnoredSetting {
  readonly key: string // `*`: all of the file
  readonly value?: Json
  readonly why: string
}

export interface ProjectSettings {
  readonly file: string
  readonly content: string
  readonly values: unknown
  readonly ignored: readonly IgnoredSetting[]
  /** Whether the user must decide about ignored keys. */
  readonly isUndecided: boolean
  /** The user has agreed to this content: a fault in it is an error, as in the user's own settings. */
  readonly isTrusted: boolean
}

const READING = constants.O_RDONLY | constants.O_NONBLOCK
const MOST_BYTES = 1_000_000
const MOST_SHOWN = 200
const GROUP = 0o020
const OTHERS = 0o002
const STICKY = 0o1000

/** A project file's settings without those the user has not accepted. */
export function readProject(
  file: string,
  configFolder: string,
  parse: (text: string) => unknown,
): ProjectSettings {
  const { text, problem } = readOwn(file)
  const none = { file, content: text, values: {}, isUndecided: false, isTrusted: false }
  if (problem !== undefined) return { ...none, ignored: [{ key: '*', why: problem }] }
  if (text.trim() === '') return { ...none, ignored: [] }
  const decide = () => decisionOn(realpathSync(file), text, configFolder)
  let given: unknown
  let others: ReturnType<typeof settingsIn>
  try {
    given = parse(text)
    others = settingsIn(given, file).filter(([key]) => !HARMLESS_KEYS.has(key))
  } catch (thrown) {
    if (!PrecisError.is(thrown) || decide() === 'yes') throw thrown
    return withoutValues(none, thrown)
  }
  if (others.length === 0) return { ...none, values: given, ignored: [] }
  const decision = decide()
  if (decision === 'yes') return { ...none, values: given, ignored: [], isTrusted: true }
  const why = decision === 'no' ? 'you did not trust this folder' : 'this folder is not trusted'
  const ignored = others.map(([key, value]) => ({
    key,
    value: shownSetting(key, value as Json),
    why: PERSONAL_KEYS.has(key) ? 'a project may not set it' : why,
  }))
  const isUndecided = decision === undefined && ignored.some(({ key }) => !PERSONAL_KEYS.has(key))
  return { ...none, values: harmless(given), ignored, isUndecided }
}

/** A folder's fault stops no command: nothing in the file is obeyed, and the warning says why. */
export function withoutValues(
  project: Omit<ProjectSettings, 'ignored'>,
  { message, where, hint }: PrecisError,
): ProjectSettings {
  const inside = `${project.file}, `
  const place = where?.startsWith(inside) ? ` (${where.slice(inside.length)})` : ''
  const guess = hint?.startsWith('Did you mean') ? ` (${hint})` : ''
  const why = escapeHidden(message.slice(0, MOST_SHOWN) + place + guess)
  return { ...project, values: {}, ignored: [{ key: '*', why }], isUndecided: false }
}

/** One line for standard error. */
export function buildWarning({ file, ignored, isUndecided }: ProjectSettings): string {
  const [first] = ignored
  const what =
    first?.key === '*'
      ? `${escapeHidden(file)} is ignored: ${first.why}.`
      : `${escapeHidden(file)}: ignored ${ignored.map(({ key }) => key).join(', ')}, since ${first?.why}.`
  return `precis: ${what}${isUndecided ? ' precis config shows them; --trust-folder obeys them.' : ''}\n`
}

/** Without keys that need consent; the rest of a group stays. */
function harmless(given: unknown, prefix = ''): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const kept = Object.entries(given).flatMap(([field, value]) => {
    const key = `${prefix}${field}`
    if (HARMLESS_KEYS.has(key)) return [[field, value]]
    const isGroup = [...HARMLESS_KEYS].some((known) => known.startsWith(`${key}.`))
    return isGroup ? [[field, harmless(value, `${key}.`)]] : []
  })
  return Object.fromEntries(kept)
}

/** Checks and reads the same open file: owner and content. */
export function readOwn(file: string): { readonly text: string; readonly problem?: string } {
  try {
    const opened = openSync(file, READING)
    try {
      const stats = fstatSync(opened)
      if (!stats.isFile()) return { text: '', problem: 'it is not a file' }
      if (stats.size > MOST_BYTES) return { text: '', problem: 'it is larger than 1 MB' }
      const problem = findProblem(stats, 'it') ?? problemAbove(realpathSync(file))
      return problem === undefined ? { text: readFileSync(opened, 'utf8') } : { text: '', problem }
    } finally {
      closeSync(opened)
    }
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    if (code === undefined) throw thrown
    if (code === 'ENOENT' || code === 'ENOTDIR') return { text: '' }
    const why = code === 'EACCES' || code === 'EPERM' ? '' : `: ${escapeHidden(message)}`
    return { text: '', problem: `it cannot be read${why}` }
  }
}

/** `.precis`, and the folder it is in. */
function problemAbove(file: string): string | undefined {
  for (const folder of [dirname(file), dirname(dirname(file))]) {
    const stats = statSync(folder)
    const isSticky = (stats.mode & STICKY) !== 0
    const problem = findProblem(stats, `the folder ${escapeHidden(folder)}`, isSticky)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** A group with the user's own number is the user's. */
function findProblem(
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
  what: string,
  isSticky = false,
): string | undefined {
  const user = process.getuid?.()
  if (user === undefined) return undefined // Windows has neither owners nor modes
  if (uid !== user && !(isSticky && uid === 0)) return `${what} belongs to another user`
  const isOpen = (mode & OTHERS) !== 0 || ((mode & GROUP) !== 0 && gid !== user)
  return isOpen && !isSticky ? `other users may write to ${what}` : undefined
}
