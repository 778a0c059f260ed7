// Asks the command for the pins of the user: the store and the settings are its business, and the host may run another JavaScript engine
import { spawn } from 'node:child_process'

/** Longer than it takes; a host must not wait for ever. */
const TIMEOUT_MS = 20_000

/** None where the command cannot say; the log of failures tells why. */
export async function askPins(
  command: readonly string[] | undefined,
  host: string,
  input: { readonly transcript_path?: string | undefined; readonly cwd: string },
): Promise<string[]> {
  if (command === undefined) return []
  try {
    const said = await runHook(command, host, { hook_event_name: 'Pins', ...input })
    const pins: unknown = said === '' ? [] : JSON.parse(said)
    return Array.isArray(pins) ? pins.map(String) : []
  } catch (thrown) {
    const { notePluginFailure } = await import('./failure-log.ts')
    await notePluginFailure(host, thrown)
    return []
  }
}

function runHook(command: readonly string[], host: string, input: object): Promise<string> {
  const [program = 'precis', ...args] = command
  return new Promise((resolve, reject) => {
    let said = ''
    const child = spawn(program, [...args, 'hook', host], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    })
    child.once('error', reject)
    child.once('close', (status) => resolve(status === 0 ? said : ''))
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
    })
    // A hook that ended early reads no more.
    child.stdin.once('error', () => resolve(''))
    child.stdin.end(JSON.stringify(input))
  })
}
