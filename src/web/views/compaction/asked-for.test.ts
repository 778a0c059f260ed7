import { describe, expect, it } from 'vitest'
import { askedWords, findAskedFor } from './asked-for.ts'

describe('what a preview keeps of what was asked for', () => {
  it('looks for the things, not for the verbs', () => {
    expect(askedWords('Please keep the port numbers and QUAY_ENV, never 8417')).toEqual([
      'port',
      'number',
      'quay_env',
      '8417',
    ])
    expect(askedWords('')).toEqual([])
    expect(askedWords('keep everything')).toEqual([])
  })

  it('shows the lines with most of the words, each once, long ones around the first', () => {
    const long = `${'x '.repeat(300)}port number 4711 ${'y '.repeat(300)}`
    const found = findAskedFor('keep the port number', [
      'The port is open.\nThe port number is 4711.',
      'The port number is 4711.\nNothing else.',
      long,
    ])
    expect(found.total).toBe(2)
    expect(found.lines[0]).toBe('The port number is 4711.')
    expect(found.lines[1]).toContain('port number 4711')
    expect(found.lines[1]?.length).toBeLessThan(260)
  })

  it('finds nothing where nothing names it', () => {
    expect(findAskedFor('keep the harbour', ['The port is open.'])).toEqual({
      words: ['harbour'],
      lines: [],
      total: 0,
    })
  })
})
