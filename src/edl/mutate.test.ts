// What each command that changes a text does, to one range and to several, and what is selected then.
import { describe, expect, it } from 'vitest'
import { edited, play, selected } from '../../test/edl/play.ts'
import { createRegisters } from './registers.ts'

/** Text, commands, the text then, and what is selected then. */
const CASES: readonly [string, string, string, number[][]][] = [
  ['abc', 'select /b/\nreplace "XY"', 'aXYc', [[1, 3]]],
  [
    'abcb',
    'select_multiple /b/\nreplace "XY"',
    'aXYcXY',
    [
      [1, 3],
      [4, 6],
    ],
  ],
  [
    'abcb',
    'select_multiple /b/\nreplace ""',
    'ac',
    [
      [1, 1],
      [2, 2],
    ],
  ],
  ['abc', 'select /b/\ninsert_before "XY"', 'aXYbc', [[1, 2]]],
  [
    'abcb',
    'select_multiple /b/\ninsert_before "X"',
    'aXbcXb',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['abc', 'select /b/\ninsert_after "XY"', 'abXYc', [[1, 2]]],
  [
    'abcb',
    'select_multiple /b/\ninsert_after "X"',
    'abXcbX',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['abc', 'select /b/\ndelete', 'ac', [[1, 1]]],
  ['abcb', 'select_multiple /b/\ndelete', 'ac', [[1, 1]]],
  ['abc', 'select /b/\ncut r', 'ac', [[1, 1]]],
  [
    'aXb',
    'select_multiple /X*/\nreplace "-"',
    '-a--b-',
    [
      [0, 1],
      [2, 3],
      [3, 4],
      [5, 6],
    ],
  ],
]

describe('a command that changes the text', () => {
  it.each(CASES)('%j, %j [EDL-22]', async (text, commands, after, ranges) => {
    expect(await edited(text, commands)).toBe(after)
    expect(await selected(text, commands)).toEqual(ranges)
  })

  it('cut needs a single range [EDL-22]', async () => {
    expect(await edited('aa', 'select_multiple /a/\ncut r')).toBe(
      '! Expected single selection, got 2',
    )
  })

  it('counts what it did for each range, and the lines [EDL-22]', async () => {
    const script =
      'file f\nselect_multiple /b/\nreplace "x\\"y"\nselect_multiple /c\\n?/\ninsert_after <<E\n1\n2\nE\nretain_first\ndelete\nselect eof\ncut r'
    const { result } = await play({ f: 'b\nb\nc\nc' }, script)
    expect(result.files).toEqual([
      {
        path: 'f',
        isNew: false,
        replacements: 2,
        insertions: 2,
        deletions: 2,
        linesAdded: 2 + 2 * 3,
        linesRemoved: 2 + 2,
      },
    ])
  })

  it('on the whole of an empty file writes into it [EDL-01]', async () => {
    expect(await selected('', '')).toEqual([[0, 0]])
    expect(await selected('ab\nc\n', '')).toEqual([[0, 5]])
    expect(await edited('', 'insert_after <<E\nfirst\nE')).toBe('first\n')
  })

  it('adds one newline to a heredoc and none to a string [EDL-02]', async () => {
    expect(await edited('x', 'replace <<E\na\nE')).toBe('a\n')
    expect(await edited('x', 'replace <<E\na\n\nE')).toBe('a\n\n')
    expect(await edited('x', 'replace "a"')).toBe('a')
  })

  it('begins a new line behind a last line that is not ended [EDL-07]', async () => {
    const line = 'select <<E\nb\nE\n'
    expect(await edited('a\nb', `${line}insert_after <<E\nc\nE`)).toBe('a\nb\nc\n')
    expect(await edited('a\nb\n', `${line}insert_after <<E\nc\nE`)).toBe('a\nb\nc\n')
    expect(await edited('a\nb', 'select /b/\ninsert_after "c"')).toBe('a\nbc')
  })

  it.each([
    [
      'extend_forward takes it from the new end',
      'select /a/\nextend_forward <<E\nb\nE\n',
      'a\nb\nc',
    ],
    ['extend_forward loses it', 'select <<E\na\nE\nextend_forward /b/\n', 'a\nbc'],
    ['extend_back keeps it', 'select <<E\nb\nE\nextend_back /a/\n', 'a\nb\nc'],
    ['extend_back does not add it', 'select /b/\nextend_back <<E\na\nE\n', 'a\nbc'],
    ['replace loses it', 'select <<E\nb\nE\nreplace "b"\n', 'a\nbc'],
  ])('knows a line by its mark: %s [EDL-07]', async (_, commands, after) => {
    expect(await edited('a\nb', `${commands}insert_after "c"`)).toBe(after)
  })

  it('deletes a line with its newline [EDL-08]', async () => {
    expect(await edited('a\nb\nc\n', 'select <<E\nb\nE\ndelete')).toBe('a\nc\n')
    expect(await edited('a\nb\nc\n', 'select_multiple /^.$\\n/m\ndelete')).toBe('')
  })

  it('moves a text by cut, within a file and across files [EDL-09]', async () => {
    const texts = { f: 'one\ntwo\n', g: 'three\n' }
    const script =
      'file f\nselect <<E\none\nE\ncut r\nfile g\ninsert_after r\nfile f\ninsert_after r\n'
    const { files } = await play(texts, script)
    expect(files.getFileContents('f')).toBe('two\none\n')
    expect(files.getFileContents('g')).toBe('three\none\n')
  })

  it.each(['replace', 'insert_before', 'insert_after'])(
    '%s of an unknown register fails [EDL-09]',
    async (command) => {
      expect(await edited('a', `${command} nothing`)).toBe(
        '! Register "nothing" is empty or does not exist',
      )
    },
  )

  it('keeps what was cut for the next script [EDL-09]', async () => {
    const registers = createRegisters()
    expect(await edited('ab', 'select /b/\ncut r', registers)).toBe('a')
    expect(await edited('c', 'insert_before r', registers)).toBe('bc')
  })

  it('never cuts a character in half', async () => {
    // The selection stays where it was, and there the first half of the new text is now.
    const commands = 'select /b/\ninsert_before "😀"\ndelete'
    expect(await edited('abc', commands)).toBe(
      '! The selection cuts a character in half. Select again after inserting.',
    )
    expect(await edited('a😀b', 'select_multiple /./\nreplace "x"')).toBe('xxx')
    expect(await edited('a😀b', 'select_multiple /(?:)/\nreplace "-"')).toBe('-a-😀-b-')
  })
})
