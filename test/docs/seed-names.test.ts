// The names of the five designs: what the page says exists is there, what is to come is not, none is missing.
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTING_KEYS } from '../../src/core/settings/settings.ts'
import { exportsOf } from './declarations.ts'
import { codeIn, linksOf, ROOT, readPage, tablesWith } from './page.ts'

const PAGE = 'docs/seed-names.md'
const rows = tablesWith(readPage(PAGE), 'there', 'ours', 'where').flatMap((table) => table.rows)

/** Words in the pages of the designs that are samples, values or beginnings of sentences, not names. */
const NOT_NAMES = new Set(
  `/b.md /com /compactfoo /compactx @file AI Additional ENOENT Error Expected File Final Invalid Mutations
  No P Register Thread Trace Unexpected Unknown Unterminated Warnings abc any b ceil cmd code content.startsWith
  context data.compactedEvents.length error events g lace_YYYYMMDD_xxxxxx length markdown.slice ok one params path
  text three undefined unknown`.split(/\s+/),
)

/** Why a row that names a file is wrong; undefined where it is right. */
function fault(ours: string, path: string): string | undefined {
  if (ours.startsWith('"'))
    return readPage(path).includes(ours.slice(1, -1)) ? undefined : `${path} has no text ${ours}`
  if (path === 'src/core/settings/settings.ts')
    return SETTING_KEYS.includes(ours) ? undefined : `there is not a setting ${ours}`
  const [name = '', member] = ours.split('.')
  const members = exportsOf(path).get(name)
  if (members === undefined) return `${path} exports no ${name}`
  return member === undefined || members.has(member) ? undefined : `${name} has no ${member}`
}

/** All exports and texts of the sources, for what must not be there yet. */
function sources(): { path: string; names: ReadonlyMap<string, unknown>; text: string }[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .map((path) => ({ path, names: exportsOf(path), text: readPage(path) }))
}

describe('the names of the designs', () => {
  it('that have a file are there', () => {
    const faults = rows.flatMap(([, ours = '', where = '']) => {
      const [link] = linksOf(where)
      if (link === undefined) return []
      const names = codeIn(ours)
      const path = join(dirname(PAGE), link).replaceAll('\\', '/')
      return names.length === 0
        ? [`${link} without a name`]
        : names.map((name) => fault(name, path))
    })
    expect(faults.filter((each) => each !== undefined)).toEqual([])
    expect(faults.length).toBeGreaterThan(80)
  })

  it('that are to come are not there yet', () => {
    const all = sources()
    const built = rows
      .filter(([, , where]) => where === 'to come')
      .flatMap(([, ours = '']) => codeIn(ours))
      .flatMap((name) => {
        const found = all.find(({ names, text }) =>
          name.startsWith('"') ? text.includes(name.slice(1, -1)) : names.has(name),
        )
        return found ? [`${name} is in ${found.path}: say so on the page`] : []
      })
    expect(built).toEqual([])
  })

  it('all say where they are, that they are to come, or why they are not needed', () => {
    const unclear = rows.filter(([, ours, where = '']) =>
      where.startsWith('—')
        ? ours !== '' || where.length < 10
        : where !== 'to come' && linksOf(where).length !== 1,
    )
    expect(unclear).toEqual([])
  })

  it.each(['range', 'whole', 'fold', 'edl', 'log', 'fresh'])('lack none of %s', (design) => {
    const known = new Set(rows.flatMap(([there = '']) => codeIn(there).map(nameIn)))
    const prose = readPage(`docs/spec/${design}.md`).replace(/^```[\s\S]*?^```$/gm, '')
    const lines = prose.replace(/``.*?``/g, '').split('\n')
    const names = new Set(lines.flatMap(codeIn).map(nameIn))
    const missing = [...names].filter(
      (name) => name !== undefined && !NOT_NAMES.has(name) && !known.has(name),
    )
    expect(missing).toEqual([])
  })
})

/** `chunkMessages` of `chunkMessages(markdown, …): string[]`; undefined for what is no name. */
function nameIn(code: string): string | undefined {
  return /^[/@]?[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)*(?=$|[\s(={:?|])/.exec(code)?.[0]
}
