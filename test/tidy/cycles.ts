// Import cycles. A cycle of types counts: files that need each other cannot be read one by one.
import type { Finding, SourceFile } from './finding.ts'
import { importsOf } from './imports.ts'

export function importCycles(files: readonly SourceFile[]): Finding[] {
  const graph = new Map<string, string[]>()
  for (const { from, target } of importsOf(files)) {
    if (target !== undefined) graph.set(from, [...(graph.get(from) ?? []), target])
  }
  return cyclesOf(graph).map((cycle) => ({
    rule: 'import-cycle',
    path: cycle[0] ?? '',
    line: 1,
    message: [...cycle, cycle[0]].join(' → '),
  }))
}

/** One cycle for each edge that leads back into the path of a depth-first walk. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const finished = new Set<string>()
  const cycles: string[][] = []
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) cycles.push(path.slice(start))
    if (start >= 0 || finished.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    finished.add(file)
  }
  for (const file of [...graph.keys()].sort()) visit(file, [])
  return cycles
}
