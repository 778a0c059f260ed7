// The words that instructions name, and whether a line that stays has them
import { describe, expect, it } from 'vitest'
import { askedWords, findAskedFor, findLost, isTogether } from './asked-for.ts'

describe('what a preview keeps of what was asked for', () => {
  it('looks for the things, not for the verbs', () => {
    const asked = askedWords('Please keep the port numbers and QUAY_ENV, never 8417')
    expect(asked).toEqual(['port', 'quay_env', '8417'])
    expect(askedWords('')).toEqual([])
    expect(askedWords('keep everything')).toEqual([])
  })

  it('shows for each word the line with most of the words, the shortest, around the word', () => {
    const long = `${'x '.repeat(300)}harbour ${'y '.repeat(300)}`
    const [port, harbour] = findAskedFor('keep the port number of the harbour', [
      'The port is open.\nYes: the port number is 4711, as ever.',
      'The port number is 4711.\nThe port number is 4711.',
      long,
    ])
    expect(port).toEqual({ word: 'port', count: 3, line: 'The port number is 4711.' })
    expect(harbour?.line).toContain('harbour')
    expect(harbour?.line?.length).toBeLessThan(260)
  })

  it('does not take a question for what was asked for, and names the line that would go', () => {
    const asked = 'keep the port number'
    const staying = ['What is the port?', 'They send a number, I checked.']
    const going = ['host = "db"\nport = 6543', 'import json']
    expect(findLost(asked, going, staying)).toEqual({
      line: 'port = 6543',
      shown: 'port = 6543',
    })
    expect(isTogether(asked, staying)).toBe(false)
    const kept = [...staying, 'The port number is 6543.']
    expect(findLost(asked, going, kept)).toBeUndefined()
    expect(isTogether(asked, kept)).toBe(true)
    expect(findAskedFor(asked, kept)[0]?.line).toBe('The port number is 6543.')
  })

  it('takes the line with the value, and never one that denies', () => {
    const denied = 'I do not see port in my context.'
    const value = '41     parser.add_argument("--port", type=int, default=8090)'
    const lines = [denied, 'The port is open.', value]
    expect(findAskedFor('keep the port', lines)).toEqual([{ word: 'port', count: 2, line: value }])
    expect(findAskedFor('keep the port', [denied])).toEqual([{ word: 'port', count: 0 }])
    expect(findLost('keep the port', [value], [denied])?.line).toBe(value)
    for (const rule of ['Do not change port 22.', 'We must not open port 22 to others.'])
      expect(findAskedFor('keep the port', [rule])[0]?.line).toBe(rule)
  })

  it('finds no word inside another, and says so where nothing names it', () => {
    expect(findAskedFor('keep the port', ['import json', 'Ports: none'])).toEqual([
      { word: 'port', count: 1, line: 'Ports: none' },
    ])
    expect(findAskedFor('keep the port', ['import json'])).toEqual([{ word: 'port', count: 0 }])
  })
})
