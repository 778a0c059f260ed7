// What a script may look like, and what is said about one that does not.
import { describe, expect, it } from 'vitest'
import { edited, parseError, play } from '../../test/edl/play.ts'
import { InMemoryFileIO } from './in-memory-file-io.ts'
import { runScript } from './run.ts'

const READ: readonly { what: string; text: string; commands: string; after: string }[] = [
  {
    what: 'commands on one line',
    text: 'a b\n',
    commands: 'select /b/ replace "c"',
    after: 'a c\n',
  },
  { what: 'a comment at the end', text: 'a\n', commands: 'delete # all of it', after: '' },
  {
    what: 'a hash inside a word, a regex, a string and a heredoc',
    text: '#a\n',
    commands: 'select /#a/\nreplace "#b"\ninsert_after <<E\n# no comment\nE\ncut r#1',
    after: '# no comment\n\n',
  },
  { what: 'an escaped slash', text: 'a/b\n', commands: 'select /\\// replace "-"', after: 'a-b\n' },
  { what: 'flags of a regex', text: 'AB\n', commands: 'select /b/gi replace "x"', after: 'Ax\n' },
  { what: 'escapes of a string', text: '', commands: 'insert_after "a\\"b\\\\c"', after: 'a"b\\c' },
  {
    what: 'a delimiter in quotes',
    text: '',
    commands: "insert_after <<'END OF IT'  \nx\nEND OF IT",
    after: 'x\n',
  },
  {
    what: 'lines that only look like the delimiter',
    text: '',
    commands: 'insert_after <<E\n E\nE \nEE\nE',
    after: ' E\nE \nEE\n',
  },
  { what: 'a heredoc without lines', text: 'x', commands: 'replace <<E\nE', after: '\n' },
  { what: 'a heredoc of one empty line', text: 'x', commands: 'replace <<E\n\nE', after: '\n' },
  {
    what: 'a delimiter at the end of the script',
    text: '',
    commands: 'replace <<E\na\nE',
    after: 'a\n',
  },
  {
    what: 'a line with a colon',
    text: 'a\nb\n',
    commands: 'select 2: replace "c"',
    after: 'a\nc\n',
  },
  { what: 'a word that begins with one <', text: 'x', commands: 'cut <r replace <r', after: 'x' },
]

describe('a script', () => {
  it.each(READ)('may have $what [EDL-20]', async ({ text, commands, after }) => {
    expect(await edited(text, commands)).toBe(after)
  })

  it('has comments, blank lines, and paths bare or in backticks [EDL-16]', async () => {
    const texts = { '/a': '1', 'b c': '2', '/d': '3' }
    const script =
      '# first\n\nfile /a # that one\nreplace "x"\n\n\n  # then\nfile `b c`\nreplace "y"\nfile # here:\n /d replace "z"'
    const { files } = await play(texts, script)
    expect(['/a', 'b c', '/d'].map((path) => files.getFileContents(path))).toEqual(['x', 'y', 'z'])
  })

  it('may be empty, and then changes nothing', async () => {
    const { result } = await play({}, ' \n# nothing\n')
    expect(result.text).toBe('Mutations:\n  No files modified.')
  })
})

