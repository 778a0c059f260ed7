// What each preset really runs: the table of conflicts.md, with a model and without.
import { describe, expect, it } from 'vitest'
import { PRESETS, type PresetId } from '../../core/window/presets.ts'
import { strategiesFor } from './compaction-settings.ts'

const ROWS: readonly (readonly [PresetId, 'command' | 'automatic', boolean, readonly string[]])[] =
  [
    ['precis', 'command', true, ['brief', 'extract']],
    ['precis', 'command', false, ['cascade', 'extract']],
    ['precis', 'automatic', true, ['cascade', 'extract']],
    ['chat', 'automatic', true, ['cascade', 'extract']],
    ['chat', 'command', true, ['fresh-session']],
    ['log', 'command', true, ['ai-summarize', 'trim-tool-results']],
    ['fold', 'automatic', true, ['chunked-fold']],
    ['fresh', 'automatic', true, []],
    ['range', 'automatic', true, ['summarize']],
    ['whole', 'command', true, []],
  ]

describe('strategiesFor', () => {
  it.each(ROWS)('%s, %s, with a model: %s', (preset, on, hasModel, wanted) => {
    expect(strategiesFor({ preset: PRESETS[preset], on, hasModel })).toEqual(wanted)
  })

  it('takes what was chosen in place of the first, but no new session by itself', () => {
    const preset = PRESETS.precis
    const choose = (on: 'command' | 'automatic', chosen: string) =>
      strategiesFor({ preset, on, hasModel: true, chosen })
    expect(choose('command', 'mask')).toEqual(['mask', 'extract'])
    expect(choose('automatic', 'fresh-session')).toEqual(['cascade', 'extract'])
  })
})
