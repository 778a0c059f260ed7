// Loads the settings: the user's file, the project's file, the environment, the flags.
import { readFileSync } from 'node:fs'
import { PrecisError } from '../../core/errors.ts'
import {
  environmentLayer,
  type ResolvedSettings,
  resolveSettings,
  type SettingsLayer,
} from '../../core/settings/settings.ts'
import { parseJsonText } from '../../formats/reading/json-text.ts'
import { readCount } from '../terminal/arguments.ts'
import {
  configFolder,
  type Environment,
  projectFile,
  type Surroundings,
  userFile,
} from './places.ts'
import {
  buildWarning,
  type ProjectSettings,
  readProject,
  withoutValues,
} from './project-settings.ts'

export interface SettingsSources extends Surroundings {
  /** Values from the command line, nested as in the schema. */
  readonly flags?: unknown
  /** Receives one warning per file with ignored keys; optional. */
  readonly stderr?: NodeJS.WritableStream
  /** Throws for names that only the command knows, of strategies for one. */
  readonly check?: (resolved: ResolvedSettings) => void
}

export interface LoadedSettings extends ResolvedSettings {
  /** Absent without a project file. */
  readonly project?: ProjectSettings
}

/** Defaults < user file < project file < environment < flags. */
export function loadSettings(sources: SettingsSources): LoadedSettings {
  const { cwd, environment, flags, stderr } = sources
  const user = fileLayer('user', userFile(environment))
  const given: SettingsLayer[] = [
    environmentLayer(environment),
    ...(flags === undefined
      ? []
      : [{ origin: 'flag' as const, where: (key: string) => `--${key}`, values: flags }]),
  ]
  const resolveWith = (project: ProjectSettings | undefined): LoadedSettings => {
    const layer = project && {
      origin: 'project' as const,
      where: project.file,
      values: project.values,
    }
    const resolved = resolveSettings([...user, ...(layer ? [layer] : []), ...given])
    sources.check?.(resolved)
    return { ...resolved, ...(project && { project }) }
  }
  const loaded = resolveOwn(projectSettings(cwd, environment), resolveWith)
  const { project } = loaded
  if (project && project.ignored.length > 0 && stderr) warnOnce(buildWarning(project), stderr)
  return loaded
}

/** Where the settings of an untrusted project do not go with the user's, the user's are in force alone. */
function resolveOwn(
  project: ProjectSettings | undefined,
  resolveWith: (project: ProjectSettings | undefined) => LoadedSettings,
): LoadedSettings {
  try {
    return resolveWith(project)
  } catch (thrown) {
    if (project === undefined || project.isTrusted || !PrecisError.is(thrown)) throw thrown
    return resolveWith(withoutValues(project, thrown)) // throws again for a fault of the user
  }
}

const warned = new WeakMap<NodeJS.WritableStream, Set<string>>()

/** A command may read its settings several times. */
export function warnOnce(text: string, stderr: NodeJS.WritableStream): void {
  const known = warned.get(stderr) ?? new Set()
  if (known.has(text)) return
  warned.set(stderr, known.add(text))
  stderr.write(text)
}

/** The project file's settings, and which of them apply. */
export function projectSettings(
  cwd: string,
  environment: Environment,
): ProjectSettings | undefined {
  const file = projectFile(cwd)
  if (file === undefined) return undefined
  return readProject(file, configFolder(environment), (text) => parse(text, file))
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

export type Budget = { readonly tokens: number } | { readonly percent: number }

export function parseBudget(text: string): Budget {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100)
    return { percent: Number(percent) }
  const tokens = readCount(text)
  if (Number.isSafeInteger(tokens) && tokens > 0) return { tokens }
  throw new PrecisError('usage', `--budget: ${JSON.stringify(text)} is not a valid budget`, {
    where: '--budget',
    hint: 'Give a number of tokens, as in --budget 50000, 50k or 0.5M, or a share of the input up to 100%, as in --budget 40%.',
  })
}

export function budgetTokens(budget: Budget, inputTokens: number): number {
  return 'tokens' in budget ? budget.tokens : Math.floor((inputTokens * budget.percent) / 100)
}
