// Ctrl-C while a command works: one line that says what is left behind, then the end of the program.
import type { Io } from '../process-io.ts'
import { writeStream } from './io.ts'

const CODES = { SIGINT: 130, SIGTERM: 143 } as const
/** The line of the progress gives way. */
const CLEAR = '\r\u001b[2K'

/** What is being written is written to its end: a signal in between waits. */
export interface Stopping {
  hold(): void
  release(): void
}

/** `left` says in a sentence what the work leaves behind if it ends now. */
export async function stoppable<Result>(
  { host, stderr }: Pick<Io, 'host' | 'stderr'>,
  left: () => string,
  work: (stopping: Stopping) => Promise<Result>,
): Promise<Result> {
  let [isHeld, isTold] = [false, false]
  let code: number | undefined
  const end = (exit: number) => {
    if (isTold) return
    isTold = true
    const line = `${stderr.isTTY ? CLEAR : ''}Stopped. ${left()}\n`
    const leave = () => host.exit(exit)
    writeStream(stderr, line).then(leave, leave)
  }
  const listeners = Object.entries(CODES).map(([signal, exit]) => {
    const hear = () => {
      if (code !== undefined) return host.exit(exit) // whoever asks twice does not wait
      code = exit
      if (!isHeld) end(exit)
    }
    return [signal, hear] as const
  })
  for (const [signal, hear] of listeners) host.on(signal, hear)
  try {
    return await work({
      hold() {
        isHeld = true
      },
      release() {
        isHeld = false
        if (code !== undefined) end(code)
      },
    })
  } finally {
    for (const [signal, hear] of listeners) host.off(signal, hear)
  }
}
