// The commands by name, with a line on each. What one of them takes and does is loaded when it is asked for.
import type { Command } from 'commander'
import type { Io } from './process-io.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<CommandModule>
}

/** Gives a command its arguments, options, help and action. */
interface CommandModule {
  define(command: Command, io: Io): void
}

/** In the order in which the help lists them. */
export const COMMAND_TABLE: readonly CommandEntry[] = [
  {
    name: 'compact',
    summary: 'make a session file or a thread smaller',
    load: () => import('./commands/compact.ts'),
  },
  {
    name: 'inspect',
    summary: 'show what a session is made of, and what each strategy would give',
    load: () => import('./commands/inspect.ts'),
  },
  {
    name: 'import',
    summary: 'take session files into the store, as threads',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'export',
    summary: 'write a thread or a session in another format, or as a page',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'threads',
    summary: 'list the threads in the store, the latest first',
    load: () => import('./commands/threads.ts'),
  },
  {
    name: 'diff',
    summary: 'show what a compaction changed, or how two sessions differ',
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'undo',
    summary: 'take back the last compaction of a thread or a file',
    load: () => import('./commands/undo.ts'),
  },
  {
    name: 'redo',
    summary: 'bring back what was undone',
    load: () => import('./commands/redo.ts'),
  },
  {
    name: 'fork',
    summary: 'begin a thread that shares the past of another',
    load: () => import('./commands/fork.ts'),
  },
  {
    name: 'pins',
    summary: 'list, set and remove what a thread keeps word for word',
    load: () => import('./commands/pins.ts'),
  },
  {
    name: 'recall',
    summary: 'search everything that was ever said, compacted or not',
    load: () => import('./commands/recall.ts'),
  },
  {
    name: 'show',
    summary: 'read what a ref stands for, word for word',
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'chat',
    summary: 'talk with an agent in the terminal',
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'serve',
    summary: 'serve the API and the web page, to this machine or to a team',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'token',
    summary: 'make, list and revoke the tokens of a server',
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'send',
    summary: 'send one message to an agent and show its answer',
    load: () => import('./commands/send.ts'),
  },
  {
    name: 'check',
    summary: 'tell whether a provider would accept a request or a history',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'store',
    summary: 'copy, back up and check stores',
    load: () => import('./commands/store.ts'),
  },
  {
    name: 'config',
    summary: 'show every setting, its value and where it is from',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong with this installation, and say the fix',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands in a shell',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'start',
    summary: 'compact the sample session, or your own, and show what to try next',
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'edl',
    summary: 'edit the files of a folder by a script in EDL',
    load: () => import('./commands/edl.ts'),
  },
  {
    name: 'dev-model',
    summary: 'serve a strict, deterministic stand-in for model providers on this machine',
    load: () => import('./commands/dev-model.ts'),
  },
]
