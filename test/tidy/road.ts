// The one road of every compaction: who may pass the gate, and who may ask for proposals or apply them.
import type { Node } from 'oxc-parser'
import { type Finding, isCode, isTest, type SourceFile } from './finding.ts'
import { nameOf, syntaxOf } from './syntax.ts'

const ROAD = 'src/compaction/'
/** What only the road calls; its doors call `compactThread`, `proposeOnly` and `applyKept` of the road. */
const OF_ROAD: ReadonlySet<string> = new Set([
  'passGate',
  'passGateWith',
  'applyCompaction',
  'judgeProposal',
  'proposeCompaction',
])
const OF_THREADS: ReadonlySet<string> = new Set(['prepare', 'apply', 'judge'])

/** A list of events without a thread passes the gate and is given back: nothing is committed. */
const WITHOUT_THREAD = 'src/strategies/as-compaction-strategy.ts'
/** The gate itself. */
const GATE = 'src/core/edit/pass-gate.ts'

export function oneRoad(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ path }) => isOutside(path)).flatMap(callsIn)
}

function isOutside(path: string): boolean {
  const isSource = path.startsWith('src/') && isCode(path) && !isTest(path)
  return isSource && !path.startsWith(ROAD) && path !== WITHOUT_THREAD && path !== GATE
}

function callsIn(file: SourceFile): Finding[] {
  const syntax = syntaxOf(file)
  const found: Finding[] = []
  syntax.visit((node) => {
    const name = forbiddenIn(node)
    if (name === undefined) return
    const message = `only ${ROAD} calls ${name}: use compactThread, proposeOnly or applyKept`
    found.push({ rule: 'one-road', path: file.path, line: syntax.lineOf(node.start), message })
  })
  return found
}

function forbiddenIn(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return undefined
  const { callee } = node
  const name = nameOf(callee)
  if (name !== undefined && OF_ROAD.has(name)) return name
  if (callee.type !== 'MemberExpression') return undefined
  const called = nameOf(callee.property)
  const owner = callee.object.type === 'MemberExpression' ? callee.object.property : callee.object
  if (called === undefined || !OF_THREADS.has(called) || nameOf(owner) !== 'threads')
    return undefined
  return `threads.${called}`
}
