// The settings: layers of values, each with its source.
import type { z } from 'zod'
import { PrecisError } from '../errors.ts'
import type { Json } from '../text/json.ts'
import { nearestWord } from '../text/nearest-word.ts'
import { PRESETS } from '../window/presets.ts'
import type { TriggerPolicy } from '../window/trigger.ts'
import { flatten, notForProjects, PERSONAL_KEYS, unknownKey, wrongValue } from './settings-keys.ts'
import {
  aboutSetting,
  kindOfSetting,
  SETTING_KEYS,
  schemaOfSetting,
  settingsSchema,
} from './settings-schema.ts'

export { SETTING_KEYS } from './settings-schema.ts'

type SettingsInput = z.output<typeof settingsSchema>
export interface AutoSettings {
  readonly enabled: boolean
  readonly threshold?: number // a share of the window
  readonly reserveTokens?: number // fires when fewer are free
  readonly absoluteTokens?: number // fires when this many are used
  readonly warningThreshold?: number
  readonly targetRatio: number
  readonly cooldownMs: number
}
export type Settings = Omit<SettingsInput, 'auto'> & { readonly auto: AutoSettings }
export type SettingsOrigin = 'default' | 'user' | 'project' | 'environment' | 'flag'

/** Values from one source. Later layers override earlier ones. */
export interface SettingsLayer {
  readonly origin: Exclude<SettingsOrigin, 'default'>
  /** The file, or each value's name there: a variable or flag. */
  readonly where: string | ((key: string) => string)
  readonly values: unknown // nested as in the schema, not validated
}

export interface SettingValue {
  readonly value: Json | undefined
  readonly origin: SettingsOrigin
  readonly where?: string
}

export interface ResolvedSettings {
  readonly settings: Settings
  /** The effective values by key, such as `gate.minTokens`, with their sources. */
  readonly origins: Readonly<Record<string, SettingValue>>
}

/** The effective settings. Throws `invalid-settings` for the first unknown key or wrong value. */
export function resolveSettings(layers: readonly SettingsLayer[]): ResolvedSettings {
  const origins = new Map<string, SettingValue>()
  for (const key of SETTING_KEYS)
    origins.set(key, {
      value: schemaOfSetting(key)?.parse(undefined) as Json | undefined,
      origin: 'default',
    })
  for (const { origin, where, values } of layers) {
    const placeOf = typeof where === 'string' ? () => where : where
    for (const [key, value] of flatten(values, '', placeOf)) {
      if (origin === 'project' && PERSONAL_KEYS.has(key)) throw notForProjects(key, placeOf(key))
      origins.set(key, { value: checked(key, value, placeOf), origin, where: placeOf(key) })
    }
  }
  const given = settingsSchema.parse(nested([...origins].map(([key, { value }]) => [key, value])))
  const auto = readAuto(PRESETS[given.preset].trigger)
  for (const [field, value] of Object.entries(auto))
    if (origins.get(`auto.${field}`)?.origin === 'default')
      origins.set(`auto.${field}`, { value, origin: 'default', where: `preset ${given.preset}` })
  const settings = { ...given, auto: { ...auto, ...(given.auto as Partial<AutoSettings>) } }
  requireRoom(settings, origins)
  return { settings, origins: Object.fromEntries(origins) }
}

function readAuto(trigger: TriggerPolicy): AutoSettings {
  const {
    enabled,
    ratio: threshold,
    reserveTokens,
    absoluteTokens,
    warnRatio: warningThreshold,
    targetRatio,
    cooldownMs,
  } = trigger
  return {
    enabled,
    ...(threshold !== undefined && { threshold }),
    ...(reserveTokens !== undefined && { reserveTokens }),
    ...(absoluteTokens !== undefined && { absoluteTokens }),
    ...(warningThreshold !== undefined && { warningThreshold }),
    targetRatio,
    cooldownMs,
  }
}

/**
 * Checks settings that did not come through layers. Throws `invalid-settings` for the first unknown key or
 * wrong value; undefined counts as absent.
 */
export function requireSettings(values: object, where: string): void {
  for (const [key, value] of flatten(withoutUndefined(values), '', () => where))
    if (value !== undefined) checked(key, value, () => where)
}

function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

const PREFIX = 'PRECIS_'

/** `gate.minTokens` → `PRECIS_GATE_MIN_TOKENS` */
export function readVariable(key: string): string {
  return `${PREFIX}${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`
}

/** The layer of an environment. Ignores other variables, unless one looks like a mistyped setting. */
export function environmentLayer(
  environment: Readonly<Record<string, string | undefined>>,
): SettingsLayer {
  const keys = new Map(SETTING_KEYS.map((key) => [readVariable(key).slice(PREFIX.length), key]))
  const entries: (readonly [string, unknown])[] = []
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || text === undefined || text === '') continue
    const word = variable.slice(PREFIX.length)
    const key = keys.get(word)
    const nearest = key === undefined ? nearestWord(word, keys.keys()) : undefined
    if (nearest !== undefined) throw unknownKey(variable, variable, `${PREFIX}${nearest}`)
    if (key !== undefined) entries.push([key, fromText(key, text)])
  }
  return { origin: 'environment', where: readVariable, values: nested(entries) }
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Converts a text to the setting's type; validation reports what does not fit. */
function fromText(key: string, text: string): unknown {
  const kind = kindOfSetting(key)
  if (kind === 'boolean') return BOOLEANS.get(text.toLowerCase()) ?? text
  if (kind === 'array' || kind === 'record')
    return fromJson(text) ?? (kind === 'array' ? [text] : text)
  if (kind !== 'number' || text.trim() === '' || Number.isNaN(Number(text))) return text
  return Number(text)
}

/** A list or an object, as in a settings file. */
function fromJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A compaction that ends above the next trigger would repeat for ever. */
function requireRoom({ auto }: Settings, origins: ReadonlyMap<string, SettingValue>): void {
  if (auto.threshold === undefined || auto.targetRatio < auto.threshold) return
  const { where } = origins.get('auto.targetRatio') ?? {}
  const message = `auto.targetRatio (${auto.targetRatio}) is not below auto.threshold (${auto.threshold})`
  throw new PrecisError('invalid-settings', message, {
    ...(where !== undefined && { where }),
    hint: 'A compaction must end below the point where the next one starts.',
    details: { key: 'auto.targetRatio' },
  })
}

function checked(key: string, value: unknown, placeOf: (key: string) => string): Json | undefined {
  const leaf = schemaOfSetting(key)
  // An explicit null or undefined would silently mean the default: report the expected value instead.
  const result = value === undefined ? undefined : leaf?.safeParse(value)
  if (result?.success) return result.data as Json
  throw wrongValue(key, aboutSetting(key).expected || 'another value', value, placeOf(key))
}

function nested(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const root: Record<string, unknown> = {
    gate: {},
    auto: {},
    pinning: {},
    protect: {},
    models: {},
    summaries: {},
    run: {},
  }
  for (const [key, value] of entries) {
    const [field = '', inner] = key.split('.')
    if (value === undefined) continue
    if (inner === undefined) root[field] = value
    else Object.assign(root[field] as object, { [inner]: value })
  }
  return root
}
