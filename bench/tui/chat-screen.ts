// The chat's own screen over a transcript of so many lines, drawn on a terminal that only counts.
import { Editor, TuiAltScreen } from '@earendil-works/pi-tui'
import type { AgentFrame, ThreadEvent } from '../../src/protocol/index.ts'
import { ThreadView } from '../../src/protocol/index.ts'
import { Screen } from '../../src/tui/screen/screen.ts'
import { createTheme } from '../../src/tui/screen/theme.ts'
import { Transcript } from '../../src/tui/screen/transcript.ts'
import { SilentTerminal } from './silent-terminal.ts'

const NOON = new Date(Date.UTC(2026, 0, 1, 12))
/** Lines that one exchange of the transcript takes, blank ones included. */
const EXCHANGE_LINES = 10

export interface ChatScreen {
  readonly terminal: SilentTerminal
  /** One more token of the answer that is being given, and the screen with it. */
  token(text: string): void
  /** The answer is whole, and the next may begin. */
  finish(text: string): void
  lines(): readonly string[]
}

export function chatScreen(lineCount: number, columns: number, rows: number): ChatScreen {
  const view = new ThreadView()
  let seq = 0
  const event = (type: string, data: unknown) => {
    seq += 1
    const envelope = { v: 2, id: `e${seq}`, threadId: 'thr_bench', seq, timestamp: NOON }
    view.apply({ kind: 'event', event: { ...envelope, type, data } as ThreadEvent })
  }
  const answer = (text: string) => event('AGENT_MESSAGE', { content: text, calls: [] })
  for (let line = 0; line < lineCount; line += EXCHANGE_LINES) {
    event('USER_MESSAGE', `Question ${line}: how does **this** part work?`)
    answer(`It reads \`file-${line}.ts\`:\n\n- one\n- two\n- three\n\nAnd that is all of it.`)
  }
  const theme = createTheme(true)
  const terminal = new SilentTerminal(columns, rows)
  const tui = new TuiAltScreen(terminal, true)
  const transcript = new Transcript(theme)
  const screen = new Screen({
    theme,
    transcript,
    editor: new Editor(tui, theme.editor),
    rows: () => rows,
    nowMs: () => NOON.getTime(),
    status: () => view.status,
    detail: () => undefined,
    earlierEvents: () => 0,
    isTyping: () => false,
    onWheel: () => undefined,
    onClick: () => undefined,
  })
  tui.setLayoutRoot(screen)
  tui.start()
  transcript.show(view.blocks)
  tui.renderNow()
  return {
    terminal,
    token(text) {
      const frame: AgentFrame = { type: 'text-delta', threadId: 'thr_bench', timestamp: NOON, text }
      view.apply({ kind: 'frame', frame })
      transcript.show(view.blocks)
      tui.renderNow()
    },
    finish: answer,
    lines: () => screen.render(columns),
  }
}
