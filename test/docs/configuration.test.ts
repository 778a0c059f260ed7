// The page on the settings: its table has every key with its variable, what it is for, and its default.
import { expect, it } from 'vitest'
import { readVariable, resolveSettings, SETTING_KEYS } from '../../src/core/settings/settings.ts'
import { aboutSetting } from '../../src/core/settings/settings-schema.ts'
import { readPage, tablesWith } from './page.ts'

it('docs/configuration.md lists every setting', () => {
  const [table] = tablesWith(readPage('docs/configuration.md'), 'key', 'what for')
  const { origins } = resolveSettings([])
  const rows = SETTING_KEYS.map((key) => {
    const { about, expected } = aboutSetting(key)
    const { value, where } = origins[key] ?? {}
    const shown = where === undefined ? (value === undefined ? '' : `\`${value}\``) : 'the preset’s'
    return [`\`${key}\``, about, expected, shown]
  })
  expect(table?.rows).toEqual(rows)
})

it('docs/configuration.md says how a variable is named', () => {
  expect(readPage('docs/configuration.md')).toContain(readVariable('gate.minTokens'))
})
