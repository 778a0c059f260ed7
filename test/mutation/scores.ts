// What a run of mutation testing came to: survivors, scores, and whether a folder has fallen.
import type { Mutant } from './mutants.ts'

export interface Outcome {
  readonly name: string
  readonly all: number
  readonly disabled: number
  readonly results: readonly { readonly mutant: Mutant; readonly status: string }[]
  readonly seconds: number
}

/** A row of scores.json. */
export interface Score {
  readonly seed: number
  readonly sampled: number
  readonly killed: number
  /** Percent, with one digit. */
  readonly score: number
}

/** A source that no longer loads, and a test that no longer ends, are failures of the tests. */
const KILLED: ReadonlySet<string> = new Set(['Killed', 'Timeout', 'RuntimeError'])
const NOTES: Readonly<Record<string, string>> = {
  NoCoverage: ' (no test runs it)',
  Timeout: ' (killed: it took too long)',
}
const TEXT_LIMIT = 100
/** What is shown of an equal beginning of two long texts. */
const SHARED_SHOWN = 20

export function scoreOf({ results }: Outcome, seed: number): Score {
  const killed = results.filter(({ status }) => KILLED.has(status)).length
  return {
    seed,
    sampled: results.length,
    killed,
    score: results.length === 0 ? 0 : Math.floor((killed / results.length) * 1000) / 10,
  }
}

/** Of each folder the higher score, and the newer one where both are the same. */
export function highestOf(
  older: Readonly<Record<string, Score>>,
  newer: Readonly<Record<string, Score>>,
): Record<string, Score> {
  const isLower = ([name, { score }]: [string, Score]) => score < (older[name]?.score ?? 0)
  const raised = Object.entries(newer).filter((entry) => !isLower(entry))
  return { ...older, ...Object.fromEntries(raised) }
}

/** Undefined where the folder is as good as it was, and as it must be. */
export function failureOf(
  name: string,
  { score, seed, sampled }: Score,
  goalPercent: number,
  committed: Score | undefined,
): string | undefined {
  const isSameSample = committed?.seed === seed && committed.sampled === sampled
  if (isSameSample && score < committed.score)
    return `${name} has ${score} %, and had ${committed.score} %`
  return score < goalPercent ? `${name} has ${score} %, its goal is ${goalPercent} %` : undefined
}

/** What to look at: survivors, and what only its time has ended, which a busy machine may do as well. */
export function survivorLines({ results }: Outcome): string[] {
  return results
    .filter(({ status }) => !KILLED.has(status) || status === 'Timeout')
    .toSorted((a, b) => comparePlaces(a.mutant, b.mutant))
    .map(({ mutant: { path, start, mutator, original, replacement }, status }) => {
      const change = changeOf(original, replacement)
      return `${path}:${start.line + 1}:${start.column + 1}  ${mutator}: ${change}${NOTES[status] ?? ''}`
    })
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => {
    const of = (status: string) => outcome.results.filter((each) => each.status === status).length
    const { sampled, killed, score } = scoreOf(outcome, 0)
    return [
      outcome.name,
      outcome.all,
      outcome.disabled,
      sampled,
      killed,
      of('Survived'),
      of('NoCoverage'),
      of('Timeout'),
      `${score} %`,
      outcome.seconds,
    ]
  })
  const head =
    'folder | mutants | disabled | sampled | killed | survived | no test | timeout | score | seconds'
  const rule = head.replaceAll(/[^|]+/g, '---')
  return [head, rule, ...rows.map((row) => row.join(' | '))].map((line) => `| ${line} |`).join('\n')
}

function comparePlaces(a: Mutant, b: Mutant): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.start.line - b.start.line || a.start.column - b.start.column
}

/** In one line. Of long texts, what is around their first difference. */
function changeOf(original: string, replacement: string): string {
  const [before, after] = [original, replacement].map((text) => text.replaceAll(/\s+/g, ' '))
  if (before === undefined || after === undefined) return ''
  let same = 0
  while (same < before.length && before[same] === after[same]) same += 1
  const isLong = Math.max(before.length, after.length) > TEXT_LIMIT
  const from = isLong ? Math.max(0, same - SHARED_SHOWN) : 0
  return `${excerpt(before, from)} → ${excerpt(after, from)}`
}

function excerpt(text: string, from: number): string {
  const end = from + TEXT_LIMIT
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${text.length > end ? '…' : ''}`
}
