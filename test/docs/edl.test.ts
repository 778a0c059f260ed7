// The page on EDL: its worked examples do what it says, its programs run, its tables name what there is.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InMemoryFileIO } from '../../src/edl/in-memory-file-io.ts'
import { createRegisters } from '../../src/edl/registers.ts'
import { runScript } from '../../src/edl/run.ts'
import { DEFAULT_LIMITS, SEARCHES, WRITES } from '../../src/edl/script.ts'
import { runPrecis } from '../cli/run.ts'
import { checkExamples } from './example.ts'
import { codeIn, fencesWith, fenceWith, readPage, tablesWith } from './page.ts'

const page = readPage('docs/edl.md')
const [, ...sections] = page.slice(page.indexOf('## Worked examples')).split(/^### /m)

interface Example {
  readonly title: string
  readonly before: Record<string, string>
  script: string
  readonly after: Record<string, string>
}

/** Files before, a script, files after; where files before come again, another example begins. */
function examplesOf(section: string): Example[] {
  const title = section.split('\n')[0] ?? ''
  const examples: Example[] = []
  for (const [, info = '', text = ''] of section.matchAll(/^```(.+)\n((?:.*\n)*?)```$/gm)) {
    const [, kind, path, isOpen] = /^text (before|after) (\S+)( \(no newline.*)?$/.exec(info) ?? []
    if (kind === 'before' && examples.at(-1)?.script !== '')
      examples.push({ title, before: {}, script: '', after: {} })
    const example = examples.at(-1)
    if (example === undefined) throw new Error(`${title}: begins without a file`)
    if (kind === 'before' || kind === 'after')
      example[kind][path ?? ''] = isOpen ? text.slice(0, -1) : text
    else example.script = text
  }
  return examples
}

describe('the worked examples', () => {
  const examples = sections.flatMap(examplesOf)

  it('are all twelve, two of them with a second part', () => {
    expect(sections).toHaveLength(12)
    expect(examples).toHaveLength(14)
  })

  it.each(examples)('$title [EDL-19]', async ({ before, script, after }) => {
    const files = new InMemoryFileIO(before)
    await runScript(script, files)
    const paths = Object.keys(after)
    expect(paths.length).toBeGreaterThan(0)
    expect(Object.fromEntries(paths.map((path) => [path, files.getFileContents(path)]))).toEqual(
      after,
    )
  })

  it('6 leaves the line in its register, and 7 its text with the newline [EDL-19]', async () => {
    const registers = createRegisters()
    for (const { before, script } of [examples[5], examples[6]].filter(
      (each) => each !== undefined,
    ))
      await runScript(script, new InMemoryFileIO(before), { registers })
    expect(Object.fromEntries(registers.registers)).toEqual({ r1: 'one\n', _saved_1: 'b\n' })
  })

  it('7 says what the page says, and 10 warns twice and then fails [EDL-19]', async () => {
    const results = await Promise.all(
      [6, 10, 11].map(async (index) => {
        const example = examples[index]
        const result = await runScript(example?.script ?? '', new InMemoryFileIO(example?.before))
        if (result.status === 'error') throw new Error(result.error)
        return result
      }),
    )
    const [, quoted = 'nothing'] = /`(.*expected 1 match.*?)`/.exec(sections[6] ?? '') ?? []
    expect(results[0]?.text).toContain(quoted)
    expect(results[1]?.warnings).toHaveLength(2)
    expect(results[2]?.errors[0]?.message).toContain('falls inside a previously replaced region')
  })
})

checkExamples('docs/edl.md')

describe('the page on EDL', () => {
  it('shows what the command prints', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-docs-edl-'))
    try {
      mkdirSync(join(folder, 'docs'))
      writeFileSync(join(folder, 'docs/notes.md'), 'Status: red\nOwner: A\n')
      writeFileSync(join(folder, 'change.edl'), fencesWith(page, 'edl')[0]?.text ?? '')
      const [line = '', ...printed] = fenceWith(page, 'console').text.split('\n')
      const args = line.replace('$ precis ', '').split(' ')
      const { stdout } = await runPrecis(args, { cwd: folder, environment: {} })
      expect(stdout.trimEnd().split('\n')).toEqual(printed)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('lists every command and every limit', () => {
    const cells = (...header: string[]) =>
      tablesWith(page, ...header).flatMap(({ rows }) => rows.flatMap(([cell = '']) => codeIn(cell)))
    const commands = cells('command', 'what it does').map((code) => code.split(' ')[0] ?? '')
    expect(commands.toSorted()).toEqual(
      [
        ...SEARCHES,
        ...WRITES,
        ...['file', 'newfile', 'retain_first', 'retain_last', 'retain_nth', 'delete', 'cut'],
      ].toSorted(),
    )
    const [table] = tablesWith(page, 'limit', 'at most')
    const limits = table?.rows.map(([name = '', most = '']) => [
      codeIn(name)[0],
      Number(/^[\d,]+/.exec(most)?.[0].replaceAll(',', '')),
    ])
    expect(Object.fromEntries(limits ?? [])).toEqual(DEFAULT_LIMITS)
  })
})
