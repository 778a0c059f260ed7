// OpenAI Responses: what its requests say, together with what the server remembers for them.
import type { Fields } from '../../core/text/json.ts'
import { chainOf, type Item, itemsOf, outputOf } from '../../validate/openai-responses/items.ts'
import { PROFILES } from '../../validate/profiles.ts'
import type { Exchange, Profile, Violation } from '../../validate/rule.ts'
import { fieldsOf, isGiven, textOf } from '../../validate/walk.ts'
import { type Segment, segmentOf, sumOfTokens } from '../count.ts'
import { isOfModel, unsealed } from '../seal.ts'
import { withoutOldest } from '../truncate.ts'
import type { Links, Refusal, WireFormat } from '../wire-format.ts'
import { refuseOpenai } from './errors.ts'
import { accountAutomatically } from './request.ts'
import { wholeResponse } from './responses-answer.ts'
import { readResponses } from './responses-request.ts'
import { responsesErrorFrame, responsesFrames } from './responses-stream.ts'
import { strangeResponses, unsupported } from './strict.ts'

/** A local server skips what it does not know. */
export function openaiResponsesFormat(
  profile: Profile = PROFILES['openai-responses'],
  isLocal = false,
): WireFormat {
  const all = (body: Fields, earlier: readonly Exchange[]) => [
    ...chainOf({ request: body, earlier, profile }).items,
    ...itemsOf(body),
  ]
  return {
    id: 'openai-responses',
    streamType: 'text/event-stream; charset=utf-8',
    profileFor: () => profile,
    links,
    shape: (body, isCounting) =>
      shapeOf(body, isCounting) ??
      (isLocal ? undefined : strangeResponses(body)) ??
      unsupported('openai-responses', body),
    lost: lostResponse,
    check: checkEncrypted,
    read: (body, earlier) => readResponses(body, all(body, earlier)),
    segments: (body, earlier) => segmentsOf(body, all(body, earlier)),
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

function segmentsOf(body: Fields, items: readonly Item[]): readonly Segment[] {
  const { instructions, tools } = body
  return [
    ...(Array.isArray(tools) ? tools : []).map((tool) => segmentOf('tools', tool)),
    ...(isGiven(instructions) ? [segmentOf('system', instructions)] : []),
    ...items.map(({ fields }) => segmentOf('messages', fields, `${String(fields.role ?? '')} `)),
  ]
}

function shapeOf(body: Fields, isCounting: boolean): Refusal | undefined {
  const missing = (param: string): Refusal => ({
    kind: 'invalid',
    message: `Missing required parameter: '${param}'.`,
    param,
    code: 'missing_required_parameter',
  })
  if (textOf(body.model) === undefined && !isCounting) return missing('model')
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
  const id = textOf(body.previous_response_id)
  if (id === undefined || earlier.some(({ answer }) => fieldsOf(answer).id === id)) return undefined
  return {
    kind: 'invalid',
    message: `Previous response with id '${id}' not found.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  }
}

/** What another model or another server sealed cannot be read here. */
function checkEncrypted(body: Fields): readonly Violation[] {
  return itemsOf(body).flatMap(({ where, type = '', fields }) => {
    const content = textOf(fields.encrypted_content)
    if (content === undefined || content === '') return []
    const seal = unsealed(type, '', content)
    if (seal !== undefined && isOfModel(seal, textOf(body.model) ?? '')) return []
    const message = 'the content was not made here, or not by this model'
    return [{ id: 'VALID-R5', where: `${where}.encrypted_content`, message }]
  })
}

/** Items go by their ids, answers by theirs, unless the client does not want them stored. */
const links: Links = {
  ofRequest: (body) => [
    ...responseKey(body.previous_response_id),
    ...itemsOf(body).flatMap(({ id }) => (id === undefined ? [] : [`item ${id}`])),
  ],
  ofAnswer: (body, answer) => [
    ...(body.store === false ? [] : responseKey(fieldsOf(answer).id)),
    ...outputOf(answer).flatMap(({ id }) => (id === undefined ? [] : [`item ${id}`])),
  ],
  onward: ({ request }) => responseKey(fieldsOf(request).previous_response_id),
}

function responseKey(id: Fields[string] | undefined): readonly string[] {
  return typeof id === 'string' ? [`response ${id}`] : []
}
