// Settings: defaults, layers, where each value is from, and errors that say which key and where.
import { describe, expect, it } from 'vitest'
import { nearestWord } from '../text/nearest-word.ts'
import {
  environmentLayer,
  readVariable,
  requireSettings,
  resolveSettings,
  SETTING_KEYS,
  type SettingsLayer,
} from './settings.ts'
import { aboutSetting, DEFAULT_STRATEGY, settingsJsonSchema } from './settings-schema.ts'

const user = (values: unknown): SettingsLayer => ({ origin: 'user', where: '~/u.json', values })
const project = (values: unknown): SettingsLayer => ({ origin: 'project', where: 'p.json', values })
const flag = (values: unknown): SettingsLayer => ({
  origin: 'flag',
  where: (key) => `--${key}`,
  values,
})

describe('settings', () => {
  it('have a default, or none where there is nothing to assume', () => {
    const { settings, origins } = resolveSettings([])
    expect(settings).toEqual({
      strategy: DEFAULT_STRATEGY,
      preset: 'precis',
      counter: 'estimate',
      gate: { minTokens: 1_000 },
      auto: {
        enabled: true,
        threshold: 0.8,
        warningThreshold: 0.6,
        targetRatio: 0.5,
        cooldownMs: 0,
      },
      models: {},
      pinning: {},
      protect: {},
      summaries: {},
      run: {},
      redactPrompts: 'others',
      store: 'sqlite',
    })
    expect(Object.keys(origins)).toEqual(SETTING_KEYS)
    expect(origins['gate.minTokens']).toEqual({ value: 1_000, origin: 'default' })
    expect(origins['models.fast']).toEqual({ value: undefined, origin: 'default' })
  })

  it('leave the automatic trigger to the preset, until a value is given', () => {
    const { settings, origins } = resolveSettings([
      user({ preset: 'log', auto: { threshold: 0.9 } }),
    ])
    expect(settings.auto).toMatchObject({ threshold: 0.9, cooldownMs: 60_000 })
    expect(origins['auto.threshold']).toMatchObject({ value: 0.9, origin: 'user' })
    expect(origins['auto.cooldownMs']).toEqual({
      value: 60_000,
      origin: 'default',
      where: 'preset log',
    })
  })

  it('take each value from the last layer that has it, and say which', () => {
    const { settings, origins } = resolveSettings([
      user({ strategy: 'a', gate: { minTokens: 1 }, auto: { enabled: false } }),
      project({ strategy: 'b', auto: { threshold: 0.9 } }),
      environmentLayer({ PRECIS_STRATEGY: 'c', PRECIS_AUTO_COOLDOWN_MS: '5' }),
      flag({ strategy: 'd' }),
    ])
    expect(settings).toMatchObject({
      strategy: 'd',
      gate: { minTokens: 1 },
      auto: { enabled: false, threshold: 0.9, cooldownMs: 5, targetRatio: 0.5 },
    })
    expect(origins).toMatchObject({
      strategy: { value: 'd', origin: 'flag', where: '--strategy' },
      'gate.minTokens': { value: 1, origin: 'user', where: '~/u.json' },
      'auto.threshold': { value: 0.9, origin: 'project', where: 'p.json' },
      'auto.cooldownMs': { value: 5, origin: 'environment', where: 'PRECIS_AUTO_COOLDOWN_MS' },
      'auto.targetRatio': { value: 0.5, origin: 'default' },
    })
  })

  it('are named in the environment by their key', () => {
    expect(SETTING_KEYS.map(readVariable)).toEqual([
      'PRECIS_STRATEGY',
      'PRECIS_PRESET',
      'PRECIS_COUNTER',
      'PRECIS_GATE_MIN_TOKENS',
      'PRECIS_AUTO_ENABLED',
      'PRECIS_AUTO_THRESHOLD',
      'PRECIS_AUTO_RESERVE_TOKENS',
      'PRECIS_AUTO_ABSOLUTE_TOKENS',
      'PRECIS_AUTO_WARNING_THRESHOLD',
      'PRECIS_AUTO_TARGET_RATIO',
      'PRECIS_AUTO_COOLDOWN_MS',
      'PRECIS_AUTO_BY_MODEL',
      'PRECIS_PINS',
      'PRECIS_PINNING_DETECT',
      'PRECIS_PINNING_PATTERNS',
      'PRECIS_PROTECT_TOOLS',
      'PRECIS_PROTECT_PATHS',
      'PRECIS_SUMMARIES_FORM',
      'PRECIS_SUMMARIES_INSTRUCTIONS',
      'PRECIS_SUMMARIES_LANGUAGE',
      'PRECIS_MODELS_DEFAULT',
      'PRECIS_MODELS_FAST',
      'PRECIS_PROVIDERS',
      'PRECIS_CATALOGUE',
      'PRECIS_RUN_ENVIRONMENT',
      'PRECIS_REDACT_PROMPTS',
      'PRECIS_SESSION_FOLDERS',
      'PRECIS_STORE',
    ])
  })

  it('let no project say where keys are sent', () => {
    const values = { providers: { anthropic: { baseUrl: 'http://127.0.0.1:1' } } }
    expect(() => resolveSettings([{ origin: 'project', where: 'p.json', values }])).toThrow(
      'providers may not be set by a project',
    )
    const { settings } = resolveSettings([{ origin: 'user', where: 'u.json', values }])
    expect(settings.providers).toEqual(values.providers)
    const told = { redactPrompts: 'never' }
    expect(() => resolveSettings([{ origin: 'project', where: 'p.json', values: told }])).toThrow(
      'redactPrompts may not be set by a project',
    )
  })

  it('are read from the environment as what they are; empty and foreign variables are left alone', () => {
    const { settings } = resolveSettings([
      environmentLayer({
        PRECIS_AUTO_ENABLED: '0',
        PRECIS_AUTO_THRESHOLD: '0.95',
        PRECIS_MODELS_FAST: 'dev',
        PRECIS_GATE_MIN_TOKENS: '',
        PRECIS_HOME: 'x',
        PRECIS_SOMETHING_ELSE: 'y',
        PATH: 'z',
      }),
    ])
    expect(settings.auto).toMatchObject({ enabled: false, threshold: 0.95 })
    expect(settings.models).toEqual({ fast: 'dev' })
    expect(settings.gate.minTokens).toBe(1_000)
  })

  it('take lists and objects from the environment as JSON, and one text as a list of one', () => {
    const { settings } = resolveSettings([
      environmentLayer({
        PRECIS_PINS: 'Never touch the migrations.',
        PRECIS_PROTECT_TOOLS: '["Read", "mcp__*"]',
        PRECIS_AUTO_BY_MODEL: '{"dev/dev": {"threshold": 0.7}}',
      }),
    ])
    expect(settings).toMatchObject({
      pins: ['Never touch the migrations.'],
      protect: { tools: ['Read', 'mcp__*'] },
      autoByModel: { 'dev/dev': { threshold: 0.7 } },
    })
  })

  it('may name their schema in a file, for editors', () => {
    const { settings } = resolveSettings([user({ $schema: 'schema.json', store: 'memory' })])
    expect(settings.store).toBe('memory')
  })
})

