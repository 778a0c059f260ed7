// A folder to run `precis` in as people do: its streams, its exit code, and the files it leaves.
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect } from 'vitest'
import { PRECIS, type Ran, runPrecis } from './run.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export { PRECIS }

interface RunOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Of a terminal; without it, the output goes to a pipe. */
  readonly columns?: number
}

export class Place {
  readonly folder: string
  readonly #given = new Set<string>()

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'precis-cli-'))
    mkdirSync(this.#bin)
    symlinkSync(PRECIS, join(this.#bin, 'precis'))
  }

  /** Whoever has installed it types its name. */
  get #bin(): string {
    return join(this.folder, '.bin')
  }

  /** The home folder is beside the files, so that what is left can be told. */
  get home(): string {
    return join(this.folder, '.home')
  }

  environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    return {
      NODE_COMPILE_CACHE, // else each place would compile everything again
      PATH: `${this.#bin}${delimiter}${PATH}`,
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, '.config'),
      PRECIS_HOME: this.home,
      ...more,
    }
  }

  /** In this process: a start takes longer than most commands do. */
  precis(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { input = '', env = {}, cwd = this.folder, columns } = options
    const terminal = columns !== undefined && { columns }
    return runPrecis(args, { cwd, input, environment: this.environment(env), ...terminal })
  }

  /** In a process of its own, through real pipes. */
  spawned(
    args: readonly string[],
    { input = '', env = {}, cwd = this.folder }: RunOptions = {},
  ): Ran {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PRECIS, ...args], {
      cwd,
      encoding: 'utf8',
      input,
      env: this.environment(env),
      maxBuffer: 256_000_000,
    })
    return { status, stdout, stderr }
  }

  /** Runs what must go well, and gives its JSON. */
  async json<T = Record<string, unknown>>(
    args: readonly string[],
    options: RunOptions = {},
  ): Promise<T> {
    const { status, stdout, stderr } = await this.precis([...args, '--json'], options)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  write(name: string, content: string | Buffer): string {
    this.#given.add(name)
    writeFileSync(join(this.folder, name), content)
    return name
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }

  /** Everything but what was given and the home folder: a failure must leave nothing behind. */
  left(): string[] {
    return readdirSync(this.folder).filter(
      (name) => !name.startsWith('.') && !this.#given.has(name),
    )
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A place for each test of a file. */
export function eachPlace(): () => Place {
  let place: Place
  beforeEach(() => {
    place = new Place()
  })
  afterEach(() => place.remove())
  return () => place
}

export function sample(name: string): string {
  return join(ROOT, 'samples', name)
}

/** Lines of a long result, so that there is something to compact. */
function longText(lines = 400): string {
  return Array.from({ length: lines }, (_, line) => `line ${line} of a long result`).join('\n')
}

/** Messages of Anthropic's API with one long result. */
export function messages(): string {
  return JSON.stringify({
    model: 'm',
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: longText() }],
      },
      { role: 'assistant', content: 'done' },
    ],
  })
}
