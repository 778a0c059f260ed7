// What a command takes from its `io`, and nothing from this process: folder, environment, terminal, signals.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { processIo } from '../../src/cli/process-io.ts'
import { eachPlace, messages } from './place.ts'
import { quietHost, runPrecis } from './run.ts'

const place = eachPlace()
const COLOUR = '\u001b['

function run(args: readonly string[], more: Partial<Parameters<typeof runPrecis>[1]> = {}) {
  return runPrecis(args, { cwd: place().folder, environment: place().environment(), ...more })
}

describe('the working directory', () => {
  it('is where relative paths begin: files, stores, folders for state and for work', async () => {
    const { folder } = place()
    mkdirSync(join(folder, 'work'))
    place().write('in.json', messages())
    const env = { PRECIS_HOME: 'state', PRECIS_STORE: 'sqlite:mine.db' }
    await place().json(['import', 'in.json'], { env })
    await place().json(['compact', 'in.json', '--dry-run'], { env })
    await place().json(['store', 'copy', 'mine.db', 'copied/backup.db'], { env })
    const sent = ['send', '--model', 'dev', '--cwd', 'work', '--yes', 'run touch made.txt']
    expect(await place().precis(sent, { env })).toMatchObject({ status: 0 })
    for (const file of ['mine.db', 'state/proposals', 'copied/backup.db', 'work/made.txt'])
      expect(existsSync(join(folder, file)), file).toBe(true)
  })
})

describe('the environment', () => {
  it('is what commands of an agent inherit, as far as the settings allow', async () => {
    const sent = ['send', '--model', 'dev', '--yes', 'run printenv TIDE']
    const env = { TIDE: 'ebb at four', PRECIS_RUN_ENVIRONMENT: '["TIDE"]' }
    const { stdout } = await place().precis(sent, { env })
    expect(stdout).toContain('ebb at four')
  })
})

describe('the terminal', () => {
  it('has colours and a width, unless it wants none', async () => {
    place().write('in.json', messages())
    const inspect = ['inspect', 'in.json']
    const TERM = 'xterm-256color'
    const coloured = await run(inspect, { columns: 90, environment: place().environment({ TERM }) })
    expect(coloured.stdout).toContain(COLOUR)
    const environment = place().environment({ TERM, NO_COLOR: '1' })
    expect((await run(inspect, { columns: 90, environment })).stdout).not.toContain(COLOUR)
    const widest = async (columns: number) => {
      const { stdout } = await run(['compact', '--help'], { columns })
      const [, options = ''] = stdout.split('Options:')
      return Math.max(...(options.split('\n\n')[0] ?? '').split('\n').map(({ length }) => length))
    }
    expect(await widest(200)).toBeGreaterThan(80)
    expect(await widest(70)).toBeLessThanOrEqual(70)
  })
})

describe('signals', () => {
  it('stop a turn, and nothing listens to them afterwards', async () => {
    const host = quietHost()
    const sent = ['send', '--model', 'dev', '--yes', 'run sleep 30']
    const onError = (piece: string) => {
      if (piece.includes('→ run')) host.emit('SIGINT')
    }
    const { status, stderr } = await run(sent, { host, onError })
    expect(status).toBe(1)
    expect(stderr).toContain('precis: the turn was stopped')
    expect(host.eventNames()).toEqual([])
  })

  it('end the stand-in and the server', async () => {
    for (const serving of [
      ['dev-model', '--port', '0'],
      ['serve', '--port', '0', '--model', 'dev'],
    ]) {
      const host = quietHost()
      const running = run(serving, { host })
      await expect.poll(() => host.listenerCount('SIGTERM')).toBe(1)
      host.emit('SIGTERM')
      expect(await running).toMatchObject({ status: 0, stderr: '' })
      expect(host.listenerCount('SIGTERM') + host.listenerCount('SIGINT')).toBe(0)
    }
  })
})

describe('the io of the process', () => {
  it('listens once to the errors of its streams, however often it is made', () => {
    const counts = () =>
      [processIo(), processIo()].map(({ stdout }) => stdout.listenerCount('error'))
    const [first] = counts()
    expect(counts()).toEqual([first, first])
  })
})