describe('the schema for editors', () => {
  const schema = settingsJsonSchema() as {
    properties: Record<string, { description?: string; properties?: Record<string, object> }>
  }
  const described = (key: string) => {
    const [group = '', field] = key.split('.')
    const found = schema.properties[group]
    return field === undefined ? found : found?.properties?.[field]
  }

  it.each(SETTING_KEYS)('says what %s is for and what it may be', (key) => {
    const { about, expected } = aboutSetting(key)
    expect(about).not.toBe('')
    expect(expected).not.toBe('')
    expect(described(key)).toMatchObject({ description: `${about}: ${expected}` })
  })

  it('asks for no setting, and takes no other', () => {
    expect(JSON.stringify(schema)).not.toContain('"required":["strategy')
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(schema).not.toHaveProperty('required')
    expect(schema.properties.gate).not.toHaveProperty('required')
    expect(schema.properties.$schema).toEqual({ type: 'string' })
  })
})

describe('settings that a program gives', () => {
  it('may lack anything, and hold undefined', () => {
    expect(requireSettings({ models: {}, providers: undefined }, 'here')).toBeUndefined()
    const { settings } = resolveSettings([])
    expect(requireSettings(settings, 'here')).toBeUndefined()
  })

  it.each([
    [{ modelz: {} }, 'modelz is not a setting'],
    [{ models: { defualt: 'dev' } }, 'models.defualt is not a setting'],
    [{ redactPrompts: 'perhaps' }, 'redactPrompts: expected others'],
  ])('are refused with a place: %j', (given, message) => {
    expect(() => requireSettings(given, 'compose()')).toThrow(
      expect.objectContaining({
        code: 'invalid-settings',
        message: expect.stringContaining(message),
        where: 'compose()',
      }),
    )
  })
})

