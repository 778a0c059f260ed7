// `precis serve`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import type { ServeFlags } from '../serve/serve.ts'
import { collect } from '../terminal/arguments.ts'

const HELP = `
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

export function define(command: Command, io: Io): void {
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
    .addHelpText('after', HELP)
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../serve/serve.ts')
      await serve(flags, io)
    })
}
