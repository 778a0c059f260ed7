// The numbered statements of docs/spec, which of them an executed test has proven, and the two lists of
// those that none did: to come, and for `npm run test:all` alone.
import type { TestReport } from '../../scripts/check-report.ts'
import type { SourceFile } from './finding.ts'

/** `LOG-07`, `NEED-12b`, `VALID-A4`. */
const ID = String.raw`(?:RANGE|WHOLE|FOLD|EDL|LOG|FRESH|ALWAYS|NEED)-\d\d[a-z]?|VALID-[ACRGOK]\d+`

export const TO_COME = 'docs/spec/to-come.md'
export const FULL_ONLY = 'docs/spec/full-only.md'

/** `npm test`, and `npm run test:all`. */
export type Tier = 'fast' | 'all'

/** Where the last whole run of a tier leaves vitest's report; git ignores it. */
export const REPORTS: Readonly<Record<Tier, string>> = {
  fast: 'coverage/report-fast.json',
  all: 'coverage/report-all.json',
}

export interface Family {
  readonly name: string
  readonly ids: readonly string[]
  readonly missing: readonly string[]
}

/** Every family with its statements, and those of them that no test proved. */
export function coverage(files: readonly SourceFile[], report: TestReport): Family[] {
  const proven = provenIds(report)
  const families = Map.groupBy(statementIds(files), (id) => id.split('-')[0] ?? '')
  return [...families].map(([name, ids]) => ({
    name,
    ids,
    missing: ids.filter((id) => !proven.has(id)),
  }))
}

/** Why the lists and the executed tests do not agree, as sentences; none where they do. */
export function disagreements(
  files: readonly SourceFile[],
  report: TestReport,
  tier: Tier,
): string[] {
  const families = coverage(files, report)
  const all = families.flatMap(({ ids }) => ids)
  const missing = new Set(families.flatMap((family) => family.missing))
  const toCome = listedIn(files, TO_COME)
  const fullOnly = listedIn(files, FULL_ONLY)
  const excused = new Set([...toCome, ...(tier === 'fast' ? fullOnly : [])].map(({ id }) => id))
  return [
    ...[...missing]
      .filter((id) => !excused.has(id))
      .map((id) => `${id} is proven by no test that ran and passed`),
    ...listDisagreements(TO_COME, toCome, all, missing),
    // What only the full tier proves can be seen in the fast one alone.
    ...listDisagreements(FULL_ONLY, fullOnly, all, tier === 'fast' ? missing : new Set(all)),
    ...fullOnly
      .filter(({ reason }) => reason === '')
      .map(({ id }) => `${id} stands in ${FULL_ONLY} without a reason`),
    ...unknownIds(files, report),
    ...sizeDisagreement(toCome.length, ceilingOf(files)),
  ]
}

/** The list of statements to come as it should be now. The ceiling never rises here. */
export function writeList(files: readonly SourceFile[], report: TestReport): string {
  const fullOnly = new Set(listedIn(files, FULL_ONLY).map(({ id }) => id))
  const missing = coverage(files, report)
    .map((family) => ({ ...family, missing: family.missing.filter((id) => !fullOnly.has(id)) }))
    .filter((family) => family.missing.length > 0)
  const count = missing.reduce((sum, family) => sum + family.missing.length, 0)
  const sections = missing.flatMap(({ name, missing: ids }) => [
    `## ${name}`,
    '',
    ...ids.map((id) => `- ${id}`),
    '',
  ])
  return [
    '# Statements still to come',
    '',
    'No test proves these yet. The list only shrinks: `npm run statements -- --write` takes out what a test',
    'proved in the last run and lowers the ceiling. Nothing but new statements in this folder raises it, by',
    'hand.',
    '',
    `Ceiling: ${Math.min(count, ceilingOf(files))}`,
    '',
    ...sections,
  ]
    .join('\n')
    .replace(/\n+$/, '\n')
}

interface Listed {
  readonly id: string
  readonly reason: string
}

function listDisagreements(
  path: string,
  listed: readonly Listed[],
  all: readonly string[],
  missing: ReadonlySet<string>,
): string[] {
  const ids = listed.map(({ id }) => id)
  return ids.flatMap((id, index) => {
    if (!all.includes(id)) return [`${id} is in ${path}, and docs/spec has no such statement`]
    if (ids.indexOf(id) !== index) return [`${id} stands twice in ${path}`]
    return missing.has(id) ? [] : [`${id} is proven by a test: remove it from ${path}`]
  })
}

/** Statements marked [P] are about the way of working: the check proves them, not a test. */
function statementIds(files: readonly SourceFile[], isTestable = true): string[] {
  const start = new RegExp(`^- (${ID})(?!\\w)`)
  return files
    .filter(({ path }) => /^docs\/spec\/[^/]+\.md$/.test(path))
    .filter(({ path }) => path !== TO_COME && path !== FULL_ONLY)
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => !isTestable || !line.includes(' [P] '))
    .flatMap((line) => start.exec(line)?.[1] ?? [])
}

function provenIds({ testResults }: TestReport): Set<string> {
  const titles = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed')
    .map(({ fullName = '' }) => fullName)
  return new Set(titles.join('\n').match(new RegExp(`\\b(?:${ID})(?!\\w)`, 'g')) ?? [])
}

function unknownIds(files: readonly SourceFile[], report: TestReport): string[] {
  const known = new Set(statementIds(files, false))
  return [...provenIds(report)]
    .filter((id) => !known.has(id))
    .map((id) => `a test names ${id}, and docs/spec has no such statement`)
}

/** Lines such as `- LOG-07` and `- LOG-07: a reason`. */
function listedIn(files: readonly SourceFile[], list: string): Listed[] {
  const text = files.find(({ path }) => path === list)?.text ?? ''
  const line = /^- ([\w-]+)(?:: (.*))?$/gm
  return [...text.matchAll(line)].map(([, id = '', reason = '']) => ({ id, reason }))
}

function ceilingOf(files: readonly SourceFile[]): number {
  const text = files.find(({ path }) => path === TO_COME)?.text ?? ''
  return Number(/^Ceiling: (\d+)$/m.exec(text)?.[1] ?? Number.POSITIVE_INFINITY)
}

function sizeDisagreement(size: number, ceiling: number): string[] {
  if (ceiling === Number.POSITIVE_INFINITY) return [`${TO_COME} has no line «Ceiling: N»`]
  if (size > ceiling) return [`${TO_COME} has grown to ${size}; its ceiling is ${ceiling}`]
  return size < ceiling ? [`lower the ceiling of ${TO_COME} from ${ceiling} to ${size}`] : []
}
