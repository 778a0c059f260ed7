// `precis config`: every setting with value and source, or the schema.
import { PrecisError } from '../../core/errors.ts'
import { type ResolvedSettings, readVariable } from '../../core/settings/settings.ts'
import {
  aboutSetting,
  SETTING_KEYS,
  settingsJsonSchema,
} from '../../core/settings/settings-schema.ts'
import { shownSetting } from '../../core/text/address.ts'
import type { Json } from '../../core/text/json.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import { PROVIDER_ENTRIES } from '../../providers/entries.ts'
import { splitName } from '../../providers/model-name.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import { chooseStrategy } from '../compact/plan.ts'
import type { Io } from '../process-io.ts'
import { writeStream } from '../terminal/io.ts'
import { oneLine, padColumns, print } from '../terminal/terminal.ts'
import { projectFile, userFile } from './places.ts'
import type { IgnoredSetting } from './project-settings.ts'
import { loadSettings } from './settings.ts'

export interface ConfigFlags {
  readonly schema?: boolean
  readonly json?: boolean
}

interface ShownSetting {
  readonly key: string
  readonly value: Json | null // null without a value or default
  readonly origin: string
  readonly where?: string
  readonly variable: string
  readonly about: string
}

export async function showConfig(flags: ConfigFlags, io: Io): Promise<void> {
  if (flags.schema) {
    await writeStream(io.stdout, `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`)
    return
  }
  const { cwd, environment } = io
  const resolved = loadSettings({ cwd, environment, check: refuseUnknownNames })
  const { origins } = resolved
  const settings = SETTING_KEYS.map((key): ShownSetting => {
    const { value = null, origin = 'default', where } = origins[key] ?? {}
    const { about } = aboutSetting(key)
    return {
      key,
      value: shownSetting(key, value),
      origin,
      ...(where !== undefined && { where }),
      variable: readVariable(key),
      about,
    }
  })
  const files = {
    user: userFile(environment),
    project: projectFile(cwd) ?? null,
    state: stateFolderPath(io),
  }
  const ignored = resolved.project?.ignored ?? []
  await print(io, { files, settings, ignored }, flags.json, (told, style, columns) => {
    const width = Math.max(...told.settings.map(({ key }) => key.length)) + 2
    const lines = told.settings.map(({ key, value, origin, where }) => {
      const shown = value === null ? style.dim('–') : oneLine(plain(value), columns - width - 30)
      const from = where === undefined ? origin : `${origin}: ${where}`
      return `${padColumns(key, width)}${value === null ? shown : style.bold(shown)}  ${style.dim(from)}`
    })
    return `${[
      `your file     ${told.files.user}`,
      `project file  ${told.files.project ?? 'none here or above'}`,
      `state         ${told.files.state}`,
      '',
      ...lines,
      ...ignoredLines(told.ignored, columns),
    ].join('\n')}\n`
  })
}

function ignoredLines(ignored: readonly IgnoredSetting[], columns: number): string[] {
  if (ignored.length === 0) return []
  const lines = ignored.map(({ key, value, why }) => {
    if (key === '*') return `  all of it: ${why}`
    return `  ${key}  ${oneLine(plain(value ?? null), columns)}  (${why})`
  })
  return ['', 'Ignored in the project file; --trust-folder obeys what a project may set:', ...lines]
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Built-in providers and the stand-in. */
const PROVIDERS = [...PROVIDER_ENTRIES.map(({ id }) => id), 'dev']

/** Throws for the first unknown name, with the place where it is set. */
export function refuseUnknownNames(resolved: ResolvedSettings): void {
  chooseStrategy(
    resolved,
    {},
    DEFAULT_STRATEGIES.map(({ id }) => id),
  )
  const { models } = resolved.settings
  for (const [key, name] of Object.entries(models)) if (name) refuseModel(key, name, resolved)
}

function refuseModel(role: string, name: string, { origins }: ResolvedSettings): void {
  const key = `models.${role}`
  try {
    splitName(name, PROVIDERS)
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    const { where = key } = origins[key] ?? {}
    const { message, hint } = thrown
    throw new PrecisError('invalid-settings', `${key}: ${message}`, {
      where,
      ...(hint !== undefined && { hint }),
      cause: thrown,
    })
  }
}
