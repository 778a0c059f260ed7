// Golden: settings from layers, approval of calls, commands, and what small functions say of many texts.
import { describe, it } from 'vitest'
import { judge, patternProblem } from '../../src/core/agent/approval.ts'
import { completeCommand, nearCommand, parseCommand } from '../../src/core/agent/commands.ts'
import type { ToolEffect } from '../../src/core/agent/tool.ts'
import { findConstraints } from '../../src/core/constraints/find-constraints.ts'
import { findSentences } from '../../src/core/constraints/sentences.ts'
import { isExcuse } from '../../src/core/edit/excuse.ts'
import { missingSections, saysNothing, withoutHeadings } from '../../src/core/edit/gate-summary.ts'
import { readEvent } from '../../src/core/log/codec.ts'
import { parseRef } from '../../src/core/search/archive.ts'
import {
  environmentLayer,
  requireSettings,
  resolveSettings,
  SETTING_KEYS,
  type SettingsLayer,
} from '../../src/core/settings/settings.ts'
import { aboutSetting, settingsJsonSchema } from '../../src/core/settings/settings-schema.ts'
import { shownAddress, shownSetting } from '../../src/core/text/address.ts'
import { foldBase64 } from '../../src/core/text/fold-base64.ts'
import { nearestWord } from '../../src/core/text/nearest-word.ts'
import { matchesPath, matchesText } from '../../src/core/text/patterns.ts'
import { readShell } from '../../src/core/text/shell-words.ts'
import { escapeHidden, escapeSteering, printableJson } from '../../src/core/text/visible.ts'
import {
  checkpointToText,
  generateCheckpointId,
  readCheckpointText,
} from '../../src/core/view/checkpoint.ts'
import { isEntryId } from '../../src/core/view/entry.ts'
import { buildCaption } from '../../src/core/view/image-caption.ts'
import { findPieces, writtenBy } from '../../src/core/view/typed-text.ts'
import { losesMost } from '../../src/strategies/fold/chunks.ts'
import { checkAgainstSource, withNote } from '../../src/strategies/summary/checks.ts'
import { breakRow } from '../generate/broken-row.ts'
import { pngOf } from '../generate/damage.ts'
import { Random } from '../generate/random.ts'
import { generateThread } from '../generate/thread.ts'
import { expectGolden, outcomeOf } from './golden.ts'
import { seeds } from './subjects.ts'
import { CALLS, LINES, PATTERNS, TEXTS } from './word-cases.ts'

const user = (values: SettingsLayer['values']): SettingsLayer => ({
  origin: 'user',
  where: 'settings.json',
  values,
})
const project = (values: SettingsLayer['values']): SettingsLayer => ({
  origin: 'project',
  where: '.precis/settings.json',
  values,
})

const LAYERS: readonly (() => readonly SettingsLayer[])[] = [
  () => [],
  () => [user({ preset: 'log', gate: { minTokens: 0 } }), project({ preset: 'fold' })],
  () => [user({ auto: { threshold: 0.6, targetRatio: 0.3 }, pins: ['a', 'b'] })],
  () => [user({ auto: { threshold: 0.3, targetRatio: 0.6 } })],
  () => [user({ auto: { threshold: 0.5, targetRatio: 0.5 } })],
  () => [user({ presset: 'log' })],
  () => [user({ gate: { minToken: 3 } })],
  () => [user({ gate: 3 })],
  () => [user({ preset: null })],
  () => [user({ preset: 'nothing' })],
  () => [project({ redactPrompts: 'never' })],
  () => [project({ store: 'memory' })],
  () => [project({ run: { environment: ['AWS_*'] } })],
  () => [
    user({
      autoByModel: { 'a/b': { threshold: 0.7 } },
      providers: { x: { baseUrl: 'http://a.b/' } },
    }),
  ],
  () => [user({ models: { default: 'no-slash' } })],
  () => [
    environmentLayer({
      PRECIS_PRESET: 'chat',
      PRECIS_AUTO_ENABLED: '0',
      PRECIS_GATE_MIN_TOKENS: '12',
      PRECIS_PINS: 'one text',
      PRECIS_AUTO_COOLDOWN_MS: 'soon',
    }),
  ],
  () => [
    environmentLayer({ PRECIS_PINS: '["a","b"]', PRECIS_AUTO_ENABLED: 'TRUE', PRECIS_STORE: '' }),
  ],
  () => [environmentLayer({ PRECIS_PRESSET: 'chat' })],
  () => [environmentLayer({ PRECIS_SOMETHING_ELSE_ENTIRELY: 'x', HOME: '/root-of-all' })],
]

describe('settings', () => {
  it('are resolved from layers', async () => {
    const rows = LAYERS.map((layers) =>
      outcomeOf(() => {
        const { settings, origins } = resolveSettings(layers())
        const set = Object.entries(origins).filter(([, { origin }]) => origin !== 'default')
        return { settings, origins: Object.fromEntries(set) }
      }),
    )
    const about = SETTING_KEYS.map((key) => [key, aboutSetting(key)])
    const required = [
      {},
      { preset: 'log', pins: undefined },
      { prest: 'x' },
      { auto: { ratio: 1 } },
    ]
    const checks = required.map((each) => outcomeOf(() => requireSettings(each, 'here')))
    const schema = settingsJsonSchema()
    await expectGolden('words-settings', { rows, about, checks, schema })
  })
})

