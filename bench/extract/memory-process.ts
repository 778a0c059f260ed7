// A process that measures what a compaction of a session takes in memory: `node --expose-gc THIS SETTINGS`.
import { collectGarbage } from '../measure.ts'
import { digestOf, proposalOf, sessionOf } from './extract-cost.ts'
import type { Settings } from './settings.ts'

/** Bytes: what the digest and a proposal from it take, and what the session is as JSON. */
export interface MemoryReport {
  readonly heap: number
  readonly json: number
}

const settings: Settings = JSON.parse(process.argv[2] ?? '')
const session = sessionOf(settings, settings.chars)
collectGarbage()
const before = process.memoryUsage().heapUsed
const digest = digestOf(session.events)
const proposal = await proposalOf(session, digest, settings)
collectGarbage()
const after = process.memoryUsage().heapUsed
// Both are read afterwards, so that neither is garbage when the heap is measured.
if (proposal.edits.length === 0 || digest.lines.length === 0) throw new Error('nothing was made')
const report: MemoryReport = { heap: after - before, json: session.json.length }
process.stdout.write(`${JSON.stringify(report)}\n`)
