// Lists the mutants of source files, leaves out the disabled ones, and draws a seeded sample.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Instrumenter } from '@stryker-mutator/instrumenter'

export interface Mutant {
  readonly path: string
  readonly mutator: string
  /** Lines and columns from 0, as Stryker counts inside. */
  readonly start: Position
  readonly end: Position
  readonly original: string
  readonly replacement: string
  /** The first line that it changes, without the space around it. */
  readonly line: string
}

interface Position {
  readonly line: number
  readonly column: number
}

/** A mutant that no test can kill, because the program does the same with it. */
export interface Disabled {
  readonly path: string
  /** The line of the source, trimmed: line numbers change. */
  readonly line: string
  readonly mutator: string
  readonly replacement: string
  readonly reason: string
}

export async function listMutants(paths: readonly string[]): Promise<Mutant[]> {
  const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
  const files = [...sources].map(([name, content]) => ({ name, content, mutate: true }))
  const { mutants } = await new Instrumenter(SILENT).instrument(files, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  })
  return mutants.map(({ fileName, mutatorName, location: { start, end }, replacement }) => {
    const lines = (sources.get(fileName) ?? '').split('\n')
    return {
      path: fileName,
      mutator: mutatorName,
      start,
      end,
      original: textBetween(lines, start, end),
      replacement: replacement ?? '',
      line: (lines[start.line] ?? '').trim(),
    }
  })
}

/** The disabled entries that match nothing are stale: the code they speak of has changed. */
export function withoutDisabled(mutants: readonly Mutant[], disabled: readonly Disabled[]) {
  const keys = new Set(disabled.map(disabledKey))
  const left = mutants.filter((mutant) => !keys.has(disabledKey(mutant)))
  const known = new Set(mutants.map(disabledKey))
  return { left, stale: disabled.filter((each) => !known.has(disabledKey(each))) }
}

/** The same code gives the same sample, also when code beside it changes or moves. */
export function drawSample(mutants: readonly Mutant[], seed: number, count: number): Mutant[] {
  const seen = new Map<string, number>()
  return mutants
    .map((mutant) => {
      const text = JSON.stringify([
        mutant.path,
        mutant.mutator,
        mutant.line,
        mutant.original,
        mutant.replacement,
      ])
      const nth = seen.get(text) ?? 0
      seen.set(text, nth + 1)
      return { mutant, rank: createHash('sha256').update(`${seed} ${nth} ${text}`).digest('hex') }
    })
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

/** Where Stryker is to look. It finds every mutant inside of the range. */
export function rangeOf({ path, start, end }: Mutant): string {
  return `${path}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`
}

/** One name for a mutant in the command and in the runner. */
export function placeOf(
  mutant: Pick<Mutant, 'path' | 'mutator' | 'start' | 'end' | 'replacement'>,
) {
  const { path, mutator, start, end, replacement } = mutant
  const range = `${start.line}:${start.column}-${end.line}:${end.column}`
  return `${path} ${range} ${mutator} ${replacement}`
}

function disabledKey({ path, line, mutator, replacement }: Omit<Disabled, 'reason'>): string {
  return JSON.stringify([path, line, mutator, replacement.replaceAll(/\s+/g, ' ')])
}

function textBetween(lines: readonly string[], start: Position, end: Position): string {
  const part = lines.slice(start.line, end.line + 1)
  const last = part.length - 1
  return part
    .map((line, at) =>
      line.slice(at === 0 ? start.column : 0, at === last ? end.column : undefined),
    )
    .join('\n')
}

const SILENT = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => true,
  isFatalEnabled: () => true,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: console.error,
  fatal: console.error,
}
