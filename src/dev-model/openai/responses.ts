// Reads requests of OpenAI Responses, and keeps what the server remembers for them.
import type { Fields, Json } from '../../core/text/json.ts'
import {
  findChain,
  type Item,
  readItems,
  readOutput,
} from '../../validate/openai-responses/reasoning.ts'
import type { Exchange, Profile, Violation } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import {
  type Asked,
  type AskedPart,
  type AskedTurn,
  type OfferedTool,
  type ToolChoice,
  textOfContent,
} from '../asked.ts'
import { buildSegment, type Segment, sumOfTokens } from '../count.ts'
import { withoutOldest } from '../models.ts'
import { isOfModel, unsealed } from '../seal.ts'
import type { Links, Refusal, WireFormat } from '../wire-format.ts'
import { refuseOpenai } from './errors.ts'
import { responsesErrorFrame, responsesFrames, wholeResponse } from './responses-stream.ts'
import { accountAutomatically, parsedJson, strangeResponses, unsupported } from './strict.ts'

/** A local server ignores unknown fields. */
export function openaiResponsesFormat(
  profile: Profile = PROFILES['openai-responses'],
  isLocal = false,
): WireFormat {
  const all = (body: Fields, earlier: readonly Exchange[]) => [
    ...findChain({ request: body, earlier, profile }).items,
    ...readItems(body),
  ]
  return {
    id: 'openai-responses',
    streamType: 'text/event-stream; charset=utf-8',
    profileFor: () => profile,
    links,
    shape: (body, isCounting) =>
      buildShape(body, isCounting) ??
      (isLocal ? undefined : strangeResponses(body)) ??
      unsupported('openai-responses', body),
    lost: lostResponse,
    check: checkEncrypted,
    read: (body, earlier) => readResponses(body, all(body, earlier)),
    segments: (body, earlier) => findSegments(body, all(body, earlier)),
    silentWindow: (body, windowTokens) => (body.truncation === 'auto' ? windowTokens : undefined),
    fitted: (body, windowTokens) => withoutOldest(body, 'input', windowTokens),
    account: (body, segments, { automatic }, nowMs) =>
      accountAutomatically(body, segments, sumOfTokens(segments), automatic, nowMs),
    whole: wholeResponse,
    frames: responsesFrames,
    refuse: (refusal) => refuseOpenai('openai-responses', refusal),
    errorFrame: responsesErrorFrame,
  }
}

function findSegments(body: Fields, items: readonly Item[]): readonly Segment[] {
  const { instructions, tools } = body
  return [
    ...(Array.isArray(tools) ? tools : []).map((tool) => buildSegment('tools', tool)),
    ...(isGiven(instructions) ? [buildSegment('system', instructions)] : []),
    ...items.map(({ fields }) => buildSegment('messages', fields, `${String(fields.role ?? '')} `)),
  ]
}

function buildShape(body: Fields, isCounting: boolean): Refusal | undefined {
  const missing = (param: string): Refusal => ({
    kind: 'invalid',
    message: `Missing required parameter: '${param}'.`,
    param,
    code: 'missing_required_parameter',
  })
  if (readText(body.model) === undefined && !isCounting) return missing('model')
  const { max_output_tokens: limit } = body
  if (typeof limit === 'number' && limit < MIN_OUTPUT_TOKENS) {
    return {
      kind: 'invalid',
      message: `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${MIN_OUTPUT_TOKENS}, but got ${limit} instead.`,
      param: 'max_output_tokens',
      code: 'integer_below_min_value',
    }
  }
  return undefined
}

const MIN_OUTPUT_TOKENS = 16

