// Commands for setup, serving and maintenance: options and help. Actions are loaded on demand.
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Definitions, Io } from '../process-io.ts'
import { nearPath } from '../program-name.ts'
import type { ServeFlags } from '../serve/serve.ts'
import type { TokenFlags } from '../serve/serve-tokens.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'
import type { ConfigFlags } from '../settings/show-config.ts'
import { collect } from '../terminal/arguments.ts'
import type { StoreFlags } from '../threads/store-work.ts'

export const definitions: Definitions = {
  start: defineStart,
  config: defineConfig,
  doctor: defineDoctor,
  store: defineStore,
  serve: defineServe,
  token: defineToken,
}

const START_HELP = `
Needs no key and no network, and changes nothing. In a checkout, npm start does the same.

Examples:
  precis start
  precis start ~/.claude/projects/my-project/session.jsonl
  precis start thr_…

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

const SAMPLE = fileURLToPath(new URL('../../../samples/session.jsonl', import.meta.url))

const INTRODUCTION = `This is the sample session: a day of work on a small harbour service, as Claude
Code would have written it. précis shows what it would look like after a
compaction with the defaults; nothing is changed.

`

function defineStart(command: Command, io: Io): void {
  command
    .argument('[session]', 'a session file, a thread or an id (default: the sample session)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', START_HELP)
    .action(async (given: string | undefined, flags: ChosenBy & { json?: boolean }) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      await start(await chooseSession(given, flags, io), flags, io)
    })
  choosing(command)
}

/** Never writes: a thread keeps its context, and the proposal is stored. */
async function start(
  given: string | undefined,
  { json = false }: { readonly json?: boolean },
  io: Io,
): Promise<void> {
  const { runCompact } = await import('../compact/run-compact.ts')
  const { parseTarget } = await import('../session/formats.ts')
  const { writeStream } = await import('../terminal/io.ts')
  if (given === undefined && !json) await writeStream(io.stdout, INTRODUCTION)
  const source = given ?? nearPath(SAMPLE, io.cwd)
  const isThread = parseTarget(source, 'start', io).kind === 'thread'
  await runCompact(source, { json, ...(isThread && { dryRun: true }) }, io)
}

const CONFIG_HELP = `
Settings come from five places: the defaults, your own file, the project's file, the environment
(PRECIS_…) and the options of a command. A later place wins. An unknown key is an error that names the
nearest known key. docs/configuration.md describes every setting.

Examples:
  precis config
  precis config --json | jq '.settings[] | select(.origin != "default")'
  precis config --schema > precis-settings.schema.json

With {"$schema": "precis-settings.schema.json", …} in a settings file, editors complete and check it.

Exit codes: 0 done, 1 failed, 2 a setting is invalid.`

function defineConfig(command: Command, io: Io): void {
  command
    .option('--schema', 'print the JSON schema of settings files, for editors')
    .option('--json', 'print the settings as JSON')
    .addHelpText('after', CONFIG_HELP)
    .action(async (flags: ConfigFlags) => {
      const { showConfig } = await import('../settings/show-config.ts')
      await showConfig(flags, io)
    })
}

const DOCTOR_HELP = `
Checks Node, the settings, the data directory, the store, which API keys are set (never their values),
local models (Ollama, LM Studio) and the terminal. It sends nothing beyond this machine.
Each problem comes with its fix. docs/troubleshooting.md has more.

Examples:
  precis doctor
  precis doctor --json

Exit codes: 0 no problem found, 1 problems found.`

function defineDoctor(command: Command, io: Io): void {
  command
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', DOCTOR_HELP)
    .action(async (flags: { json?: boolean }) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      await runDoctor(flags, io)
    })
}

const STORE_HELP = `
A store is \`home\` (the store of your settings), the path of a SQLite file, or postgres://….

Examples:
  precis store copy home backup.db                            back up, even while an agent works
  precis store copy home postgres://me@host/team              copy everything to PostgreSQL
  precis store check
  precis store check backup.db --repair --json`

