// The messages of a Chat Completions call: answers, one tool message per call, and user messages.

import type { Fields, Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import {
  type Draft,
  finished,
  joinedUsers,
  otherDraft,
  resultsInWords,
  toolDrafts,
  userDraft,
  withAnswerBetween,
} from '../drafts.ts'
import { type IdRule, WireIds, type WireNames } from '../names.ts'
import {
  argumentsText,
  isSendable,
  type Piece,
  piecesOfPart,
  readTexts,
  readUrl,
  thinkingText,
} from '../pieces.ts'
import {
  type AnswerTurn,
  alternating,
  findCalls,
  findTurns,
  type Note,
  opened,
  spoken,
  type Turn,
} from '../rounds.ts'
import { withinImageLimits } from './image-limits.ts'
import type { ChatProfile } from './profile.ts'

const PARAGRAPH = '\n\n'

/** Mistral's older models reject a user message right after a result. */
const BETWEEN: Fields = { role: 'assistant', content: '[tool results received]' }

export function chatMessages(
  messages: readonly Message[],
  profile: ChatProfile,
  names: WireNames,
  note: Note,
): Json[] {
  const limited = withinImageLimits(messages, note)
  const takes = (part: MessagePart) =>
    isSendable(part, profile.provider, profile.backend === 'deepseek', note)
  const turns = spoken(findTurns(limited, takes, note))
  const shaped = profile.strict ? opened(alternating(turns)) : turns
  const ids = new WireIds(idRule(profile), note)
  const nameFields = (name: string): Fields => (profile.backend === 'qwen' ? { name } : {})
  const lastUser = shaped.findLastIndex(({ role }) => role === 'user')
  const drafts = shaped.flatMap((turn, index): Draft[] => {
    if (turn.role === 'user')
      return [userDraft(turn.parts.flatMap((part) => piecesOfPart(part, profile.accepts, note)))]
    ids.nextAnswer()
    const isInLoop = profile.strict || index > lastUser
    return [
      otherDraft(answerMessage(turn, ids, names, profile, isInLoop)),
      // A tool message contains only text: images and files of the round follow in a user message.
      ...toolDrafts(resultsInWords(turn, names, profile.accepts, note), ids, nameFields),
    ]
  })
  return finished(arranged(drafts, profile), userMessage)
}

function arranged(drafts: readonly Draft[], { strict, backend }: ChatProfile): readonly Draft[] {
  if (!strict) return drafts
  const joined = joinedUsers(drafts)
  return backend === 'mistral' ? withAnswerBetween(joined, BETWEEN) : joined
}

function idRule({ backend }: ChatProfile): IdRule {
  return backend === 'mistral' ? { maxChars: 9, exactChars: 9 } : { maxChars: 40 }
}

/** Thinking is sent back only if required: with the calls of the running loop. */
function answerMessage(
  turn: AnswerTurn,
  ids: WireIds,
  names: WireNames,
  profile: ChatProfile,
  isInLoop: boolean,
): Fields {
  const text = answerText(turn)
  const calls = findCalls(turn).map(({ id, name, arguments: value }) => ({
    id: ids.of(id),
    type: 'function',
    function: { name: names.of(name), arguments: argumentsText(value) },
  }))
  const isThought = profile.backend === 'deepseek' && calls.length > 0 && isInLoop
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 && !profile.strict ? null : text,
    ...(isThought && { reasoning_content: thinkingText(turn.parts) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** Adjacent text is one text; text separated by a call or thinking is a new paragraph. */
export function answerText(turn: Turn): string {
  const texts: string[] = []
  turn.parts.forEach((part, index) => {
    if (part.type !== 'text') return
    if (turn.parts[index - 1]?.type === 'text') texts.push(`${texts.pop() ?? ''}${part.text}`)
    else texts.push(part.text)
  })
  return texts.join(PARAGRAPH)
}

/** Plain text if possible: not every server reads a list of parts. */
function userMessage(pieces: readonly Piece[]): Json {
  const texts = readTexts(pieces)
  const isText = texts.length === pieces.length
  return { role: 'user', content: isText ? texts.join(PARAGRAPH) : pieces.map(wirePart) }
}

function wirePart(piece: Piece): Json {
  switch (piece.type) {
    case 'text':
      return { type: 'text', text: piece.text }
    case 'image':
      return { type: 'image_url', image_url: { url: readUrl(piece) } }
    case 'file': {
      const data = `data:${piece.mimeType};base64,${piece.data}`
      return { type: 'file', file: { filename: piece.name, file_data: data } }
    }
  }
}
