// aider's chat history: Markdown with many chats per file, without the files sent to the model.
import type { Conversation } from '../reading/conversation.ts'
import { eachLine } from '../reading/lines.ts'
import type { ReadNotes } from '../reading/notes.ts'
import type { RawRecord } from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader } from '../reading/record-reader.ts'
import type { Sample, SessionFormat, Source, Step } from '../session-format.ts'

const ID = 'aider'
const STARTED = /^# aider chat started at (.+)$/

export const aider: SessionFormat = {
  id: ID,
  title: 'aider',
  losses: [],
  detect: ({ text }: Sample) => /^\s*# aider chat started at /m.test(text.slice(0, 2_000)),
  read,
}

type Kind = 'start' | 'user' | 'notice' | 'answer' | 'blank'

/** Consecutive lines of one kind form a record. */
async function* read(source: Source, notes: ReadNotes): AsyncGenerator<Step> {
  const reader = new BlockReader(ID, notes)
  let kind: Kind = 'blank'
  let first = 1
  let block: string[] = []
  const end = () => {
    const text = block.join('\n')
    const record = { at: first, raw: text }
    const reason = text.trim() === '' ? undefined : reader.readBlock(kind, text, record)
    if (text.trim() === '') reader.keep(record)
    else if (reason === undefined) notes.modelled()
    else {
      reader.keep(record)
      notes.kept(String(reason))
    }
    block = []
  }
  for await (const lines of eachLine(source, (bytes) => notes.read(bytes), 'keep')) {
    for (const { number, text } of lines) {
      const next = readKind(text)
      // Blank lines belong to their surroundings: an answer has paragraphs.
      const isSame = next === kind || (next === 'blank' && kind !== 'start')
      if (!isSame && block.length > 0) end()
      if (block.length === 0) first = number
      if (!isSame) kind = next
      block.push(text)
    }
    yield* reader.drain()
  }
  if (block.length > 0) end()
  reader.end()
  yield* reader.drain()
}

function readKind(line: string): Kind {
  if (line.trim() === '') return 'blank'
  if (STARTED.test(line)) return 'start'
  if (line.startsWith('#### ')) return 'user'
  return line.startsWith('> ') || line === '>' ? 'notice' : 'answer'
}

class BlockReader extends OneThreadReader {
  #answers = 0

  read(): KeptBecause {
    return 'not a line of Markdown'
  }

  readBlock(kind: Kind, text: string, record: RawRecord): KeptBecause {
    const words = text.trim()
    switch (kind) {
      case 'user': {
        const said = words.replace(/^#### ?/gm, '').replace(/ {2}$/gm, '')
        const isTyped = text.split('\n').every(isInput)
        this.conversation.user(said, { record }, isTyped ? 'typed' : 'model')
        return undefined
      }
      case 'answer':
        this.#answers += 1
        this.conversation.answer(`answer ${this.#answers}`, { record })
        this.conversation.part({ type: 'text', text: words })
        return undefined
      case 'notice':
        return this.#notice(words, this.conversation)
      default:
        return 'where a chat began'
    }
  }

  /** Token counts after an answer are rounded for display. */
  #notice(text: string, to: Conversation): KeptBecause {
    const found = /^> Tokens: ([\d.,]+k?) sent, (?:.*?)([\d.,]+k?) received/m.exec(text)
    const promptTokens = readCount(found?.[1])
    const completionTokens = readCount(found?.[2])
    if (promptTokens !== undefined && completionTokens !== undefined)
      to.facts({
        tokenUsage: {
          promptTokens,
          completionTokens,
          totalTokens: promptTokens + completionTokens,
        },
      })
    return 'a notice to the user'
  }
}

/** aider ends each typed line with two blanks, unlike headings in answers. */
function isInput(line: string): boolean {
  return line.trim() === '' || line.endsWith('  ')
}

function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number.parseFloat(text.replaceAll(',', ''))
  if (!Number.isFinite(number)) return undefined
  return text.endsWith('k') ? Math.round(number * 1_000) : number
}
