// Several processes at once on one store: nothing is lost, nothing comes twice, nobody waits for ever.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readRow } from '../../src/core/log/codec.ts'
import type { Store } from '../../src/core/ports.ts'
import { emptyContext, foldEvent } from '../../src/core/view/context.ts'
import { openStore } from '../../src/stores/index.ts'
import { Random } from '../generate/random.ts'
import { hashOf, THREAD, threadsOn } from '../kill/compact-threads.ts'
import { collect } from './collect.ts'
import { type CrowdReport, OWN, seenOf, TOGETHER } from './crowd-report.ts'

const CHILD = fileURLToPath(new URL('./crowd-child.ts', import.meta.url))
const PROCESSES = 8
/** What starting eight processes and checking their work may take on a busy machine. */
const SLACK_MS = 240_000

export interface CrowdPlace {
  readonly name: string
  /** An empty store, and what takes it away. */
  create(): Promise<{ readonly address: string; remove(): Promise<void> }>
}

export function crowdSuite({ name, create }: CrowdPlace, seconds: number): void {
  it(
    `${name}: ${PROCESSES} processes append, follow and compact for ${seconds} s: no lost update, no gap, no deadlock`,
    async () => {
      const place = await create()
      try {
        await runCrowd(name, place.address, seconds)
      } finally {
        await place.remove()
      }
    },
    seconds * 1_000 + SLACK_MS,
  )
}

async function runCrowd(name: string, address: string, seconds: number): Promise<void> {
  const store = await openStore(address)
  await threadsOn(store, new Random(0)).create({ threadId: THREAD })
  const { signal, abort } = following()
  const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`)
  const seen = collect(store, TOGETHER, signal)
  const reports = await runProcesses(address, names, seconds)
  const version = (await store.info(TOGETHER))?.version ?? 0
  const followed = await seen.upTo(version)
  abort()

  const shared = (await store.read(TOGETHER)).map((row) => row.id)
  expect(followed).toEqual(shared)
  expect(new Set(shared).size).toBe(shared.length)
  for (const [index, { ids, followed: seenThere }] of reports.entries()) {
    const own = names[index] ?? ''
    expect(shared.filter((id) => id.startsWith(`${own}:`))).toEqual(ids[TOGETHER])
    expect((await store.read(OWN(own))).map((row) => row.id)).toEqual(ids[OWN(own)])
    // What each of them saw while it followed, up to where it stopped.
    expect(seenThere.count).toBeGreaterThan(0)
    expect(seenThere).toEqual(seenOf(shared.slice(0, seenThere.count)))
  }
  expect(shared.length).toBe(
    reports.reduce((sum, { ids }) => sum + (ids[TOGETHER]?.length ?? 0), 0),
  )
  await checkTalk(store)
  await store.close()
  const total = (pick: (report: CrowdReport) => number) =>
    reports.reduce((sum, report) => sum + pick(report), 0)
  const events = total(({ ids }) => Object.values(ids).flat().length)
  process.stdout.write(
    `${name}: ${PROCESSES} processes, ${Math.round(events / seconds)} events/s, ${total((r) => r.conflicts)} conflicts, ${total((r) => r.compactions)} compactions\n`,
  )
}

/** What all said together, opened from its snapshot, is what a replay gives. */
async function checkTalk(store: Store): Promise<void> {
  const rows = await store.read(THREAD)
  expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1))
  const events = rows.map(readRow)
  const replayed = events.reduce(
    (context, event) => foldEvent(context, event, (seq) => events[seq - 1]),
    emptyContext(),
  )
  expect(replayed.ignored).toEqual([])
  const opened = await threadsOn(store, new Random(1)).context(THREAD)
  expect(hashOf(opened)).toBe(hashOf(replayed))
}

/** All begin at the same moment: when each has said that it is ready. */
async function runProcesses(
  address: string,
  names: readonly string[],
  seconds: number,
): Promise<CrowdReport[]> {
  const children = names.map((name) => {
    const args = [CHILD, address, name, String(seconds * 1_000)]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    return { child, nextLine: async (): Promise<string> => (await lines.next()).value ?? '' }
  })
  try {
    for (const { nextLine } of children) expect(await nextLine()).toBe('ready')
    for (const { child } of children) child.stdin.write('go\n')
    const said = await Promise.all(children.map(({ nextLine }) => nextLine()))
    return said.map((line): CrowdReport => JSON.parse(line))
  } finally {
    for (const { child } of children) child.kill('SIGKILL')
  }
}

function following() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