/** Script → the message, the line and the column. */
const REFUSED: readonly [string, string, number, number][] = [
  ['file f\nselect /a\n/', 'Unterminated regex', 2, 8],
  ['file f\nselect /a\\/', 'Unterminated regex', 2, 8],
  ['file f\nselect /a/x', 'Invalid regex flag: x', 2, 11],
  ['file f\nselect /a/gg', 'Invalid regex /a/gg: ', 2, 8],
  ['file f\nselect /(/', 'Invalid regex /(/: Unterminated group', 2, 8],
  ['file `f', 'Unterminated path literal', 1, 6],
  ['file ``', 'Empty path', 1, 6],
  ['file f\nreplace <<', 'Invalid heredoc marker', 2, 9],
  ['file f\nreplace << E\nE', 'Invalid heredoc marker', 2, 9],
  ["file f\nreplace <<''\n", 'Invalid heredoc marker', 2, 9],
  ["file f\nreplace <<'E\nE", 'Unterminated quoted heredoc marker', 2, 9],
  ['file f\nreplace <<E x\nE', 'Unexpected content after heredoc marker', 2, 12],
  ['file f\nreplace <<E\nE x', 'Unterminated heredoc, expected E', 2, 9],
  ['file f\nreplace <<E', 'Unterminated heredoc, expected E', 2, 9],
  ['file f\nreplace "a\nb"', 'Unterminated quoted string', 2, 9],
  ['file f\nreplace "a', 'Unterminated quoted string', 2, 9],
  ['file f\nreplace "a\\nb"', 'Invalid escape sequence in quoted string: \\n', 2, 11],
  ['file f\nselect word', 'Invalid pattern: word', 2, 8],
  ['file f\nselect 0', 'Invalid pattern: 0', 2, 8],
  ['file f\nselect 1-', 'Invalid pattern: 1-', 2, 8],
  ['file f\nselect -1', 'Invalid pattern: -1', 2, 8],
  [
    'file f\nselect "a"',
    'Unexpected quoted string in pattern position. Use a heredoc for line selection or regex for inline selection.',
    2,
    8,
  ],
  ['file f\nselect `a`', 'Unexpected path literal in pattern position', 2, 8],
  ['file f\nfrobnicate', 'Unknown command: frobnicate', 2, 1],
  ['file f\n/a/', 'Expected command, got regex', 2, 1],
  ['file f\n`a`', 'Expected command, got path literal', 2, 1],
  ['file f\n"a"', 'Expected command, got quoted string', 2, 1],
  ['file f\n<<E\nE', 'Expected command, got heredoc', 2, 1],
  ['file f\nselect', 'Expected pattern, got end of input', 2, 7],
  ['file f\nreplace # nothing', 'Expected text or register, got end of input', 2, 18],
  ['file', 'Expected path, got end of input', 1, 5],
  ['file f\ncut', 'Expected register name, got end of input', 2, 4],
  ['file f\ncut "r"', 'Expected register name, got quoted string', 2, 5],
  ['file f\nretain_nth', 'Expected integer, got end of input', 2, 11],
  ['file f\nretain_nth one', 'Expected integer, got one', 2, 12],
  ['file f\nretain_nth "1"', 'Expected integer, got quoted string', 2, 12],
  ['file f\nreplace /a/', 'Expected text or register, got regex', 2, 9],
  ['file f\nreplace "😀\ud83d"', 'The script holds half a character', 2, 12],
]

describe('a script that cannot be read', () => {
  it.each(REFUSED)('%j is told: %s, with line and column [EDL-20]', async (script, ...told) => {
    const [message, line, column] = told
    const result = await runScript(script, new InMemoryFileIO({ f: 'a' }))
    expect(result).toMatchObject({ status: 'error', line, column })
    const error = result.status === 'error' ? result.error : ''
    expect(error).toContain(`Parse error: ${message}`)
    expect(error).toContain(`(line ${line}, column ${column})`)
  })

  it('runs not at all, not even what stands before the error [EDL-12]', async () => {
    const files = new InMemoryFileIO({ f: 'a' })
    const registers = { registers: new Map(), nextSavedId: 1 }
    const script = 'file f\nreplace "b"\nnewfile g\ncut r\nfrobnicate'
    expect(await runScript(script, files, { registers })).toMatchObject({ status: 'error' })
    expect(files.getFileContents('f')).toBe('a')
    expect(await files.fileExists('g')).toBe(false)
    expect(registers).toEqual({ registers: new Map(), nextSavedId: 1 })
  })

  it('with a delimiter inside its text is given a hint [EDL-12]', async () => {
    expect(await parseError('file f\nreplace <<END\na\nEND\nb\nEND\n')).toMatch(
      /^Parse error: Unknown command: b \(line 5, column 1\)\nHint: The heredoc delimiter END .* unique/,
    )
    expect(await parseError('file f\nreplace <<END\na\nEND\nb\n')).not.toContain('Hint')
  })

  it('with the line ends of Windows is given a hint', async () => {
    expect(await parseError('file f\r\nreplace <<END\r\na\r\nEND\r\n')).toContain('CRLF')
  })

  it.each(['3', '3:', '3:1', 'bof', 'eof', '2-4', 'bof-eof', '1:0-2:3'])(
    'because a position, %s, stands where a text should: told what to do [EDL-15]',
    async (position) => {
      for (const command of ['replace', 'insert_before', 'insert_after']) {
        const error = await parseError(`file f\n${command} ${position}`)
        expect(error).toContain(`${command} operates on the current selection`)
        expect(error).toContain(`select ${position} first`)
      }
      expect(await parseError(`file f\ncut ${position}`)).toContain('is a position')
    },
  )

  it.each(['3a', 'bofs', 'eof-', 'r-1', '1:2:3'])(
    'unless %s only looks like a position: that is a register [EDL-15]',
    async (name) => {
      expect(await edited('a', `replace ${name}`)).toBe(
        `! Register "${name}" is empty or does not exist`,
      )
    },
  )
})

describe('a script without a file', () => {
  it.each(['select /a/', 'delete', 'cut r', 'replace "a"\nfile f'])(
    '%j is refused',
    async (script) => {
      const files = new InMemoryFileIO({ f: 'a' })
      expect(await runScript(script, files)).toEqual({
        status: 'error',
        error: "No file selected. Use 'file' command first.",
      })
    },
  )
})
