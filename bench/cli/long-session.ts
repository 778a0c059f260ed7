// A long session of Claude Code: the sample session again and again, each time with ids of its own.
import { readFileSync } from 'node:fs'

type Fields = Record<string, unknown>

const SAMPLE = new URL('../../samples/session.jsonl', import.meta.url)

/** Lines, until they have so many bytes. */
export function* longSession(bytes: number): Generator<string> {
  const lines = readFileSync(SAMPLE, 'utf8').trimEnd().split('\n')
  let parentUuid: string | null = null
  let written = 0
  for (let time = 1; ; time += 1) {
    for (const text of lines) {
      const line = again(JSON.parse(text), time)
      if (typeof line.uuid === 'string') {
        line.parentUuid = parentUuid
        parentUuid = line.uuid
      } else if (time > 1) continue
      const copy = `${JSON.stringify(line)}\n`
      written += Buffer.byteLength(copy)
      yield copy
      if (written >= bytes) return
    }
  }
}

function again(line: Fields, time: number): Fields {
  const name = (id: unknown) => (typeof id === 'string' ? `${id}-${time}` : id)
  const message = line.message as Fields | undefined
  if (typeof line.uuid === 'string') line.uuid = name(line.uuid)
  if (message?.id !== undefined) message.id = name(message.id)
  const blocks = Array.isArray(message?.content) ? (message.content as Fields[]) : []
  for (const block of blocks)
    for (const field of ['id', 'tool_use_id']) if (field in block) block[field] = name(block[field])
  return line
}
