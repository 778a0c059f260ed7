// The keys of settings: their names, and which of them a project may set.
import { PrecisError } from '../errors.ts'
import type { EventDraft, ThreadEvent, ThreadSettings } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import { mayHoldAddress } from '../text/address.ts'
import type { Json } from '../text/json.ts'
import { nearestWord } from '../text/nearest-word.ts'
import type { ModelRef } from '../view/content.ts'
import { reducedBy, type ThreadState } from '../view/thread-state.ts'
import { SETTING_KEYS } from './settings-schema.ts'

/**
 * Keys a project may set without asking: how much is kept, and by which rules. All others decide where data
 * is sent or stored, or put text into prompts and pins. New settings are not included.
 */
export const HARMLESS_KEYS: ReadonlySet<string> = new Set([
  'strategy',
  'preset',
  'counter',
  'gate.minTokens',
  'auto.enabled',
  'auto.threshold',
  'auto.reserveTokens',
  'auto.absoluteTokens',
  'auto.warningThreshold',
  'auto.targetRatio',
  'auto.cooldownMs',
  'autoByModel',
  'protect.tools',
  'protect.paths',
  'summaries.form',
])

/** All keys the values set. Throws `invalid-settings` for an unknown one. */
export function settingsIn(values: unknown, where: string): (readonly [string, unknown])[] {
  return [...flatten(values, '', () => where)]
}

/** A checked-out repository must not send the user's keys to its own server. */
export const PERSONAL_KEYS: ReadonlyMap<string, string> = new Map([
  ['providers', 'It decides where keys are sent'],
  ['redactPrompts', 'It decides who receives secrets'],
  ['sessionFolders', 'It decides which files are read'],
])

export function notForProjects(key: string, where: string): PrecisError {
  return new PrecisError('invalid-settings', `${key} may not be set by a project`, {
    where,
    hint: `${PERSONAL_KEYS.get(key)}: set ${key} in your own settings file.`,
    details: { key },
  })
}

export function* flatten(
  value: unknown,
  prefix: string,
  placeOf: (key: string) => string,
): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongValue(prefix.slice(0, -1) || 'the settings', 'an object', value, placeOf(prefix))
  for (const [field, inner] of Object.entries(value)) {
    const key = `${prefix}${field}`
    // Editors use this to find the schema.
    if (key === '$schema' && typeof inner === 'string') continue
    if (SETTING_KEYS.includes(key)) yield [key, inner]
    else if (SETTING_KEYS.some((known) => known.startsWith(`${key}.`)))
      yield* flatten(inner, `${key}.`, placeOf)
    else throw unknownKey(key, placeOf(key), nearestWord(key, SETTING_KEYS))
  }
}

export function wrongValue(
  key: string,
  expected: string,
  got: unknown,
  where: string,
): PrecisError {
  return new PrecisError(
    'invalid-settings',
    `${key}: expected ${expected}, got ${shownValue(key, got)}`,
    { where, hint: `Set it to ${expected}, or leave it out for the default.`, details: { key } },
  )
}

function shownValue(key: string, got: unknown): string {
  if (!mayHoldAddress(key) || got === undefined || got === null)
    return JSON.stringify(got) ?? 'nothing'
  return Array.isArray(got) ? 'a list' : `another ${typeof got}`
}

export function unknownKey(key: string, where: string, nearest: string | undefined): PrecisError {
  const hint = nearest ? `Did you mean ${nearest}?` : `Known settings: ${SETTING_KEYS.join(', ')}.`
  const message = `${key} is not a setting`
  return new PrecisError('invalid-settings', message, { where, hint, details: { key } })
}

/** Settings of one thread: model, preset, strategy, working directory. */
export interface ThreadChoices extends ThreadSettings {
  readonly model?: ModelRef
  readonly thinking?: string
}

/** Resets a setting to the preset's default. */
export const NO_STRATEGY = ''

export const threadSettingsReducer: Reducer<ThreadChoices> = {
  name: 'thread-settings',
  version: 2,
  init: () => ({}),
  step(choices: ThreadChoices, event: ThreadEvent): ThreadChoices {
    if (event.type === 'THREAD_SETTINGS') return withoutNone({ ...choices, ...event.data })
    // Another tool's model is recorded but not chosen here: its provider may not be configured.
    if (event.type !== 'MODEL_CHANGED' || event.source !== undefined) return choices
    const { thinking: _, ...rest } = choices
    return { ...rest, ...event.data }
  },
  encode: (choices) => choices as unknown as Json,
  decode(json) {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new TypeError('no settings of a thread')
    return json as ThreadChoices
  },
}

function withoutNone(choices: ThreadChoices): ThreadChoices {
  if (choices.strategy !== NO_STRATEGY) return choices
  const { strategy: _, ...rest } = choices
  return rest
}

/** What a thread inherits: system prompts (texts in order), model, settings. */
export function inheritedDrafts(state: ThreadState, prompts: readonly string[]): EventDraft[] {
  const { model, thinking, ...settings } = reducedBy(state, threadSettingsReducer)
  const { head } = state.context
  const kinds = [
    ...(head.system === undefined ? [] : (['SYSTEM_PROMPT'] as const)),
    ...(head.userSystem === undefined ? [] : (['USER_SYSTEM_PROMPT'] as const)),
  ]
  const drafts = prompts.flatMap((data, at): EventDraft[] => {
    const type = kinds[at]
    return type ? [{ type, data }] : []
  })
  if (model) {
    const data = { model, ...(thinking !== undefined && { thinking }) }
    drafts.push({ type: 'MODEL_CHANGED', data })
  }
  if (Object.keys(settings).length > 0) drafts.push({ type: 'THREAD_SETTINGS', data: settings })
  return drafts
}
