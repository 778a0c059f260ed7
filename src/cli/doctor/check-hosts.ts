// The agents that précis is installed in, and what went wrong there
import { readHostFailures } from '../hosts/failure-log.ts'
import { HOSTS } from '../hosts/host-files.ts'
import { eachFile } from '../hosts/install.ts'
import type { Io } from '../process-io.ts'
import { type Finding, fault, note, well } from './local-models.ts'

const SHOWN_FAILURES = 3

export async function checkHosts(io: Io): Promise<Finding[]> {
  return [...(await checkInstalled(io)), ...(await checkFailures(io))]
}

async function checkInstalled(io: Io): Promise<Finding[]> {
  try {
    const files = await eachFile(HOSTS, undefined, 'look', io)
    const named = (state: string) => [
      ...new Set(files.filter((file) => file.state === state).map(({ host }) => host)),
    ]
    const [installed, outdated] = [named('installed'), named('outdated')]
    return [
      ...(installed.length === 0 ? [] : [well('agents', `installed in ${installed.join(', ')}`)]),
      ...outdated.map((host) =>
        note('agents', `the installation in ${host} is out of date`, `precis install ${host}`),
      ),
    ]
  } catch (thrown) {
    const { message } = thrown as Error
    return [fault('agents', message, 'Mend the file: its agent cannot read it either.')]
  }
}

async function checkFailures(io: Io): Promise<Finding[]> {
  const lines = await readHostFailures(io, SHOWN_FAILURES)
  return lines.map((line) =>
    note('agents', `failed: ${line}`, 'The agent went on without it. The same by hand shows more.'),
  )
}
