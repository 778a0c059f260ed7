// The agents that précis can be installed in, and what went wrong there
import { hostFailureLog, readHostFailures } from '../hosts/failure-log.ts'
import { HOSTS, type HostName } from '../hosts/host-file.ts'
import { eachFile, type FileState } from '../hosts/install.ts'
import type { Io } from '../process-io.ts'
import { type Finding, fault, note, well } from './local-models.ts'

const SHOWN_FAILURES = 3

export async function checkHosts(io: Io): Promise<Finding[]> {
  return [...(await checkInstalled(io)), ...(await checkFailures(io))]
}

async function checkInstalled(io: Io): Promise<Finding[]> {
  try {
    const files = await eachFile(HOSTS, undefined, 'look', io)
    return HOSTS.flatMap((host) =>
      checkHost(
        host,
        files.filter((file) => file.host === host),
      ),
    )
  } catch (thrown) {
    const { message } = thrown as Error
    return [fault('agents', message, 'Restore the file, or move it away.')]
  }
}

function checkHost(host: HostName, files: readonly FileState[]): Finding[] {
  const broken = files.flatMap(({ problem }) => problem ?? [])
  if (broken.length > 0)
    return broken.map((problem) =>
      fault('agents', `${host}: ${problem}`, `Fix the file, then run \`precis install ${host}\`.`),
    )
  const states = new Set(files.map(({ state }) => state))
  const fix = `precis install ${host}`
  if (states.has('outdated')) return [note('agents', `${host}: installed, but out of date`, fix)]
  if (!states.has('installed')) return [note('agents', `${host}: not installed`, fix)]
  return states.size === 1
    ? [well('agents', `${host}: installed`)]
    : [note('agents', `${host}: only a part is installed`, fix)]
}

async function checkFailures(io: Io): Promise<Finding[]> {
  const lines = await readHostFailures(io, SHOWN_FAILURES)
  if (lines.length === 0) return [well('hooks', 'no failures')]
  const fix = `The agent went on without it. All failures: ${hostFailureLog(io)}`
  return lines.map((line, index) =>
    note('hooks', `failed: ${line}`, index === lines.length - 1 ? fix : undefined),
  )
}
