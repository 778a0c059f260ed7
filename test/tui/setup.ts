// The real chat for tests: real keys in, a real screen out, on the real app, agent and store.
import { onTestFinished } from 'vitest'
import { type Interactive, startInteractive } from '../../src/tui/interactive.ts'
import { type AppSetup, type AppSetupOptions, setUpApp } from '../server/setup.ts'
import { HeadlessTerminal } from './headless-terminal.ts'

export interface ChatSetup extends AppSetup {
  readonly terminal: HeadlessTerminal
  readonly ui: Interactive
  readonly threadId: string // the first one
  readonly saved: Map<string, string>
  /** Another terminal on the same app, in the same or another thread. */
  reopen(threadId: string): HeadlessTerminal
}

export interface ChatSetupOptions extends AppSetupOptions {
  readonly preset?: string
  readonly columns?: number
  readonly rows?: number
  readonly notice?: string
  /** Without it, what a chat does by itself: reading is allowed, everything else is asked for. */
  readonly allowAll?: boolean
}

/** Seconds do not pass: what is drawn is the same in every run. */
const NOW_MS = Date.UTC(2026, 0, 1)

export async function openChat(options: ChatSetupOptions = {}): Promise<ChatSetup> {
  const { preset = 'chat', columns = 80, rows = 24, allowAll = false, notice, ...rest } = options
  const mode = allowAll ? ('allow' as const) : ('ask' as const)
  const approval = { mode, allow: ['read:*'], deny: [], readOnly: false }
  const app = await setUpApp({ ...rest, agent: { approval, ...rest.agent } })
  const { threadId } = await app.client.createThread({ preset })
  const saved = new Map<string, string>()
  const open = (thread: string) => {
    const terminal = new HeadlessTerminal(columns, rows)
    const ui = startInteractive({
      client: app.client,
      terminal,
      threadId: thread,
      hasColor: false,
      ...(notice !== undefined && { notice }),
      nowMs: () => NOW_MS,
      hasFile: async (name) => saved.has(name),
      async saveFile(name, text) {
        saved.set(name, text)
        return `/folder/${name}`
      },
    })
    onTestFinished(() => ui.stop())
    return { terminal, ui }
  }
  const { terminal, ui } = open(threadId)
  // The smallest screens have no footer.
  await terminal.sees(/queue 0|No model is configured|^ *keys\.$/m)
  return { ...app, terminal, ui, threadId, saved, reopen: (thread) => open(thread).terminal }
}

/** Says something and waits for what the agent answers. */
export async function exchange(
  { terminal }: Pick<ChatSetup, 'terminal'>,
  said: string,
  answer: string | RegExp,
): Promise<string> {
  terminal.enter(said)
  await terminal.sees(answer)
  return terminal.sees('Esc stops it', false)
}
