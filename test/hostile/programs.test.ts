// Hostile folders: programs that lie in the workspace, secrets in the environment, and what outlives a command.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { codingTools } from '../../src/tools/index.ts'
import { safePath } from '../../src/tools/process/environment.ts'
import { openWorkspace, type Workspace } from '../../src/tools/workspace.ts'
import { setUpApp } from '../server/setup.ts'
import {
  call,
  outcomeOf,
  seen,
  temporaryFolder,
  workspaceWith,
} from '../tools/temporary-workspace.ts'

function toolOf(workspace: Workspace, name: string) {
  const tool = codingTools({ workspace, run: { graceMs: 300 } }).find((each) => each.name === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}`)
  return tool
}

/** A program that says that it ran. */
function plant(folder: string, name: string, mark: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\necho x > '${mark}'\nexit 1\n`)
  chmodSync(join(folder, name), 0o755)
}

/** Ways in which a folder gets onto a PATH; each gives the entry. */
const ENTRIES: readonly (readonly [string, (root: string) => string])[] = [
  ['relative', () => './node_modules/.bin'],
  ['relative without a dot', () => 'node_modules/.bin'],
  ['empty, which means here', () => ''],
  ['a dot', () => '.'],
  ['absolute', (root) => join(root, 'node_modules', '.bin')],
  ['absolute by a detour', (root) => join(root, 'src', '..', 'node_modules', '.bin')],
  [
    'a link from outside',
    (root) => {
      const link = join(temporaryFolder(), 'bin')
      symlinkSync(join(root, 'node_modules', '.bin'), link)
      return link
    },
  ],
]

describe('a program of the workspace', () => {
  it.each(ENTRIES)('is not run where its folder is on the PATH: %s', async (_, entry) => {
    const workspace = workspaceWith({ 'a.txt': 'needle\n', 'src/': '' })
    const { root } = workspace
    const mark = join(root, 'RAN')
    for (const folder of [root, join(root, 'node_modules', '.bin')])
      for (const name of ['rg', 'git', 'ls']) plant(folder, name, mark)
    vi.stubEnv('PATH', [entry(root), process.env.PATH].join(delimiter))
    const before = process.cwd()
    process.chdir(root)
    try {
      expect(await outcomeOf(toolOf(workspace, 'search'), { pattern: 'needle' })).toEqual([
        'completed',
        'a.txt:1:needle',
      ])
      await call(toolOf(workspace, 'run'), { command: 'ls; git --version' })
    } finally {
      process.chdir(before)
      vi.unstubAllEnvs()
    }
    expect(existsSync(mark)).toBe(false)
  })

  it.each([
    ['in the repository', '.git/', 'tools'],
    ['where npx finds it, without a repository', 'x/', 'node_modules/.bin'],
  ])('is not run where it lies above, %s', async (_, mark, bin) => {
    const { root } = workspaceWith({ [mark]: '', 'packages/a/a.txt': 'needle\n' })
    const ran = join(root, 'RAN')
    for (const name of ['rg', 'git', 'ls']) plant(join(root, bin), name, ran)
    const workspace = openWorkspace({ root: join(root, 'packages', 'a') })
    vi.stubEnv('PATH', [join(root, bin), process.env.PATH].join(delimiter))
    try {
      expect(await outcomeOf(toolOf(workspace, 'search'), { pattern: 'needle' })).toEqual([
        'completed',
        'a.txt:1:needle',
      ])
      await call(toolOf(workspace, 'run'), { command: 'ls; git --version' })
    } finally {
      vi.unstubAllEnvs()
    }
    expect(existsSync(ran)).toBe(false)
  })

  it('is one of the user in a repository that holds a home', () => {
    const home = temporaryFolder()
    mkdirSync(join(home, '.git'))
    mkdirSync(join(home, 'shop'))
    vi.stubEnv('HOME', home)
    try {
      const path = [join(home, 'bin'), join(home, 'shop', 'bin')].join(delimiter)
      expect(safePath(path, join(home, 'shop'))).toBe(join(home, 'bin'))
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is not run through a link in a folder outside', async () => {
    const workspace = workspaceWith({ 'a.txt': 'needle\n' })
    const mark = join(workspace.root, 'RAN')
    plant(workspace.root, 'rg', mark)
    const outside = temporaryFolder()
    symlinkSync(join(workspace.root, 'rg'), join(outside, 'rg'))
    vi.stubEnv('PATH', [outside, process.env.PATH].join(delimiter))
    await call(toolOf(workspace, 'search'), { pattern: 'needle' }).finally(() => vi.unstubAllEnvs())
    expect(existsSync(mark)).toBe(false)
  })
})

const SECRETS = [
  ...['PRECIS_STORE', 'PRECIS_HOME', 'PGPASSWORD', 'PGPASSFILE', 'DATABASE_URL', 'REDIS_URL'],
  ...['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AZURE_CLIENT_SECRET', 'GOOGLE_API_KEY'],
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'GITLAB_TOKEN', 'NPM_TOKEN', 'NODE_AUTH_TOKEN', 'HF_TOKEN'],
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'OPENAI_API_KEY', 'SLACK_TOKEN'],
  ...['SSH_AUTH_SOCK', 'GPG_PASSPHRASE', 'http_proxy', 'HTTPS_PROXY', 'MYSQL_PWD', 'SECRET'],
  ...['NODE_OPTIONS', 'LD_PRELOAD_X', 'BASH_ENV', 'ENV', 'PYTHONSTARTUP', 'GIT_ASKPASS'],
]

