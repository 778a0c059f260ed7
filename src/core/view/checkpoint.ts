// Checkpoints: places the agent can name to replace ranges between them.
import type { ThreadEvent } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import type { ProviderCheckpointContent } from './message.ts'

const LENGTH = 6

const RADIX = 36

const COUNT = BigInt(RADIX) ** BigInt(LENGTH)

/** Coprime to COUNT, so every number up to COUNT gives a different id. */
const STEP = 1_234_567_891n

const START = 1_000_003n

const WHOLE_TEXT = /^<checkpoint:([A-Za-z0-9]{6})>$/

/**
 * The id of a thread's next checkpoint, unique without a lookup. Not a secret: an id in some text names
 * nothing.
 */
export function generateCheckpointId(issued = 0): string {
  const scattered = (START + BigInt(issued) * STEP) % COUNT
  return scattered.toString(RADIX).padStart(LENGTH, '0')
}

export function createCheckpointContent(id: string): ProviderCheckpointContent {
  return { type: 'checkpoint', id }
}

/** The checkpoint as text for a provider. */
export function checkpointToText(id: string): string {
  return `<checkpoint:${id}>`
}

/** The checkpoint a whole text names, if the thread issued it; otherwise it is ordinary text. */
export function readCheckpointText(
  text: string,
  issued: ReadonlySet<string>,
): ProviderCheckpointContent | undefined {
  const id = WHOLE_TEXT.exec(text)?.[1]
  return id !== undefined && issued.has(id) ? createCheckpointContent(id) : undefined
}

/** The number of checkpoints a thread has issued. */
export const checkpointsReducer: Reducer<number> = {
  name: 'checkpoints',
  version: 1,
  init: () => 0,
  step: (issued: number, event: ThreadEvent) => (event.type === 'CHECKPOINT' ? issued + 1 : issued),
  encode: (issued) => issued,
  decode(json) {
    if (typeof json !== 'number') throw new TypeError('no number of checkpoints')
    return json
  },
}