function lostResponse(body: Fields, earlier: readonly Exchange[]): Refusal | undefined {
  const id = readText(body.previous_response_id)
  if (id === undefined || earlier.some(({ answer }) => readFields(answer).id === id))
    return undefined
  return {
    kind: 'invalid',
    message: `Previous response with id '${id}' not found.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  }
}

/** Content encrypted by another model or server is unreadable here. */
function checkEncrypted(body: Fields): readonly Violation[] {
  return readItems(body).flatMap(({ where, type = '', fields }) => {
    const content = readText(fields.encrypted_content)
    if (content === undefined || content === '') return []
    const seal = unsealed(type, '', content)
    if (seal !== undefined && isOfModel(seal, readText(body.model) ?? '')) return []
    const message = 'the content was not made here, or not by this model'
    return [{ id: 'VALID-R5', where: `${where}.encrypted_content`, message }]
  })
}

/** Items and answers are found by id, unless the client does not want them stored. */
const links: Links = {
  ofRequest: (body) => [
    ...responseKey(body.previous_response_id),
    ...readItems(body).flatMap(({ id }) => (id === undefined ? [] : [`item ${id}`])),
  ],
  ofAnswer: (body, answer) => [
    ...(body.store === false ? [] : responseKey(readFields(answer).id)),
    ...readOutput(answer).flatMap(({ id }) => (id === undefined ? [] : [`item ${id}`])),
  ],
  onward: ({ request }) => responseKey(readFields(request).previous_response_id),
}

function responseKey(id: Fields[string] | undefined): readonly string[] {
  return typeof id === 'string' ? [`response ${id}`] : []
}

/** The items of a Responses request for the assistant. */
function readResponses(body: Fields, items: readonly Item[]): Asked {
  const { max_output_tokens: limit, reasoning } = body
  const { effort } = readFields(reasoning)
  const isCompacting = items.at(-1)?.type === 'compaction_trigger'
  return {
    wire: 'openai-responses',
    model: readText(body.model) ?? '',
    system: [
      textOfContent(body.instructions),
      ...items.filter(isSystem).map(({ fields }) => textOfContent(fields.content)),
    ].join('\n'),
    turns: items.filter((item) => !isSystem(item)).flatMap(findTurn),
    tools: readList(body.tools).flatMap(offeredTools),
    toolChoice: readChoice(body),
    parallelCalls: body.parallel_tool_calls !== false,
    thinking: isGiven(reasoning) && effort !== 'none',
    stream: body.stream === true,
    stopSequences: [],
    ...(typeof limit === 'number' && { maxOutputTokens: limit }),
    ...(isCompacting && { compaction: {} }),
  }
}

/** A function, or those of a namespace. */
function offeredTools(tool: Json): OfferedTool[] {
  const { type, name, parameters, tools } = readFields(tool)
  if (typeof name !== 'string') return []
  if (type === 'function') return [{ name, schema: parameters ?? {} }]
  if (type !== 'namespace') return []
  return readList(tools)
    .flatMap(offeredTools)
    .map((each) => ({ ...each, namespace: name }))
}

function isSystem({ type, fields }: Item): boolean {
  return type === 'message' && (fields.role === 'system' || fields.role === 'developer')
}

function readChoice({ tool_choice: choice }: Fields): ToolChoice {
  if (choice === 'none') return 'none'
  if (choice === 'required') return 'any'
  const name = readText(readFields(choice).name)
  return name === undefined ? 'auto' : { name }
}

/** Each item is a turn; only the order matters. */
function findTurn({ type = '', fields }: Item): readonly AskedTurn[] {
  const id = readText(fields.call_id) ?? ''
  if (type === 'message') {
    const role = fields.role === 'assistant' ? 'assistant' : 'user'
    return [{ role, parts: [{ type: 'text', text: textOfContent(fields.content) }] }]
  }
  if (type === 'compaction') {
    const text = unsealed(type, '', readText(fields.encrypted_content) ?? '')?.payload ?? ''
    const parts: readonly AskedPart[] = [
      { type: 'text', text: Buffer.from(text, 'base64url').toString('utf8') },
    ]
    return [{ role: 'user', parts }]
  }
  if (type.endsWith('_call')) {
    const given = readText(fields.arguments) ?? readText(fields.input) ?? ''
    const name = readText(fields.name) ?? type
    return [
      { role: 'assistant', parts: [{ type: 'call', id, name, arguments: parsedJson(given) }] },
    ]
  }
  if (!type.endsWith('_output')) return []
  const text = textOfContent(fields.output)
  return [{ role: 'user', parts: [{ type: 'result', id, text, failed: false }] }]
}
