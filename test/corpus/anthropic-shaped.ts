// Sessions whose files hold Anthropic messages already: those of the Cline SDK, and of Claude on the web.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList, readText } from '../../src/validate/walk.ts'
import { anthropicExchanges } from './exchanges.ts'

export function webExchanges(text: string): Exchange[] {
  const lines = readList(readFields(JSON.parse(text)).loglines).map(
    (line) => readFields(line).message,
  )
  return anthropicExchanges(lines.map((message) => signedOnly(readFields(message))))
}

/** The one sample was made by hand: its thinking was never signed, and no provider has taken it. */
function signedOnly({ role, content }: Fields): Json {
  const isSigned = (block: Json) =>
    readFields(block).type !== 'thinking' || readFields(block).signature !== undefined
  const kept = Array.isArray(content) ? content.filter(isSigned) : (content ?? null)
  return { role: role ?? null, content: kept }
}

/** The file with the messages; the others of a session describe it. */
export function clineExchanges(text: string): Exchange[] {
  const messages = readList(readFields(JSON.parse(text)).messages).map((message) => {
    const { role, content } = readFields(message)
    return { role: role ?? null, content: readList(content).map(clineBlock) }
  })
  return anthropicExchanges(messages)
}

function clineBlock(block: Json): Json {
  const fields = readFields(block)
  switch (fields.type) {
    case 'file':
      return {
        type: 'text',
        text: `${readText(fields.path) ?? ''}\n${readText(fields.content) ?? ''}`,
      }
    case 'tool_result': {
      const { name, content, ...rest } = fields
      return { ...rest, content: isBlocks(content) ? content : JSON.stringify(content ?? null) }
    }
    default:
      return block
  }
}

/** Its tools answer with records of their own, too, which are sent as text. */
function isBlocks(content: Json | undefined): content is Json {
  if (typeof content === 'string') return true
  return readList(content).every((block) => readText(readFields(block).type) !== undefined)
}
