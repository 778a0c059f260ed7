// The numbered statements of docs/spec, the tests that name them, and the list of those to come.
import type { SourceFile } from './finding.ts'

/** `LOG-07`, `NEED-12b`, `VALID-A4`. */
const ID = String.raw`(?:RANGE|WHOLE|FOLD|EDL|LOG|FRESH|ALWAYS|NEED)-\d\d[a-z]?|VALID-[ACRGOK]\d+`
/** The title of `it('…')`, `describe.each(rows)('…')`, `` test(`…`) ``. */
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g

export const LIST_PATH = 'docs/spec/to-come.md'

export interface Family {
  readonly name: string
  readonly ids: readonly string[]
  readonly missing: readonly string[]
}

interface ToCome {
  /** How long the list may be at most; a person lowers it, and only raises it with new statements. */
  readonly ceiling: number
  readonly ids: readonly string[]
}

/** Every family with its statements, and those of them that no test names. */
export function coverage(files: readonly SourceFile[]): Family[] {
  const named = namedIds(files)
  const families = Map.groupBy(statementIds(files), (id) => id.split('-')[0] ?? '')
  return [...families].map(([name, ids]) => ({
    name,
    ids,
    missing: ids.filter((id) => !named.has(id)),
  }))
}

/** Why the list and the tests do not agree, as sentences; none where they do. */
export function disagreements(files: readonly SourceFile[]): string[] {
  const families = coverage(files)
  const all = new Set(families.flatMap(({ ids }) => ids))
  const missing = new Set(families.flatMap(({ missing }) => missing))
  const { ids, ceiling } = readList(files)
  const listed = new Set(ids)
  return [
    ...[...missing]
      .filter((id) => !listed.has(id))
      .map((id) => `${id} is named by no test and is not in ${LIST_PATH}`),
    ...ids.flatMap((id, index) => {
      if (!all.has(id)) return [`${id} is in ${LIST_PATH}, and docs/spec has no such statement`]
      if (ids.indexOf(id) !== index) return [`${id} stands twice in ${LIST_PATH}`]
      return missing.has(id) ? [] : [`${id} is named by a test: remove it from the list`]
    }),
    ...sizeDisagreement(listed.size, ceiling),
  ]
}

/** The list as it should be now. The ceiling never rises here. */
export function writeList(files: readonly SourceFile[]): string {
  const missing = coverage(files).filter((family) => family.missing.length > 0)
  const count = missing.reduce((sum, family) => sum + family.missing.length, 0)
  const before = readList(files).ceiling
  const sections = missing.flatMap(({ name, missing: ids }) => [
    `## ${name}`,
    '',
    ...ids.map((id) => `- ${id}`),
    '',
  ])
  return [
    '# Statements still to come',
    '',
    'No test names these yet. The list only shrinks: `npm run statements -- --write` takes out what a test',
    'names now and lowers the ceiling. Nothing but new statements in this folder raises it, by hand.',
    '',
    `Ceiling: ${Math.min(count, before)}`,
    '',
    ...sections,
  ]
    .join('\n')
    .replace(/\n+$/, '\n')
}

/** Statements marked [P] are about the way of working: the check proves them, not a test. */
function statementIds(files: readonly SourceFile[]): string[] {
  const start = new RegExp(`^- (${ID})(?!\\w)`)
  return files
    .filter(({ path }) => /^docs\/spec\/[^/]+\.md$/.test(path) && path !== LIST_PATH)
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => !line.includes(' [P] '))
    .flatMap((line) => start.exec(line)?.[1] ?? [])
}

function namedIds(files: readonly SourceFile[]): Set<string> {
  const titles = files
    .filter(({ path }) => /\.[cm]?tsx?$/.test(path) && /test|spec|contract|e2e/.test(path))
    .flatMap(({ text }) => [...text.matchAll(TITLE)].map((found) => found[2] ?? ''))
  return new Set(titles.join('\n').match(new RegExp(`\\b(?:${ID})(?!\\w)`, 'g')) ?? [])
}

function readList(files: readonly SourceFile[]): ToCome {
  const text = files.find(({ path }) => path === LIST_PATH)?.text ?? ''
  const ceiling = /^Ceiling: (\d+)$/m.exec(text)?.[1]
  return {
    ceiling: ceiling === undefined ? Number.POSITIVE_INFINITY : Number(ceiling),
    ids: [...text.matchAll(/^- (\S+)$/gm)].map((found) => found[1] ?? ''),
  }
}

function sizeDisagreement(size: number, ceiling: number): string[] {
  if (ceiling === Number.POSITIVE_INFINITY) return [`${LIST_PATH} has no line «Ceiling: N»`]
  if (size > ceiling) return [`${LIST_PATH} has grown to ${size}; its ceiling is ${ceiling}`]
  return size < ceiling ? [`lower the ceiling of ${LIST_PATH} from ${ceiling} to ${size}`] : []
}