describe('wrong settings', () => {
  const cases: readonly (readonly [string, () => SettingsLayer, object])[] = [
    [
      'an unknown key has a suggestion',
      () => user({ gate: { minTokn: 1 } }),
      {
        message: 'gate.minTokn is not a setting',
        where: '~/u.json',
        hint: 'Did you mean gate.minTokens?',
      },
    ],
    [
      'a key like none lists them all',
      () => project({ zebra: 1 }),
      { hint: expect.stringContaining('strategy, preset, counter, gate.minTokens') },
    ],
    [
      'a key of every object is not a setting',
      () => user(JSON.parse('{"__proto__": 1}')),
      { message: '__proto__ is not a setting' },
    ],
    [
      'a wrong type is located',
      () => project({ gate: { minTokens: '1k' } }),
      {
        message: 'gate.minTokens: expected a whole number from 0, got "1k"',
        where: 'p.json',
        hint: 'Set it to a whole number from 0, or leave it out for the default.',
      },
    ],
    [
      'a group is an object',
      () => user({ auto: true }),
      { message: 'auto: expected an object, got true' },
    ],
    [
      'null is no value',
      () => user({ strategy: null }),
      { message: expect.stringContaining('got null') },
    ],
    [
      'settings are an object',
      () => user([]),
      { message: 'the settings: expected an object, got []' },
    ],
    [
      'a ratio has bounds',
      () => user({ auto: { threshold: 1.5 } }),
      { message: expect.stringContaining('up to 1') },
    ],
    ['an unknown preset', () => flag({ preset: 'x' }), { where: '--preset' }],
    [
      'a wrong variable',
      () => environmentLayer({ PRECIS_AUTO_ENABLED: 'maybe' }),
      {
        message: 'auto.enabled: expected true or false, got "maybe"',
        where: 'PRECIS_AUTO_ENABLED',
      },
    ],
    [
      'a mistyped variable',
      () => environmentLayer({ PRECIS_STRATGY: 'x' }),
      { message: 'PRECIS_STRATGY is not a setting', hint: 'Did you mean PRECIS_STRATEGY?' },
    ],
    [
      'a target above the threshold',
      () => user({ auto: { targetRatio: 0.9 } }),
      { message: expect.stringContaining('not below auto.threshold'), where: '~/u.json' },
    ],
  ]
  for (const [name, layer, expected] of cases)
    it(name, () => {
      expect(() => resolveSettings([layer()])).toThrow(
        expect.objectContaining({ code: 'invalid-settings', ...expected }),
      )
    })
})

describe('the nearest word', () => {
  const known = ['strategy', 'store', 'gate.minTokens']
  for (const [word, nearest] of [
    ['stratgey', 'strategy'],
    ['STORE', 'store'],
    ['gate.mintoken', 'gate.minTokens'],
    ['x', undefined],
    ['', undefined],
    ['elephant', undefined],
  ] as const)
    it(`of ${JSON.stringify(word)} is ${nearest ?? 'none'}`, () => {
      expect(nearestWord(word, known)).toBe(nearest)
    })
})
