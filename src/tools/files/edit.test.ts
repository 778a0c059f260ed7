// The tool `edit`: exact, unique unless asked otherwise, and careful with line breaks and bytes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { outcomeOf, workspaceWith } from '../../../test/tools/temporary-workspace.ts'
import type { Json } from '../../core/text/json.ts'
import { editTool } from './edit.ts'

interface Edited {
  readonly status: string
  readonly said: string
  readonly text: string
}

async function edit(before: string | Buffer, change: Record<string, Json>): Promise<Edited> {
  const workspace = workspaceWith({ 'a.txt': before })
  const [status, said] = await outcomeOf(editTool(workspace), { path: 'a.txt', ...change })
  return { status, said, text: readFileSync(join(workspace.root, 'a.txt'), 'utf8') }
}

describe('edit', () => {
  it.each([
    ['one', 'a b c', { oldText: 'b', newText: 'B' }, 'a B c'],
    ['to nothing', 'a b c', { oldText: ' b', newText: '' }, 'a c'],
    ['several lines', 'a\nb\nc\n', { oldText: 'a\nb', newText: 'x' }, 'x\nc\n'],
    ['all', 'a a a', { oldText: 'a', newText: 'aa', all: true }, 'aa aa aa'],
    [
      'signs that patterns have',
      'f(x) $& [a]',
      { oldText: '(x) $& [', newText: '$1 $& $$' },
      'f$1 $& $$a]',
    ],
    ['a mark at the start', '\ufeffa', { oldText: 'a', newText: 'b' }, '\ufeffb'],
    [
      'and keeps CRLF',
      'a\r\nb\r\nc\r\n',
      { oldText: 'a\nb', newText: 'x\ny\nz' },
      'x\r\ny\r\nz\r\nc\r\n',
    ],
    [
      'one line, and keeps CRLF',
      'a\r\nb\r\n',
      { oldText: 'b', newText: 'x\ny' },
      'a\r\nx\r\ny\r\n',
    ],
    [
      'mixed breaks as they are around',
      'a\nb\r\nc\r\nd\n',
      { oldText: 'b\nc', newText: '1\n2' },
      'a\n1\r\n2\r\nd\n',
    ],
    ['breaks alone where they are meant', 'a\r\nb', { oldText: '\r\n', newText: '\n' }, 'a\nb'],
  ])('replaces %s', async (_, before, change, after) => {
    const { status, text } = await edit(before, change)
    expect([status, text]).toEqual(['completed', after])
  })

  it('says what it did and where', async () => {
    const one = await edit('a\nb\nc', { oldText: 'b', newText: 'x' })
    expect(one.said).toBe('Edited a.txt: 1 replacement, line 2.')
    const many = await edit('a\nb\n'.repeat(12), { oldText: 'b', newText: 'x', all: true })
    expect(many.said).toBe(
      'Edited a.txt: 12 replacements, lines 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and 2 more.',
    )
  })

  it.each([
    [
      'more than one match',
      'a\nb\na\n',
      { oldText: 'a', newText: 'x' },
      'oldText occurs 2 times in a.txt: lines 1, 3. Add lines around it until it is unique, or set `all`. Nothing was changed.',
    ],
    [
      'no match',
      'a\n',
      { oldText: 'zebra', newText: 'x' },
      'oldText does not occur in a.txt. Read the file again and copy exactly.',
    ],
    [
      'a match but for spaces',
      'if (x) {\n\treturn  y\n}\n',
      { oldText: 'if (x) {\n  return y\n}', newText: 'x' },
      'oldText does not occur in a.txt. It differs only in white space or quotes from line 1, which reads:\nif (x) {\n\treturn  y\n}',
    ],
    [
      'a match but for quotes, in the middle of lines',
      'say “one” now\nand two then',
      { oldText: '"one"  now\nand two', newText: 'x' },
      'oldText does not occur in a.txt. It differs only in white space or quotes from line 1, which reads:\nsay “one” now\nand two then',
    ],
    [
      'a first line alone',
      'const a = 1\nconst b = 2\n',
      { oldText: 'const a = 1\nconst c = 2', newText: 'x' },
      'oldText does not occur in a.txt. Only its first line is like line 1, which reads:\nconst a = 1',
    ],
    [
      'no change',
      'a',
      { oldText: 'a', newText: 'a' },
      'The edit changes nothing: both texts are the same.',
    ],
    [
      'nothing to look for',
      'a',
      { oldText: '', newText: 'a' },
      'edit: `oldText`: Too small: expected string to have >=1 characters. Fields: path, oldText, newText, all?.',
    ],
    [
      'bytes that are no text',
      Buffer.from('caf\xe9 a', 'latin1'),
      { oldText: 'a', newText: 'b' },
      'a.txt is not UTF-8 text: an edit would damage it. Use `run` with a program that understands it.',
    ],
  ])('refuses %s', async (_, before, change, sentence) => {
    const { status, said, text } = await edit(before, change)
    expect([status, said]).toEqual(['failed', sentence])
    expect(text).toBe(before.toString())
  })

  it('takes time in proportion to the file', async () => {
    const line = 'const value = compute(a, b)\n'
    /** Time of the processor, the shortest of a few: what else the machine does hardly counts. */
    const shortestMs = async (lines: number): Promise<number> => {
      const timesMs: number[] = []
      for (let round = 0; round < 3; round += 1) {
        const start = process.cpuUsage()
        const change = { oldText: 'value', newText: 'v', all: true }
        const { status, text } = await edit(line.repeat(lines), change)
        const { user, system } = process.cpuUsage(start)
        timesMs.push((user + system) / 1_000)
        expect(status).toBe('completed')
        expect(text).toBe(line.replace('value', 'v').repeat(lines))
      }
      return Math.min(...timesMs)
    }
    // Sixteen times the file: about 16 where it is in proportion, 256 where it is by the square.
    expect((await shortestMs(320_000)) / (await shortestMs(20_000))).toBeLessThan(80)
  })
})