describe('approval', () => {
  it.each(['ask', 'allow', 'deny'] as const)('in mode %s', async (mode) => {
    const rows = CALLS.flatMap(([effect, name, subject]) =>
      PATTERNS.map(({ allow, deny }) => {
        const call = { effect: effect as ToolEffect, name, subject }
        const { verdict, reason } = judge({ mode, allow, deny, readOnly: false }, call)
        return `${verdict}: ${reason}`
      }),
    )
    const perCall = CALLS.map((call, at) => ({
      call: call.join(' '),
      verdicts: rows.slice(at * PATTERNS.length, (at + 1) * PATTERNS.length),
    }))
    await expectGolden(`words-approval-${mode}`, perCall)
  })

  it('reads patterns and shell commands', async () => {
    const readOnly = CALLS.map(([effect, name, subject]) => {
      const call = { effect: effect as ToolEffect, name, subject }
      return judge({ mode: 'allow', allow: [], deny: [], readOnly: true }, call).verdict
    })
    const problems = ['', 'run:', ':x', ' : ', 'run: npm', 'read'].map((text) =>
      patternProblem(text),
    )
    const shell = CALLS.map(([, , subject]) => readShell(subject))
    const globs = ['*', '**', 'src/*', 'src/**', '**/*.ts', 'a*b', '*.t?', '/etc/**'].map(
      (pattern) => [
        pattern,
        ...['a.ts', 'src/a.ts', 'src/x/a.ts', 'aXb', '/etc/passwd', ''].map(
          (text) => `${Number(matchesText(pattern, text))}${Number(matchesPath(pattern, text))}`,
        ),
      ],
    )
    await expectGolden('words-patterns', { readOnly, problems, shell, globs })
  })
})

describe('words', () => {
  it('of commands', async () => {
    const rows = LINES.map((line) => ({
      line,
      parsed: outcomeOf(() => parseCommand(line)),
      near: nearCommand(line),
      completions: completeCommand(line).map(({ text, description }) => `${text} – ${description}`),
    }))
    await expectGolden('words-commands', rows)
  })

  it('of texts', async () => {
    const rows = TEXTS.map((text) => ({
      text,
      pieces: findPieces(text).map(({ by, text: piece }) => `${by}: ${piece}`),
      by: writtenBy(text),
      sentences: findSentences(text),
      binding: findConstraints(text),
      worth: [isExcuse(text), saysNothing(text), withoutHeadings(text).length],
      missing: missingSections(text, ['Goal', 'Next steps', 'Files']),
      visible: [escapeHidden(text), escapeSteering(text), printableJson(text)],
      checked: withNote(
        checkAgainstSource(text, 'src/a.ts and https://known.example/x', 'disarmed'),
      ),
      loses: TEXTS.slice(0, 6).map((other) => Number(losesMost(text, other))),
      folded: foldBase64(text, 'e1'),
      address: shownAddress(text.slice(0, 100)),
    }))
    await expectGolden('words-texts', rows)
  })

  it('of names, refs and images', async () => {
    const ids = ['e1', 'e0', 'e01', 'c1.0', 'c1.01', 'c0.1', 'e', 'x1', 't:e1', ':e1', 'a:b:c2.3']
    const issued = [0, 1, 2, 1_000].map(generateCheckpointId)
    const images = [
      { data: pngOf(30, 40), mimeType: 'image/png' },
      { data: 'R0lGODlhAQACAAAAACw=', mimeType: 'image/gif' },
      { data: '/9j/4AAQSkZJRgABAQAAAQABAAD/wAARCAAgAEADASIAAhEBAxEB', mimeType: 'image/jpeg' },
      { data: 'UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoQABAAAAAAJaQAA3AA', mimeType: 'image/webp' },
      { data: 'UklGRhoAAABXRUJQVlA4TA0AAAAvD8ADAAcQERGIiP4HAA==', mimeType: 'image/webp' },
      { data: 'bm90IGFuIGltYWdl'.repeat(200), mimeType: 'image/png' },
      { uri: `https://a.b/${'x'.repeat(300)}`, mimeType: 'image/png' },
    ]
    await expectGolden('words-names', {
      ids: ids.map((id) => [id, isEntryId(id), parseRef(id)]),
      issued,
      read: [...issued.map(checkpointToText), '<checkpoint:zzzzzz>', 'x'].map((text) =>
        readCheckpointText(text, new Set(issued)),
      ),
      captions: images.flatMap((image) => [
        buildCaption(image, undefined),
        buildCaption(image, 'e7'),
      ]),
      nearest: ['compct', 'undo', 'xyz', 'prest', 'strategi', 'a'].map((word) =>
        nearestWord(word, ['compact', 'undo', 'preset', 'strategy', 'b']),
      ),
      settings: [
        shownSetting('store', 'postgres://user:secret@host/db?sslmode=x'),
        shownSetting('providers', { a: { baseUrl: 'https://u:p@host/v1' } }),
        shownSetting('preset', 'postgres://user:secret@host/db'),
      ],
    })
  })

  it('of rows that cannot be read', async () => {
    const rows = seeds(40).map((seed) => {
      const random = new Random(seed)
      const { log } = generateThread(seed + 700, 4)
      const row = log.rows().at(-1)
      const read = row && readEvent(breakRow(row, random))
      return read && (read.ok ? read.event.type : { ...read.error, message: read.error.message })
    })
    await expectGolden('words-rows', rows)
  })
})
