// Asks the command for the user's pins: it knows the store and settings, and the host may use another
// JavaScript engine.
import { spawn } from 'node:child_process'

/** More than it takes; a host must not wait for ever. */
const TIMEOUT_MS = 20_000

/** Empty if the command fails; the failure log says why. */
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
    // The hook may end before it reads everything.
    child.stdin.once('error', () => resolve(''))
    child.stdin.end(JSON.stringify(input))
  })
}
