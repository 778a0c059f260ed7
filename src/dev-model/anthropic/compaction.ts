// Anthropic's compaction: its block, and the check of a returned one
import type { Fields } from '../../core/text/json.ts'
import { messagesOf } from '../../validate/anthropic/conversation.ts'
import type { Violation } from '../../validate/rule.ts'
import { textOf } from '../../validate/walk.ts'
import { sealed, unsealed } from '../seal.ts'
import { prefixOf } from './thinking.ts'

export function compactionBlock(body: Fields, content: string): Fields {
  const { told } = prefixOf(body)
  const of = { prefix: told, model: textOf(body.model) ?? '' }
  return { type: 'compaction', content, signature: sealed('compaction', content, of, told) }
}

/** A signature that does not fit is refused by the API, whatever else is right (VALID-A15). */
export function checkCompactions(body: Fields): readonly Violation[] {
  return messagesOf(body)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'compaction'))
    .flatMap(({ fields, place }) => {
      const [content, signature] = [textOf(fields.content), textOf(fields.signature)]
      if (content === undefined || signature === undefined || signature === '') return []
      if (unsealed('compaction', content, signature) !== undefined) return []
      return [{ id: 'VALID-A15', where: place, message: 'the compaction is not what was signed' }]
    })
}
