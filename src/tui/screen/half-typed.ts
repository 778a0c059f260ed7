// Detects a half-typed message; dialogs that take keys wait until it is sent
import type { Editor } from '@earendil-works/pi-tui'

export interface HalfTyped {
  readonly isThere: boolean
  /** Resolves when the editor is empty. */
  over(): Promise<void>
}

export function watchTyping(editor: Editor): HalfTyped {
  const waiting: (() => void)[] = []
  editor.onChange = (text) => {
    if (text === '') for (const goOn of waiting.splice(0)) goOn()
  }
  return {
    get isThere() {
      return editor.getText() !== ''
    },
    over() {
      if (editor.getText() === '') return Promise.resolve()
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
