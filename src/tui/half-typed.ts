// Whether a message is half typed. What would take the keys, a question above all, waits until it is not.
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