describe('the environment of a command', () => {
  async function environmentOf(values: Record<string, unknown> = {}): Promise<string> {
    // As paths some of these are opened, so they lead to a folder that goes away.
    const place = temporaryFolder()
    for (const name of SECRETS) {
      const isPath = name.startsWith('PRECIS_')
      vi.stubEnv(name, isPath ? join(place, `hidden-${name}`) : `hidden-${name}`)
    }
    vi.stubEnv('LC_MESSAGES', 'C')
    const calls = [{ name: 'run', arguments: { command: 'env > seen.txt; env' } }]
    const { client, folder } = await setUpApp({
      dev: { script: [{ calls }, { text: 'The end.' }] },
      values,
      agent: { approval: { mode: 'allow', allow: [], deny: [], readOnly: false } },
    })
    try {
      const { threadId } = await client.createThread({})
      await client.send(threadId, 'go')
      await expect.poll(async () => (await client.thread(threadId)).isWorking).toBe(false)
    } finally {
      vi.unstubAllEnvs()
    }
    return readFileSync(join(folder, 'seen.txt'), 'utf8')
  }

  it('has nothing but what is on the list', async () => {
    const environment = await environmentOf()
    expect(environment).not.toContain('hidden-')
    for (const name of ['PATH', 'LC_MESSAGES', 'TERM'])
      expect(environment).toMatch(new RegExp(`^${name}=.`, 'm'))
  })

  it('has what the user adds by name, and by a star no key of a provider', async () => {
    const environment = await environmentOf({
      run: { environment: ['DATABASE_URL', 'AWS_*', '*_KEY', 'OPENAI_API_KEY'] },
    })
    const seenNames = [...environment.matchAll(/hidden-(\w+)/g)].map(([, name]) => name).sort()
    expect(seenNames).toEqual([
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
      'DATABASE_URL',
      'OPENAI_API_KEY',
    ])
  })
})

/** Processes whose folder this is. */
function runningIn(root: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readlinkSync(`/proc/${name}/cwd`) === root
    } catch {
      return false // it has ended
    }
  })
}

describe('what a command leaves behind', () => {
  const WAYS: readonly (readonly [string, string])[] = [
    ['a session of its own', 'setsid sleep 600 >/dev/null 2>&1 &'],
    ['a daemon, forked twice', '(setsid sh -c "sleep 600 & exit" >/dev/null 2>&1 &);'],
    ['nohup', 'nohup sleep 600 >/dev/null 2>&1 &'],
    ['one that ignores the request', `setsid sh -c 'trap "" TERM; sleep 600' >/dev/null 2>&1 &`],
    ['one that holds the outputs', 'setsid sleep 600 &'],
  ]
  it.each(WAYS)('is ended and reported: %s', async (_, command) => {
    const workspace = workspaceWith()
    const outcome = await call(toolOf(workspace, 'run'), { command: `${command} sleep 0.3` })
    expect(seen(outcome)).toBe('[exit code 0; what it left in the background was ended]')
    await expect.poll(() => runningIn(workspace.root)).toEqual([])
  })
})
