// `precis store`: copies and checks stores.
import { existsSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Store } from '../../core/ports.ts'
import { shownAddress } from '../../core/text/address.ts'
import { checkStore, type StoreReport } from '../../stores/check-store.ts'
import type { LeftOut } from '../../stores/copy-notes.ts'
import { allThreads, type CopyReport, copyStore } from '../../stores/copy-store.ts'
import { openStore } from '../../stores/open-store.ts'
import type { Io } from '../process-io.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { counted, print, type Style, wrapLines } from '../terminal/terminal.ts'
import { findHome, withHome } from './home.ts'

export interface StoreFlags {
  readonly json?: boolean
  readonly repair?: boolean
  readonly accept?: boolean
}

const HOME = 'home'
const PROBLEMS_SHOWN = 20

export async function copyStores(
  from: string,
  to: string,
  { json }: StoreFlags,
  io: Io,
): Promise<void> {
  requireFile(from, io)
  if (findPlace(from, io) === findPlace(to, io)) {
    throw new PrecisError('usage', 'A store cannot be copied into itself.', {
      hint: 'Name another file, or postgres://….',
    })
  }
  await withStore(io, from, { mustExist: true }, async (source) => {
    await allThreads(source) // an unreadable source creates no target
    await withTarget(io, to, async (target) => {
      const name = from === HOME ? HOME : shownAddress(from)
      try {
        const report = await withProgress(io, (onThread) =>
          copyStore(source, target, { name, onThread }),
        )
        await print(io, report, json, copyLines)
      } catch (thrown) {
        const problems = PrecisError.is(thrown) ? thrown.details.problems : undefined
        if (Array.isArray(problems)) await print(io, { problems }, json, leftOutLines)
        throw thrown
      }
    })
  })
}

/** Removes a target file that was created for a copy which copied nothing. */
async function withTarget(io: Io, to: string, work: (target: Store) => Promise<void>) {
  const path = resolve(io.cwd, pathIn(to) ?? '')
  const isNew = pathIn(to) !== undefined && !existsSync(path)
  let isEmpty = false
  try {
    await withStore(io, to, {}, async (target) => {
      try {
        await work(target)
      } catch (thrown) {
        isEmpty = (await allThreads(target)).length === 0
        throw thrown
      }
    })
  } finally {
    if (isNew && isEmpty)
      for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true })
  }
}

/** Fails if a problem remains. */
export async function checkOneStore(
  address: string,
  { json, repair = false, accept = false }: StoreFlags,
  io: Io,
): Promise<void> {
  requireFile(address, io)
  if (accept && !repair)
    throw new PrecisError('usage', '--accept works only with --repair.', {
      hint: 'Without --repair nothing is changed, so there is nothing to accept.',
    })
  // A check never writes. A missing user store is empty.
  const looked = repair || address !== HOME ? address : (findHome(io) ?? 'memory:')
  await withStore(io, looked, { mustExist: true, readOnly: !repair }, async (store) => {
    const options = { isRepair: repair, isAccept: accept }
    const report = await withProgress(io, (onThread) => checkStore(store, { ...options, onThread }))
    await print(io, report, json, checkLines)
    const left = report.problems.filter(({ isMended }) => !isMended).length
    if (left === 0) return
    throw new PrecisError('store-corrupt', `The store has ${left} problems.`, {
      hint: '--repair fixes derived data. Restore a log from a copy, or rescue what is readable with `precis store copy`.',
    })
  })
}

/** A mistyped path must not create a store that is then found to be empty. */
function requireFile(address: string, { cwd }: Io): void {
  const path = pathIn(address)
  if (path === undefined || shownAddress(path) !== path || existsSync(resolve(cwd, path))) return
  throw new PrecisError('not-found', `There is no store ${path}.`, {
    hint: 'Name an existing file, postgres://…, or home for your own store.',
    where: path,
  })
}

/** Two addresses with the same place mean one store. */
function findPlace(address: string, { cwd }: Io): string {
  const named = pathIn(address)
  if (named === undefined) return address
  const path = resolve(cwd, named)
  return existsSync(path) ? realpathSync(path) : path
}

/** Undefined if the address is not a file. */
function pathIn(address: string): string | undefined {
  const path = address.replace(/^sqlite:/i, '')
  return address === HOME || /^[a-z][a-z0-9+.-]+:/i.test(path) ? undefined : path
}

async function withStore<T>(
  io: Io,
  address: string,
  options: { readonly mustExist?: boolean; readonly readOnly?: boolean },
  work: (store: Store) => Promise<T>,
): Promise<T> {
  if (address === HOME) return withHome(io, ({ store }) => work(store))
  const store = await openStore(address, { ...options, cwd: io.cwd })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function withProgress<T>(
  io: Io,
  work: (onThread: (threadId: string, done: number, all: number) => void) => Promise<T>,
): Promise<T> {
  const line = new ProgressLine(io.stderr)
  try {
    return await work((threadId, done, all) =>
      line.say(`${done + 1} of ${all}: ${threadId}`, 'step'),
    )
  } finally {
    line.end()
  }
}

function copyLines({ threads, events, copied, detached }: CopyReport): string {
  const lines = [
    `${counted(threads, 'thread')} with ${counted(events, 'event')} in both, equal by their hashes; ${copied.toLocaleString('en-US')} copied now.`,
  ]
  if (detached.length > 0)
    lines.push(`Forks that no longer name their parent, which is gone: ${detached.length}.`)
  return `${lines.join('\n')}\n`
}

function leftOutLines(
  { problems }: { readonly problems: readonly LeftOut[] },
  _: Style,
  columns: number,
): string {
  return `${problemLines(problems, columns).join('\n')}\n`
}

function problemLines(
  problems: readonly (LeftOut & { readonly isMended?: boolean })[],
  columns: number,
): string[] {
  const lines = problems
    .slice(0, PROBLEMS_SHOWN)
    .flatMap(({ threadId, seq, problem, isMended }) => {
      const place = seq === undefined ? threadId : `${threadId} ${seq}`
      return wrapLines(`${isMended ? 'accepted or mended: ' : ''}${place}: ${problem}`, columns, '')
    })
  const more = problems.length - PROBLEMS_SHOWN
  return more > 0 ? [...lines, `and ${more} more: --json lists them all`] : lines
}

function checkLines(report: StoreReport, _: Style, columns: number): string {
  const { threads, events, hash, unverified, problems, partial, isIndexRebuilt } = report
  return `${[
    `${counted(threads, 'thread')} with ${counted(events, 'event')}, SHA-256 ${hash}`,
    ...(isIndexRebuilt ? ['the search index was rebuilt'] : []),
    ...(unverified > 0
      ? [
          `${counted(unverified, 'event')} without a hash: an older precis wrote them. A copy of the store adds hashes.`,
        ]
      : []),
    ...partial.map(
      (each) => `${each}: partial import; importing the same file again goes on with it`,
    ),
    ...problemLines(problems, columns),
    problems.length === 0 ? 'nothing is wrong' : counted(problems.length, 'problem'),
  ].join('\n')}\n`
}
