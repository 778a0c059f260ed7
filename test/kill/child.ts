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
    writeWhole(`${line}\n`)
    // It will not live to do so at its end.
    if (line === READY) flushCompileCache()
  }
  await work({ folder, random: new Random(Number(seed)), acknowledge })
}

const PAUSE_MS = 1
const LONGEST_PAUSES = 60_000
const clock = new Int32Array(new SharedArrayBuffer(4))

/** A pipe that nobody reads for a while takes no more, or only a part: the rest is written when it does. */
function writeWhole(text: string): void {
  let rest = Buffer.from(text)
  for (let pauses = 0; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || pauses === LONGEST_PAUSES)
        throw error
      pauses += 1
      Atomics.wait(clock, 0, 0, PAUSE_MS)
    }
  }
}
