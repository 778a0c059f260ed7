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
  row('stop', 'escape', 'Esc', 'stop what is going on; close what is open'),
  row('quit', 'ctrl+c', 'Ctrl+C', 'stop what is going on; empty the editor; twice: leave'),
  row('quit-empty', 'ctrl+d', 'Ctrl+D', 'leave, where the editor is empty'),
  row('toggle-all', 'ctrl+o', 'Ctrl+O', 'open or fold all tool calls, thinking and compactions'),
  row('compactions', 'ctrl+g', 'Ctrl+G', 'a compaction: summary, report, diff, undo, recall'),
  row('select-previous', 'alt+up', 'Alt+Up', 'select the block above; Enter opens or folds it'),
  row('select-next', 'alt+down', 'Alt+Down', 'select the block below'),
  row('page-up', 'pageUp', 'PageUp', 'scroll up; the mouse wheel does it as well'),
  row('page-down', 'pageDown', 'PageDown', 'scroll down'),
  row('to-end', 'alt+end', 'Alt+End', 'back to the end'),
  row('redraw', 'ctrl+l', 'Ctrl+L', 'draw the screen anew'),
]

/** Keys of the editor that are worth knowing; the library has them. */
export const EDITOR_KEYS: readonly Pick<KeyRow, 'shown' | 'does'>[] = [
  { shown: 'Enter', does: 'send; while the agent works the message waits its turn' },
  { shown: 'Shift+Enter, Ctrl+J', does: 'a new line' },
  { shown: 'Tab', does: 'complete a command or a file' },
  { shown: 'Up, Down', does: 'what you sent before, at the edges of the text' },
  { shown: 'Ctrl+A, Ctrl+E', does: 'beginning and end of the line' },
  { shown: 'Ctrl+W, Ctrl+U, Ctrl+K', does: 'delete a word, to the beginning, to the end' },
  { shown: 'Ctrl+Y, Ctrl+-', does: 'put back what was deleted; undo' },
]

export function keyAction(data: string): KeyAction | undefined {
  return KEYS.find(({ key }) => matchesKey(data, key))?.action
}

/** Those of the library for scrolling would take keys from the editor, and scroll nothing here. */
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
