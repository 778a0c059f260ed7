// The same lines drawn by ink: one text for each row of the screen, the last rows change.
import { Box, render, Text } from 'ink'
import { createElement } from 'react'
import { SilentStream } from './silent-terminal.ts'

export interface InkScreen {
  readonly stream: SilentStream
  /** Resolves when it is drawn. */
  draw(lines: readonly string[]): Promise<void>
  close(): void
}

/** As often as ink can: it holds drawings back for a thousandth of a second. */
const MAX_FPS = 1_000
const LONGEST_DRAW_MS = 10_000

export function inkScreen(columns: number, rows: number): InkScreen {
  const stream = new SilentStream(columns, rows)
  const tree = (lines: readonly string[]) =>
    createElement(
      Box,
      { flexDirection: 'column', height: rows - 1 },
      lines.slice(1).map((line, row) =>
        createElement(
          Text,
          // Rows have no other name than their number.
          { key: row, wrap: 'truncate' },
          line === '' ? ' ' : line,
        ),
      ),
    )
  const options = {
    stdout: stream as unknown as NodeJS.WriteStream,
    patchConsole: false,
    exitOnCtrlC: false,
    maxFps: MAX_FPS,
  }
  const app = render(tree([]), options)
  return {
    stream,
    async draw(lines) {
      const before = stream.bytes
      app.rerender(tree(lines))
      const deadline = performance.now() + LONGEST_DRAW_MS
      while (stream.bytes === before) {
        if (performance.now() > deadline) throw new Error('ink drew nothing')
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    close: () => app.unmount(),
  }
}
