// Two hours of random requests, session files, EDL scripts and bodies; PRECIS_FUZZ_MINUTES chooses another sum.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { SEED } from '../scale.ts'
import { within } from '../wait.ts'

const FUZZ = fileURLToPath(new URL('../../scripts/fuzz.ts', import.meta.url))
const KINDS = ['requests', 'formats', 'edl', 'bodies']
const MINUTES = Number(process.env.PRECIS_FUZZ_MINUTES ?? 120) / KINDS.length
/** What it takes to start, and to end the case that is under way. */
const SLACK_MS = 300_000
const LIMIT_MS = MINUTES * 60_000 + SLACK_MS

it.each(KINDS)(
  `random %s for ${MINUTES} minutes break no rule (seed ${SEED})`,
  async (kind) => {
    const args = [FUZZ, '--what', kind, '--minutes', String(MINUTES), '--seed', String(SEED)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = `${said}${text}`.slice(-20_000)
        process.stdout.write(text)
      })
    const [code] = await within(`the fuzzing of ${kind}`, once(child, 'close'), LIMIT_MS)
    expect(code, said).toBe(0)
    expect(said).toContain('no rule broken; go on with')
  },
  LIMIT_MS + SLACK_MS,
)
