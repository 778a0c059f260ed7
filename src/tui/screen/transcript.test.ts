// The window onto the transcript: always a part of the whole, whatever is scrolled, opened or resized.
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import { Random } from '../../../test/generate/random.ts'
import { generateThread } from '../../../test/generate/thread.ts'
import { seeds } from '../../../test/scale.ts'
import { ThreadView, type ViewBlock } from '../../protocol/index.ts'
import { createTheme } from './theme.ts'
import { Transcript } from './transcript.ts'

const theme = createTheme(false)

function notice(text: string, index: number): ViewBlock {
  return { kind: 'notice', key: `n${index}`, level: 'reply', text }
}

/** Blocks of two lines each: an empty one and its number. */
function numbered(count: number): ViewBlock[] {
  return Array.from({ length: count }, (_, index) => notice(`line ${index + 1}`, index))
}

function buildTranscript(blocks: readonly ViewBlock[]): Transcript {
  const transcript = new Transcript(theme)
  transcript.show(blocks)
  return transcript
}

const seen = (transcript: Transcript, rows = 6) =>
  transcript
    .render(40, rows)
    .map((line) => stripTerminalSequences(line).trim())
    .filter((line) => line !== '')

const tool: ViewBlock = {
  kind: 'tool',
  key: 'call:1',
  callId: '1',
  name: 'read',
  subject: 'a.ts',
  state: 'completed',
  result: Array.from({ length: 30 }, (_, line) => `row ${line}`).join('\n'),
}

describe('Transcript', () => {
  it('begins at the top, and follows the end once it is full', () => {
    expect(buildTranscript(numbered(1)).render(40, 4)).toEqual(['', '  line 1', '', ''])
    expect(seen(buildTranscript(numbered(9)))).toEqual(['line 7', 'line 8', 'line 9'])
  })

  it('stays where the user has scrolled to while more comes, and follows again at the end', () => {
    const blocks = numbered(9)
    const transcript = buildTranscript(blocks)
    seen(transcript)
    transcript.scrollBy(-4)
    expect(seen(transcript)).toEqual(['line 5', 'line 6', 'line 7'])
    blocks.push(notice('line 10', 9))
    expect(seen(transcript)).toEqual(['line 5', 'line 6', 'line 7'])
    transcript.scrollBy(100)
    expect(transcript.isAtEnd).toBe(true)
    expect(seen(transcript).at(-1)).toBe('line 10')
    transcript.scrollBy(-100)
    expect(transcript.isAtStart).toBe(true)
    expect(seen(transcript)[0]).toBe('line 1')
  })

  it('folds a long result, opens it alone or with all others, and finds it under the mouse', () => {
    const transcript = buildTranscript([notice('before', 0), tool])
    expect(seen(transcript, 40)).toEqual([
      'before',
      '✓ read a.ts',
      'row 0',
      'row 1',
      'row 2',
      'row 3',
      '… 26 more lines (Ctrl+O)',
    ])
    transcript.toggle('call:1')
    expect(seen(transcript, 40)).toContain('row 29')
    transcript.toggleAll()
    transcript.toggleAll()
    expect(seen(transcript, 40)).not.toContain('row 29')
    expect(transcript.blockAt(3)).toBe(tool)
  })

  it('selects what can be opened, from the end upwards, and shows it', () => {
    const transcript = buildTranscript([tool, ...numbered(20)])
    seen(transcript)
    transcript.selectNext(-1)
    expect(transcript.selected).toBe(tool)
    expect(transcript.render(40, 6).join('\n')).toContain('\u001b[7m')
    transcript.selectNext(1)
    expect(transcript.selected).toBeUndefined()
    expect(transcript.isAtEnd).toBe(true)
  })

  it('shows a part of the whole of random threads, never wider than the terminal', () => {
    for (const seed of seeds(12, 3)) {
      const { log } = generateThread(seed, 30)
      const view = new ThreadView()
      for (const event of log.events) view.apply({ kind: 'event', event })
      const random = new Random(seed)
      const transcript = buildTranscript(view.blocks)
      for (const width of [17, 60, 120]) {
        const whole = buildTranscript(view.blocks).render(width, 20_000).join('\n')
        for (let step = 0; step < 8; step += 1) {
          const lines = transcript.render(width, random.int(1, 30))
          for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width)
          expect(whole.includes(lines.join('\n').trimEnd()), `seed ${seed}, ${width}`).toBe(true)
          transcript.scrollBy(random.int(-40, 25))
        }
      }
    }
  })
})
