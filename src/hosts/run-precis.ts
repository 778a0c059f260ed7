// Runs `precis hook` for a plug-in: the host may run another JavaScript engine, so précis is a process of its own
import { spawn } from 'node:child_process'

/** Longer than any hook takes; a host must not wait for ever. */
const TIMEOUT_MS = 60_000

/** What the hook said, or an empty text: a plug-in never breaks its host. */
export function runPrecis(
  command: readonly string[],
  host: string,
  input: object,
): Promise<string> {
  const [program = 'precis', ...args] = command
  return new Promise((resolve) => {
    let said = ''
    const child = spawn(program, [...args, 'hook', host], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    })
    child.once('error', () => resolve(''))
    child.once('close', (status) => resolve(status === 0 ? said : ''))
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
    })
    // A hook that ended early reads no more.
    child.stdin.once('error', () => resolve(''))
    child.stdin.end(JSON.stringify(input))
  })
}
