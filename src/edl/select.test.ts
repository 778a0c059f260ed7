// What each command selects, and what it says where it cannot.
import { describe, expect, it } from 'vitest'
import { edited, play, selected } from '../../test/edl/play.ts'

/** Text, commands, and the ranges that are selected then or the error. */
const CASES: readonly [string, string, number[][] | string][] = [
  // select and select_multiple
  ['abcb', 'select /a/', [[0, 1]]],
  ['abcb', 'select /b/', 'select: expected 1 match, got 2'],
  ['abcb', 'select /x/', 'select: no matches for pattern /x/'],
  [
    'abcb',
    'select_multiple /b/',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['abcb', 'select_multiple /x/', 'select_multiple: no matches for pattern /x/'],
  [
    'aXbX',
    'select_multiple /X*/',
    [
      [0, 0],
      [1, 2],
      [2, 2],
      [3, 4],
      [4, 4],
    ],
  ],
  [
    'abcb',
    'select /a/\nselect_multiple /b/',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [
    'abab',
    'select_multiple /[ab]/y',
    [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ],
  ],
  // narrow and narrow_multiple
  ['ab ab', 'select /ab$/\nnarrow /b/', [[4, 5]]],
  ['ab ab', 'narrow /b/', 'narrow: expected 1 match, got 2'],
  ['ab ab', 'select_multiple /ab/\nnarrow /b/', 'narrow: expected 1 match, got 2'],
  ['ab ac', 'select_multiple /a./\nnarrow /c/', [[4, 5]]],
  ['ab ab', 'select /ab$/\nnarrow /x/', 'narrow: no matches for pattern /x/'],
  [
    'ab ab',
    'select_multiple /ab/\nnarrow_multiple /[ab]/',
    [
      [0, 1],
      [1, 2],
      [3, 4],
      [4, 5],
    ],
  ],
  ['ab ab', 'select /ab$/\nnarrow_multiple /x/', 'narrow_multiple: no matches for pattern /x/'],
  ['xab', 'select /ab/\nnarrow /^a/', [[1, 2]]],
  // select_next and select_prev
  ['a1 a2 a3', 'select /a2/\nselect_next /\\d/', [[7, 8]]],
  ['a1 a2 a3', 'select /a2/\nselect_prev /\\d/', [[1, 2]]],
  ['1 2 3 x', 'select /x/\nselect_prev /\\d/', [[4, 5]]],
  ['1 2 3', 'select /1/\nselect_next /\\d/', [[2, 3]]],
  ['a1 a2', 'select /a2/\nselect_next /a/', 'select_next: no matches for pattern /a/'],
  ['a1 a2', 'select /a1/\nselect_prev /a/', 'select_prev: no matches for pattern /a/'],
  ['aa', 'select_multiple /a/\nselect_next /a/', 'Expected single selection, got 2'],
  ['aa', 'select_multiple /a/\nselect_prev /a/', 'Expected single selection, got 2'],
  // extend_forward and extend_back
  ['a1 a2 a3', 'select /a2/\nextend_forward /\\d/', [[3, 8]]],
  ['a1 a2 a3', 'select /a2/\nextend_back /\\d/', [[1, 5]]],
  ['a1 a2', 'select /a2/\nextend_forward /a/', 'extend_forward: no matches for pattern /a/'],
  ['a1 a2', 'select /a1/\nextend_back /a/', 'extend_back: no matches for pattern /a/'],
  ['aa', 'select_multiple /a/\nextend_forward /a/', 'Expected single selection, got 2'],
  ['aa', 'select_multiple /a/\nextend_back /a/', 'Expected single selection, got 2'],
  // retain_*
  ['aaa', 'select_multiple /a/\nretain_first', [[0, 1]]],
  ['aaa', 'select_multiple /a/\nretain_last', [[2, 3]]],
  ['aaa', 'select_multiple /a/\nretain_nth 0', [[0, 1]]],
  ['aaa', 'select_multiple /a/\nretain_nth 1', [[1, 2]]],
  ['aaa', 'select_multiple /a/\nretain_nth -1', [[2, 3]]],
  ['aaa', 'select_multiple /a/\nretain_nth -3', [[0, 1]]],
  ['aaa', 'select_multiple /a/\nretain_nth 3', 'retain_nth: index 3 is out of range (3 selected)'],
  [
    'aaa',
    'select_multiple /a/\nretain_nth -4',
    'retain_nth: index -4 is out of range (3 selected)',
  ],
  ['aaa', 'retain_first', [[0, 3]]],
]

describe('a command that selects', () => {
  it.each(CASES)('on %j: %j [EDL-21]', async (text, commands, expected) => {
    expect(await selected(text, commands)).toEqual(expected)
  })

  it('needs one match, and says how many there were; with _multiple it takes all [EDL-04]', async () => {
    expect(await selected('aaa', 'select /a/')).toBe('select: expected 1 match, got 3')
    expect(await selected('aaa', 'narrow /a/')).toBe('narrow: expected 1 match, got 3')
    expect(await selected('aaa', 'select_multiple /a/')).toHaveLength(3)
    expect(await selected('aaa', 'narrow_multiple /a/')).toHaveLength(3)
  })
})

/** Text, lines, and where they are or the error. */
const LINES: readonly [string, string, number[][] | string][] = [
  ['a\nb\nc\n', 'b', [[2, 4]]],
  ['a\nb\nc', 'c', [[4, 5]]],
  ['ab\n', 'a', 'select: no matches for pattern "a"'],
  ['ba\n', 'a', 'select: no matches for pattern "a"'],
  ['  abc\n', 'abc', 'select: no matches for pattern "abc"'],
  ['a\nb\nab\n', 'a\nb', [[0, 4]]],
  ['aa\na\n', 'a', [[3, 5]]],
  ['a\r\n', 'a', 'select: no matches for pattern "a" (the lines of the file end with CRLF)'],
  ['', 'a', 'select: no matches for pattern "a"'],
]

describe('lines', () => {
  it.each(LINES)(
    'of %j that equal %j are found with their newline [EDL-03]',
    async (text, lines, expected) => {
      expect(await selected(text, `select <<E\n${lines}\nE`)).toEqual(expected)
    },
  )

  it('that overlap are found one after the other', async () => {
    const three = 'a\na\na\n'
    expect(await selected(three, 'select_multiple <<E\na\nE')).toEqual([
      [0, 2],
      [2, 4],
      [4, 6],
    ])
    expect(await selected(three, 'select_multiple <<E\na\na\nE')).toEqual([[0, 4]])
  })

  it('are whole lines of the file also inside a selection', async () => {
    expect(await selected('ab\nb\n', 'select /b\\nb/\nnarrow <<E\nb\nE')).toEqual([[3, 4]])
  })

  it('without text are refused', async () => {
    expect(await selected('a', 'select <<E\nE')).toMatch(
      /^Empty literal pattern will match everywhere/,
    )
  })
})

describe('positions', () => {
  const TEXT = 'ab\ncd\nef\n'
  it.each<[string, number[][] | string]>([
    ['select 1', [[0, 2]]],
    ['select 2', [[3, 5]]],
    ['select 4', [[9, 9]]],
    ['select 5', 'Line 5 is out of range: the file had 4 lines'],
    ['select 2:0', [[3, 3]]],
    ['select 2:2', [[5, 5]]],
    ['select 2:3', 'Column 3 is out of range: line 2 had 2 characters'],
    ['select bof', [[0, 0]]],
    ['select eof', [[9, 9]]],
    ['select 1-2', [[0, 5]]],
    ['select 2:1-3:1', [[4, 7]]],
    ['select bof-2', [[0, 5]]],
    ['select 2-eof', [[3, 9]]],
    ['select 3-1', 'The range 3-1 ends before it begins'],
    ['select 2\nnarrow 2:1', [[4, 4]]],
    ['select 2\nnarrow 3', 'narrow: no matches for pattern 3'],
    ['select 2\nselect_next 3', [[6, 8]]],
    ['select 2\nselect_prev 1', [[0, 2]]],
    ['select 2\nselect_next 1', 'select_next: no matches for pattern 1'],
    ['select 2\nextend_forward 3', [[3, 8]]],
    ['select 2\nextend_back 1', [[0, 5]]],
  ])('%j [EDL-21]', async (commands, expected) => {
    expect(await selected(TEXT, commands)).toEqual(expected)
  })

  it('bof and eof extend to the ends, bof-eof is everything [EDL-05] [EDL-06]', async () => {
    expect(await selected(TEXT, 'select /c/\nextend_forward eof')).toEqual([[3, 9]])
    expect(await selected(TEXT, 'select /d/\nextend_back bof')).toEqual([[0, 5]])
    expect(await selected(TEXT, 'select bof-eof')).toEqual([[0, 9]])
    expect(await edited(TEXT, 'select bof-eof\nreplace <<E\nnew\nE')).toBe('new\n')
  })

  it('in the middle of a character are refused', async () => {
    expect(await selected('a😀b', 'select 1:2')).toBe(
      'Column 2 of line 1 is in the middle of a character',
    )
    expect(await selected('a😀b', 'select 1:3')).toEqual([[3, 3]])
  })

  it.each([
    ['a line replaced', 'select 2 replace "XYZ" select 3 replace "!"', 'ab\nXYZ\n!\n'],
    [
      'a line inserted before',
      'select 2 insert_before "new\\" "\nselect 2 replace "!"',
      'ab\nnew" !\nef\n',
    ],
    ['a text inserted after', 'select 1 insert_after "+" select 1 replace "!"', '!+\ncd\nef\n'],
    ['a line deleted', 'select <<E\nab\nE\ndelete\nselect 3 replace "!"', 'cd\n!\n'],
    ['all but the end replaced', 'select 1-2 replace "Z" select 3 replace "!"', 'Z\n!\n'],
    ['a replaced line again', 'select 2 replace "XYZ" select 2 replace "!"', 'ab\n!\nef\n'],
    ['around a replaced line', 'select 2 replace "XYZ" select 1-3 replace "!"', '!\n'],
    [
      'an insertion at the end',
      'select eof insert_after "more" select 4 insert_after "!"',
      'ab\ncd\nef\nmore!',
    ],
  ])('are those of the file before the script: %s [EDL-13]', async (_, commands, expected) => {
    expect(await edited(TEXT, commands)).toBe(expected)
  })

  it.each([
    ['select 1-3 replace "Z" select 2', 3, '[0, 8)'],
    ['select 2 delete select 2:1', 4, '[3, 5)'],
    ['select 1-2 delete select 1-2:1', 4, '[0, 5)'],
  ])('that are gone are told: %j [EDL-13]', async (commands, offset, region) => {
    expect(await selected(TEXT, commands)).toBe(
      `Cannot resolve position: original offset ${offset} falls inside a previously replaced region ${region}`,
    )
  })

  it('with a line number warn, each time; others do not [EDL-13]', async () => {
    const script =
      'file f\nselect 1\nselect 2:0\nselect bof-3\nselect bof\nselect bof-eof\nselect /a/'
    const { result } = await play({ f: TEXT }, script)
    expect(result.warnings.map((warning) => warning.split(': ')[0])).toEqual([
      'select 1',
      'select 2:0',
      'select bof-3',
    ])
    expect(result.text).toMatch(
      /^Warnings:\n {2}select 1: line numbers are those of the file before/,
    )
  })
})
