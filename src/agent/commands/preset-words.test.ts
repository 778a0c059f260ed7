// The presets in words, and the page that has the same.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PRESETS } from '../../core/window/presets.ts'
import { presetWords } from './preset-words.ts'

describe('the presets in words', () => {
  it('name what each runs', () => {
    for (const { id, command, automatic } of presetWords()) {
      const preset = PRESETS[id as keyof typeof PRESETS]
      if (preset.command.run === 'strategy') expect(command).toContain(preset.command.strategyId)
      else expect(command).toContain('asks the agent')
      if (preset.automatic === 'off') expect(automatic).toBe('nothing')
      else expect(automatic).toContain(`${preset.automatic.strategyId} at 80 %`)
      expect(command).not.toContain('this strategy')
    }
  })

  it('stand in docs/agent.md', () => {
    const page = readFileSync(new URL('../../../docs/agent.md', import.meta.url), 'utf8')
    const [, behind = ''] = page.split('<!-- presets:')
    const [table = ''] = behind.slice(behind.indexOf('\n') + 1).split('<!--')
    const rows = presetWords().map(
      ({ id, command, automatic }) => `| \`${id}\` | ${command} | ${automatic} |`,
    )
    expect(table.trim().split('\n').slice(2)).toEqual(rows)
  })
})
