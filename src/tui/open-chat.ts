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
  /** Writes a file of the user's, over what is there; gives back where it is. */
  saveFile(name: string, text: string): Promise<string>
  onChange(): void
  onItem?(item: StreamItem): void
  /** What was not delivered, for the editor it came from. */
  /** What a command was to say next goes first: it was typed before all that waited for it. */
  onReturned(text: string, by: 'command' | 'queue'): void
  onExit(): void
  /** Resolves when nothing is half typed: a question must not take the keys of a message. */
  whenUntyped?(): Promise<void>
}

export interface OpenChat {
  readonly ports: ChatPorts
  readonly threadId: string
  readonly detail: ThreadDetail | undefined
  readonly blocks: readonly ViewBlock[]
  /** Rejects if there is no such thread; then nothing has changed. */
  open(threadId: string): Promise<void>
  /** As the agent understands it; with what came of it shown. */
  send(text: string): Promise<void>
  /** Shows what a command has brought about in a thread, and goes where it leads, if that is still open. */
  settle(from: string, outcome: CommandOutcome, command?: string): Promise<void>
  say(text: string, level?: NoticeBlock['level'], command?: string): void
  abort(): Promise<void>
  /** Nothing of the thread is touched: only what is drawn goes. */
  clear(): void
}
