// Writes that wait together share a transaction, and each keeps its own outcome.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { within } from '../../../test/wait.ts'
import { PrecisError } from '../../core/errors.ts'
import { inFolder } from '../contract/place.ts'
import { commitTogether, type Outcome, WorkQueue } from './work-queue.ts'

function database() {
  const db = new Sqlite(':memory:')
  db.exec('CREATE TABLE notes (text TEXT UNIQUE)')
  const insert = db.prepare('INSERT INTO notes VALUES (?)')
  const write = (text: string, end: () => void = () => undefined) => {
    return () => {
      insert.run(text)
      end()
      return text
    }
  }
  const all = () => db.prepare('SELECT text FROM notes').pluck().all()
  return { db, write, all }
}

function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}

describe('commitTogether', () => {
  it('undoes a refused write alone', () => {
    const { db, write, all } = database()
    const refusal = new PrecisError('version-conflict', 'no')
    const writes = [write('a'), write('b', throwing(refusal)), write('c')]
    const outcomes = commitTogether(db, writes)
    expect(outcomes).toEqual([{ value: 'a' }, { thrown: refusal }, { value: 'c' }])
    expect(all()).toEqual(['a', 'c'])
  })
  it('after a failure gives each write a transaction of its own', () => {
    const { db, write, all } = database()
    const failure = new Error('disk')
    const outcomes = commitTogether(db, [write('a'), write('b', throwing(failure)), write('c')])
    expect(outcomes).toEqual([{ value: 'a' }, { thrown: failure }, { value: 'c' }])
    expect(all()).toEqual(['a', 'c'])
    expect(db.inTransaction).toBe(false)
  })
  it('goes on where SQLite itself ended the transaction', () => {
    const { db, write, all } = database()
    let first = true
    const once = () => {
      if (!first) return
      first = false
      db.exec('ROLLBACK')
      throw new Error('full')
    }
    const outcomes = commitTogether(db, [write('a'), write('b', once)])
    expect(outcomes).toEqual([{ value: 'a' }, { value: 'b' }])
    expect(all()).toEqual(['a', 'b'])
  })

  const GROUPS = [
    ['one write', 1],
    ['several', 2],
  ] as const

  it.each(GROUPS)('lets nobody write between a read and the write after it: %s', (_, size) =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const [own, other] = [new Sqlite(path), new Sqlite(path, { timeout: 0 })]
      own.pragma('journal_mode = WAL')
      own.exec('CREATE TABLE notes (number INTEGER)')
      const count = own.prepare('SELECT count(*) FROM notes').pluck()
      const meanwhile = other.prepare('INSERT INTO notes VALUES (-1)')
      const write = () => {
        const number = count.get()
        expect(() => meanwhile.run()).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }))
        own.prepare('INSERT INTO notes VALUES (?)').run(number)
        return number
      }
      const outcomes = commitTogether(
        own,
        Array.from({ length: size }, () => write),
      )
      expect(outcomes).toEqual([{ value: 0 }, { value: 1 }].slice(0, size))
      meanwhile.run()
      for (const db of [own, other]) db.close()
    }),
  )

  it.each(GROUPS)('throws and does nothing where somebody else writes: %s', (_, size) =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const [own, other] = [new Sqlite(path, { timeout: 0 }), new Sqlite(path)]
      own.exec('CREATE TABLE notes (number INTEGER)')
      other.exec('BEGIN IMMEDIATE')
      let begun = 0
      const writes = Array.from({ length: size }, () => () => {
        begun += 1
      })
      expect(() => commitTogether(own, writes)).toThrow(
        expect.objectContaining({ code: 'SQLITE_BUSY' }),
      )
      expect(begun).toBe(0)
      for (const db of [own, other]) db.close()
    }),
  )
})

describe('WorkQueue', () => {
  const busy = Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
  const soon = () => performance.now() + 60_000

  it('commits all writes that wait in one go, after the reads', () => {
    const groups: number[] = []
    const order: string[] = []
    const queue = new WorkQueue((writes) => {
      groups.push(writes.length)
      return writes.map((write) => ({ value: write() }))
    })
    const work = (name: string) => ({
      run: () => name,
      done: (outcome: Outcome<unknown>) => order.push(JSON.stringify(outcome)),
      length: 10,
      deadline: soon(),
    })
    for (const name of ['w1', 'w2', 'w3']) queue.addWrite(work(name))
    queue.addRead(work('r1'))
    queue.run()
    expect(groups).toEqual([3])
    expect(order).toEqual(['r1', 'w1', 'w2', 'w3'].map((value) => JSON.stringify({ value })))
    for (let index = 0; index < 1200; index += 1) queue.addWrite(work('w'))
    queue.addWrite({ ...work('large'), length: 1e9 })
    queue.run()
    expect(groups.slice(1)).toEqual([500, 500, 200, 1])
  })

  it('tries again while the database is busy, and lets reads pass', async () => {
    let attempts = 0
    const queue = new WorkQueue((writes) => {
      attempts += 1
      if (attempts < 4) throw busy
      return writes.map((write) => ({ value: write() }))
    })
    const order: unknown[] = []
    const written = new Promise((resolve) => {
      queue.addWrite({ run: () => 'w', done: resolve, length: 0, deadline: soon() })
    })
    queue.run()
    queue.addRead({
      run: () => 'r',
      done: (outcome) => order.push(outcome),
      length: 0,
      deadline: soon(),
    })
    queue.run()
    expect(order).toEqual([{ value: 'r' }])
    expect(await written).toEqual({ value: 'w' })
    expect(attempts).toBe(4)
  })

  it('gives up at the deadline, and then closes', async () => {
    const queue = new WorkQueue(throwing(busy))
    const outcome = new Promise((resolve) => {
      queue.addWrite({ run: () => 'w', done: resolve, length: 0, deadline: performance.now() + 5 })
      queue.run()
    })
    expect(await within('the write to be given up', outcome)).toEqual({ thrown: busy })
    const empty = new Promise<void>((resolve) => {
      queue.whenEmpty(resolve)
      queue.run()
    })
    await within('the queue to be empty', empty)
  })
})
