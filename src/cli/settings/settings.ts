// Loads the settings: the user's file, the project's file, the environment, the flags
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import {
  environmentLayer,
  type ResolvedSettings,
  resolveSettings,
  type SettingsLayer,
} from '../../core/settings/settings.ts'
import { parseJsonText } from '../../formats/reading/json-text.ts'
import { platformFolders, stateFolderPath } from '../../hosts/platform-folders.ts'
import { buildWarning, type ProjectSettings, readProject } from './project-settings.ts'

export { stateFolderPath }

export type Environment = Readonly<Record<string, string | undefined>>

/** Where a command runs. */
export interface Surroundings {
  readonly cwd: string
  readonly environment: Environment
}

export interface SettingsSources extends Surroundings {
  /** Values from the command line, nested as in the schema. */
  readonly flags?: unknown
  /** Gets one warning for each file whose keys are not all obeyed; none is written without it. */
  readonly stderr?: NodeJS.WritableStream
}

export interface LoadedSettings extends ResolvedSettings {
  /** Absent if there is no file of a project. */
  readonly project?: ProjectSettings
}

const FILE = 'settings.json'

/** Defaults < user file < project file < environment < flags. */
export function loadSettings(sources: SettingsSources): LoadedSettings {
  const { cwd, environment, flags, stderr } = sources
  const project = projectSettings(cwd, environment)
  if (project && project.ignored.length > 0 && stderr) warnOnce(buildWarning(project), stderr)
  const layers: SettingsLayer[] = [
    ...fileLayer('user', userFile(environment)),
    ...(project
      ? [{ origin: 'project' as const, where: project.file, values: project.values }]
      : []),
    environmentLayer(environment),
    ...(flags === undefined
      ? []
      : [{ origin: 'flag' as const, where: (key: string) => `--${key}`, values: flags }]),
  ]
  return { ...resolveSettings(layers), ...(project && { project }) }
}

const warned = new WeakMap<NodeJS.WritableStream, Set<string>>()

/** A command may read its settings more than once. */
export function warnOnce(text: string, stderr: NodeJS.WritableStream): void {
  const known = warned.get(stderr) ?? new Set()
  if (known.has(text)) return
  warned.set(stderr, known.add(text))
  stderr.write(text)
}

/** What the project's file says, and what of it is obeyed. */
export function projectSettings(
  cwd: string,
  environment: Environment,
): ProjectSettings | undefined {
  const file = projectFile(cwd)
  if (file === undefined) return undefined
  return readProject(file, configFolder(environment), (text) => parse(text, file))
}

/** The user's own folder for settings. */
export function configFolder(environment: Environment): string {
  return dirname(userFile(environment))
}

export function userFile(environment: Environment): string {
  const { XDG_CONFIG_HOME } = environment
  const folder = XDG_CONFIG_HOME ? join(XDG_CONFIG_HOME, 'precis') : undefined
  return join(folder ?? platformFolders(environment).config, FILE)
}

/** The nearest `.precis/settings.json`, in the working directory or above it. */
export function projectFile(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const file = join(folder, '.precis', FILE)
    if (existsSync(file)) return file
    if (dirname(folder) === folder) return undefined
  }
}

/** The folder for state: `PRECIS_HOME`, or the platform's data folder. Made on first use, for its owner only. */
export async function stateFolder(io: Surroundings): Promise<string> {
  const folder = stateFolderPath(io)
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    // The mode of a new folder is cut by the umask, never widened; one that was there stays as it is.
    if (made !== undefined) await chmod(folder, 0o700)
  } catch (thrown) {
    throw new PrecisError('file-unwritable', 'the data directory cannot be created', {
      where: folder,
      hint: 'Set PRECIS_HOME to a directory that you can write to.',
      cause: thrown,
    })
  }
  await requireOwn(folder)
  return folder
}

/** Whoever else may write there could put their own store in place of the user's. */
async function requireOwn(folder: string): Promise<void> {
  const user = process.getuid?.()
  if (user === undefined) return // Windows has neither owners nor modes
  const { uid, mode } = await stat(folder)
  const isOfOther = user !== 0 && uid !== user
  if (!isOfOther && (mode & 0o002) === 0) return
  const why = isOfOther ? 'belongs to another user' : 'is writable by every user'
  throw new PrecisError('file-unwritable', `the data directory ${why}`, {
    where: folder,
    hint: isOfOther
      ? 'Set PRECIS_HOME to a directory that belongs to you.'
      : `Run chmod 700 ${folder}, or set PRECIS_HOME to a directory that belongs to you.`,
  })
}

function fileLayer(origin: 'user', file: string): SettingsLayer[] {
  const text = readIfThere(file)
  if (text === undefined || text.trim() === '') return []
  return [{ origin, where: file, values: parse(text, file) }]
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new PrecisError('file-unreadable', `the settings cannot be read: ${message}`, {
      where: file,
      hint: 'Make the file readable, or remove it.',
      cause: thrown,
    })
  }
}

function parse(text: string, file: string): unknown {
  try {
    return parseJsonText(text)
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    const reason = thrown.message.replace('the input', 'the settings file')
    throw new PrecisError('invalid-settings', reason, {
      where: thrown.where === undefined ? file : `${file}, ${thrown.where}`,
      hint: 'A settings file is one JSON object, as in {"gate": {"minTokens": 1000}}.',
      cause: thrown,
    })
  }
}
