// A process that measures what a compaction of a session takes in memory: `node --expose-gc THIS SETTINGS`.
import { collectGarbage } from '../measure.ts'
import { digestOf, proposeWith, sessionOf } from './extract-cost.ts'
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
collectGarbage()
const made = process.memoryUsage().heapUsed
await proposeWith(session, digest, settings)
// What a proposal leaves as garbage was in use a moment ago, and counts.
const after = process.memoryUsage().heapUsed
const report: MemoryReport = { heap: Math.max(made, after) - before, json: session.json.length }
process.stdout.write(`${JSON.stringify(report)}\n`)
