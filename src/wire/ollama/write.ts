// Writes a model request as the body of Ollama's own chat API.
import type { ModelRequest } from '../../core/model.ts'
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
} from '../drafts.ts'
import { WireIds, WireNames } from '../names.ts'
import { answerText } from '../openai-chat/messages.ts'
import { readEffort } from '../openai-chat/profile.ts'
import {
  chatTool,
  nativeFields,
  nativeObject,
  systemText,
  type Written,
} from '../openai-chat/write.ts'
import {
  type Accepts,
  isSendable,
  type Piece,
  piecesOfPart,
  readArguments,
  readTexts,
  thinkingText,
} from '../pieces.ts'
import { wellFormed } from '../prepare.ts'
import {
  type AnswerTurn,
  alternating,
  findCalls,
  findTurns,
  type Note,
  opened,
  spoken,
} from '../rounds.ts'

export interface OllamaProfile {
  readonly provider: string
  /** The window to load the model with; absent: the server's default. */
  readonly windowTokens?: number
  readonly accepts: Accepts
  /** Models with named efforts reject true, all others reject names. */
  readonly thinking: 'none' | 'switch' | 'effort'
}

export const OLLAMA: OllamaProfile = {
  provider: 'ollama',
  accepts: { images: 'inline', files: false },
  thinking: 'switch',
}

const CALL_ID_CHARS = 40

export function writeOllama(request: ModelRequest, profile: OllamaProfile, note: Note): Written {
  const names = new WireNames(note)
  // Calls can only be forbidden by offering no tools.
  const offered = request.toolChoice === 'none' ? [] : request.tools
  const tools = offered.map((tool) => chatTool(tool, names))
  const system = systemText(request.system)
  const { windowTokens } = profile
  const body = {
    model: request.model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...ollamaMessages(request.messages, profile, names, note),
    ],
    ...(tools.length > 0 && { tools }),
    ...writeThink(request, profile),
    // New servers then report a prompt that does not fit; older ones truncate silently.
    truncate: false,
    shift: false,
    ...nativeFields(request, profile.provider),
    options: {
      ...(windowTokens !== undefined && { num_ctx: windowTokens }),
      num_predict: request.maxOutputTokens,
      ...nativeObject(request, profile.provider, 'options'),
    },
    stream: true,
  }
  return { body: wellFormed(body, note), toolName: (wireName) => names.originalOf(wireName) }
}

function writeThink({ thinking }: ModelRequest, profile: OllamaProfile): Fields {
  if (thinking === undefined || profile.thinking === 'none') return {}
  return { think: profile.thinking === 'switch' ? true : (readEffort(thinking) ?? 'medium') }
}

function ollamaMessages(
  messages: readonly Message[],
  profile: OllamaProfile,
  names: WireNames,
  note: Note,
): Json[] {
  const takes = (part: MessagePart) => isSendable(part, profile.provider, true, note)
  const shaped = opened(alternating(spoken(findTurns(messages, takes, note))))
  const lastUser = shaped.findLastIndex(({ role }) => role === 'user')
  const ids = new WireIds({ maxChars: CALL_ID_CHARS }, note)
  const drafts = shaped.flatMap((turn, index): Draft[] => {
    if (turn.role === 'user')
      return [userDraft(turn.parts.flatMap((part) => piecesOfPart(part, profile.accepts, note)))]
    ids.nextAnswer()
    return [
      otherDraft(answerMessage(turn, ids, names, index > lastUser)),
      ...toolDrafts(resultsInWords(turn, names, profile.accepts, note), ids, (name) => ({
        tool_name: name,
      })),
    ]
  })
  return finished(joinedUsers(drafts), userMessage)
}

/** Within the running loop of calls thinking is sent back, as templates expect. */
function answerMessage(
  turn: AnswerTurn,
  ids: WireIds,
  names: WireNames,
  isInLoop: boolean,
): Fields {
  const calls = findCalls(turn).map(({ id, name, arguments: value }) => ({
    id: ids.of(id),
    function: { name: names.of(name), arguments: readArguments(value) },
  }))
  const isThought = isInLoop && turn.parts.some(({ type }) => type === 'thinking')
  return {
    role: 'assistant',
    content: answerText(turn),
    ...(isThought && { thinking: thinkingText(turn.parts) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** Images are listed next to the text, in order. */
function userMessage(pieces: readonly Piece[]): Json {
  const images = pieces.flatMap((piece) =>
    piece.type === 'image' && piece.data !== undefined ? [piece.data] : [],
  )
  return {
    role: 'user',
    content: readTexts(pieces).join('\n\n'),
    ...(images.length > 0 && { images }),
  }
}
