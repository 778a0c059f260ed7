// The keys of the chat: one table for the code, for /help and for the documentation.
import {
  KeybindingsManager,
  type KeyId,
  matchesKey,
  setKeybindings,
  TUI_KEYBINDINGS,
} from '@earendil-works/pi-tui'

export type KeyAction =
  | 'stop'
  | 'quit'
  | 'quit-empty'
  | 'toggle-all'
  | 'compactions'
  | 'select-previous'
  | 'select-next'
  | 'page-up'
  | 'page-down'
  | 'to-end'
  | 'redraw'

export interface KeyRow {
  readonly action: KeyAction
  readonly key: KeyId
  readonly shown: string
  readonly does: string
}

export const KEYS: readonly KeyRow[] = [
  row('stop', 'escape', 'Esc', 'stop the running turn; close a dialog'),
  row('quit', 'ctrl+c', 'Ctrl+C', 'stop the running turn; clear the editor; twice: leave'),
  row('quit-empty', 'ctrl+d', 'Ctrl+D', 'leave, if the editor is empty'),
  row(
    'toggle-all',
    'ctrl+o',
    'Ctrl+O',
    'expand or collapse all tool calls, thinking and compactions',
  ),
  row('compactions', 'ctrl+g', 'Ctrl+G', 'open a compaction: summary, report, diff, undo, recall'),
  row(
    'select-previous',
    'alt+up',
    'Alt+Up',
    'select the block above; Enter expands or collapses it',
  ),
  row('select-next', 'alt+down', 'Alt+Down', 'select the block below'),
  row('page-up', 'pageUp', 'PageUp', 'scroll up, as with the mouse wheel'),
  row('page-down', 'pageDown', 'PageDown', 'scroll down'),
  row('to-end', 'alt+end', 'Alt+End', 'back to the end'),
  row('redraw', 'ctrl+l', 'Ctrl+L', 'redraw the screen'),
]

/** Editor keys worth knowing, provided by the library. */
export const EDITOR_KEYS: readonly Pick<KeyRow, 'shown' | 'does'>[] = [
  { shown: 'Enter', does: 'send; while the agent works, the message is queued' },
  { shown: 'Shift+Enter, Ctrl+J', does: 'a new line' },
  { shown: 'Tab', does: 'complete a command or a file' },
  { shown: 'Up, Down', does: 'earlier messages, at the edges of the text' },
  { shown: 'Ctrl+A, Ctrl+E', does: 'beginning and end of the line' },
  { shown: 'Ctrl+W, Ctrl+U, Ctrl+K', does: 'delete a word, to the beginning, to the end' },
  { shown: 'Ctrl+Y, Ctrl+-', does: 'paste deleted text; undo' },
]

export function keyAction(data: string): KeyAction | undefined {
  return KEYS.find(({ key }) => matchesKey(data, key))?.action
}

/** The library's scroll keys would take keys from the editor and scroll nothing here. */
export function bindKeys(): void {
  const unused = Object.keys(TUI_KEYBINDINGS).filter((name) => name.startsWith('tui.altScreen.'))
  setKeybindings(
    new KeybindingsManager(TUI_KEYBINDINGS, {
      ...Object.fromEntries(unused.map((name) => [name, []])),
      'tui.input.newLine': ['shift+enter', 'ctrl+j', 'alt+enter'],
    }),
  )
}

function row(action: KeyAction, key: KeyId, shown: string, does: string): KeyRow {
  return { action, key, shown, does }
}
