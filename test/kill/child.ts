// The process that is killed: does its work in a loop, and says in one line what is surely stored.

import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Random } from '../generate/random.ts'

export interface ChildWork {
  /** Everything that is to outlive the process is in here. */
  readonly folder: string
  readonly random: Random
  /** Call it only with what was confirmed. Written at once, so that no kill comes in between. */
  acknowledge(line: string): void
}

/** The line with which a child says that it has begun. */
export const READY = 'ready'

/** For scripts that are started by the harness: `node SCRIPT FOLDER SEED`. */
export async function runChild(work: (child: ChildWork) => Promise<void>): Promise<void> {
  const [folder = '', seed = ''] = process.argv.slice(2)
  const acknowledge = (line: string) => {
    writeSync(1, `${line}\n`)
    // It will not live to do so at its end.
    if (line === READY) flushCompileCache()
  }
  await work({ folder, random: new Random(Number(seed)), acknowledge })
}
