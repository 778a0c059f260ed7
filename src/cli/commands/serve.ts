// `precis serve`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import { collect } from '../options.ts'
import type { Io } from '../process-io.ts'
import type { ServeFlags } from '../serve.ts'

const HELP = `
Who may ask:
  Whoever has a token. That of this machine is made at the first start, in a file that only you can
  read; the printed address hands it to the page. Beyond this machine (--host) each person needs one
  of their own: precis token add NAME. Then each owner sees only their own threads.

What it may do:
  Without --workspace agents have no files. With it they may read there; before they write or run
  something they ask, unless that is allowed: --allow.

Examples:
  precis serve --model dev                       try it without a key
  precis serve --workspace .                     with the files of this folder
  precis serve --host 0.0.0.0 --name precis.example --store postgres://me@host/team

Exit codes: 0 stopped, 1 failed, 2 wrong usage or settings. More: docs/server.md.`

export function define(command: Command, io: Io): void {
  command
    .option('--port <number>', 'the port to listen on; 0 takes a free one', '4747')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--store <address>', 'in place of the store of your settings: a file, or postgres://…')
    .option('--model <name>', 'provider/model, or dev, the stand-in')
    .option('--preset <id>', 'how threads are compacted')
    .option('--name <host>', 'a further name of this server; may be given again', collect)
    .option('--origin <origin>', 'pages of this origin may ask, too; may be given again', collect)
    .option(
      '--workspace <folder>',
      'a folder that threads may work in; may be given again, new threads get the first',
      collect,
    )
    .option(
      '--allow <pattern>',
      'what agents may do without asking, as in "run:npm test*"; may be given again',
      collect,
    )
    .option('--read-only', 'let agents only read')
    .option('--rate <number>', 'requests a minute for each owner, or each address', '3000')
    .option('--grace <seconds>', 'how long running turns may go on when it is stopped', '20')
    .option(
      '--no-token',
      'answer every user and program of this machine: they can read your threads, run commands as you, and approve them',
    )
    .option('--json', 'print where it listens as JSON')
    .addHelpText('after', HELP)
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../serve.ts')
      await serve(flags, io)
    })
}