function defineStore(command: Command, io: Io): void {
  command.addHelpText('after', STORE_HELP)
  command
    .command('copy')
    .description('copy all threads to another store; run it again to continue')
    .argument('<from>', 'the source store')
    .argument('<to>', 'the target store, created if it does not exist')
    .option('--json', 'print the report as JSON')
    .action(async (from: string, to: string, flags: StoreFlags) => {
      const { copyStores } = await import('../threads/store-work.ts')
      await copyStores(from, to, flags, io)
    })
  command
    .command('check')
    .description(
      'verify logs by their hashes, folds and snapshots, and print a hash of the content',
    )
    .argument('[store]', 'the store', 'home')
    .option('--repair', 'delete wrong derived data and rebuild the search index')
    .option('--accept', 'with --repair: accept and list what fails verification or a copy left out')
    .option('--json', 'print the report as JSON')
    .action(async (address: string, flags: StoreFlags) => {
      const { checkOneStore } = await import('../threads/store-work.ts')
      await checkOneStore(address, flags, io)
    })
}

const SERVE_HELP = `
Access:
  Every request needs a token. The first start creates the token of this machine, in a file that only you
  can read; the printed address passes it to the page. Beyond this machine (--host), create a token for
  each person: precis token add NAME. Each owner sees only their own threads.

Permissions:
  Without --workspace, agents have no access to files. With it they may read files there. They ask before
  they write a file or run a command, unless --allow allows it.

Examples:
  precis serve --model dev                       try it without a key
  precis serve --workspace .                     with the files of this directory
  precis serve --host 0.0.0.0 --name precis.example --store postgres://me@host/team

Exit codes: 0 stopped, 1 failed, 2 wrong usage or settings. More: docs/server.md.`

function defineServe(command: Command, io: Io): void {
  command
    .option('--port <number>', 'the port to listen on; 0 picks a free port', '4747')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--store <address>',
      'the store: a SQLite file or postgres://… (default: from the settings)',
    )
    .option('--model <name>', 'provider/model, or dev for the built-in stand-in')
    .option('--preset <id>', 'how to compact threads: a preset (docs/configuration.md)')
    .option('--name <host>', 'another host name of this server; repeatable', collect)
    .option('--origin <origin>', 'allow pages of this origin; repeatable', collect)
    .option(
      '--workspace <dir>',
      'a directory for agents to work in; repeatable, new threads use the first',
      collect,
    )
    .option(
      '--allow <pattern>',
      'allow this without asking, as in "run:npm test*"; repeatable',
      collect,
    )
    .option('--read-only', 'write no file and run no command')
    .option(
      '--rate <number>',
      'the rate limit: requests per minute for each owner or address',
      '3000',
    )
    .option('--grace <seconds>', 'how long to wait for running turns when the server stops', '20')
    .option(
      '--no-token',
      'require no token: every user and program of this machine can then read your threads, run commands as you and approve them',
    )
    .option('--json', 'print the address as JSON')
    .addHelpText('after', SERVE_HELP)
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../serve/serve.ts')
      await serve(flags, io)
    })
}

const TOKEN_HELP = `
A token gives access to a server on this store (precis serve). It is shown once; the store keeps only its
hash. A thread belongs to the owner of the token that created it.

Examples:
  precis token add ada                            for Ada, who owns the threads she creates
  precis token add phone --owner ada              the same threads from another device
  precis token add me --owner local               the threads of the commands on this machine
  precis token revoke phone                       takes effect at once, on every process`

function defineToken(command: Command, io: Io): void {
  command.addHelpText('after', TOKEN_HELP)
  command
    .command('add')
    .description('create a token and print it once')
    .argument('<name>', 'the name of the token')
    .option('--owner <name>', 'the owner of its threads (default: the name)')
    .option('--store <address>', 'the store (default: from the settings)')
    .option('--json', 'print the token as JSON')
    .action(async (name: string, flags: TokenFlags) => {
      const { addOne } = await import('../serve/serve-tokens.ts')
      await addOne(name, flags, io)
    })
  command
    .command('list')
    .description('list the valid tokens by name')
    .option('--store <address>', 'the store (default: from the settings)')
    .option('--json', 'print the list as JSON')
    .action(async (flags: TokenFlags) => {
      const { listAll } = await import('../serve/serve-tokens.ts')
      await listAll(flags, io)
    })
  command
    .command('revoke')
    .description('revoke a token')
    .argument('<name>', 'the name of the token')
    .option('--store <address>', 'the store (default: from the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (name: string, flags: TokenFlags) => {
      const { revokeOne } = await import('../serve/serve-tokens.ts')
      await revokeOne(name, flags, io)
    })
}
