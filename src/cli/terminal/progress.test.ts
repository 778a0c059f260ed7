// Progress: only on a terminal, only for what takes long, and gone in the end.
import { describe, expect, it } from 'vitest'
import { ProgressLine } from './progress.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  let nowMs = 0
  const stream = { isTTY, columns: 20, write: (text: string) => written.push(text) }
  const progress = new ProgressLine(stream, () => nowMs)
  return {
    written,
    progress,
    at: (ms: number) => {
      nowMs = ms
    },
  }
}

describe('progress', () => {
  it('says nothing of what is done within a second', () => {
    const { written, progress, at } = terminal(true)
    progress.say('reading …')
    at(999)
    progress.share('reading', 1, 2)
    progress.end()
    expect(written).toEqual([])
  })

  it('says nothing in a pipe', () => {
    const { written, progress, at } = terminal(false)
    at(5_000)
    progress.say('reading …')
    progress.end()
    expect(written).toEqual([])
  })

  it('shows a share, not too often, in one line that is empty in the end', () => {
    const { written, progress, at } = terminal(true)
    at(1_000)
    progress.share('reading', 1, 4)
    at(1_050)
    progress.share('reading', 2, 4)
    at(1_100)
    progress.share('reading\u001b[31m', 9, undefined)
    progress.say('a stage that is far too long for the line')
    progress.end()
    expect(written).toEqual([
      '\r\u001b[Kreading 25 % …',
      '\r\u001b[Kreading [31m …',
      '\r\u001b[Ka stage that is fa…',
      '\r\u001b[K',
    ])
  })

  it('never shows more than all', () => {
    const { written, progress, at } = terminal(true)
    at(2_000)
    progress.share('x', 5, 4)
    expect(written).toEqual(['\r\u001b[Kx 100 % …'])
  })
})
