// The chat as its commands see it: operations and state
import type {
  Client,
  CommandOutcome,
  NoticeBlock,
  StreamItem,
  ThreadDetail,
  ViewBlock,
} from '../protocol/index.ts'
import type { Dialogs } from './dialogs/dialogs.ts'

export interface ChatPorts {
  readonly client: Client
  readonly dialogs: Dialogs
  hasFile(name: string): Promise<boolean>
  /** Writes a file for the user, replacing an existing one; returns its path. */
  saveFile(name: string, text: string): Promise<string>
  onChange(): void
  onItem?(item: StreamItem): void
  /** What was not delivered, for the editor it came from. */
  /** What a command was to say next goes first: it was typed before all that waited for it. */
  onReturned(text: string, by: 'command' | 'queue'): void
  onExit(): void
  /** Resolves when no message is half typed: a question must not take its keys. */
  whenUntyped?(): Promise<void>
}

export interface OpenChat {
  readonly ports: ChatPorts
  readonly threadId: string
  readonly detail: ThreadDetail | undefined
  readonly blocks: readonly ViewBlock[]
  /** Rejects if there is no such thread and changes nothing. */
  open(threadId: string): Promise<void>
  /** Sends the text to the agent and shows the outcome. */
  send(text: string): Promise<void>
  /** Shows what a command did, and follows to another thread if the first is still open. */
  settle(from: string, outcome: CommandOutcome, command?: string): Promise<void>
  say(text: string, level?: NoticeBlock['level'], command?: string): void
  abort(): Promise<void>
  /** Clears the display; the thread is unchanged. */
  clear(): void
}
