// Starts a script of the benchmark in a process of its own, where no other figure has left traces.
import { spawn } from 'node:child_process'

const LONGEST_MS = 20 * 60_000

/** What it printed. Its progress goes on to our stderr. */
export function outputOf(script: string, args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(process.execPath, ['--expose-gc', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LONGEST_MS,
  })
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  child.on('error', reject)
  child.on('close', (code, signal) => {
    if (code === 0) resolve(Buffer.concat(pieces).toString('utf8'))
    else reject(new Error(`${script} ended with ${signal ?? code}`))
  })
  return promise
}
