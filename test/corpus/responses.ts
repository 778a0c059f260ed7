// Sessions that were held through the Responses API: those of Codex, and of Copilot on the command line.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList, readText } from '../../src/validate/walk.ts'
import { exchangesAt, jsonLines } from './exchanges.ts'

const MADE_BY_THE_MODEL = /^(?:reasoning|\w+_call)$/

function responsesExchanges(items: readonly Json[]): Exchange[] {
  return exchangesAt(
    items,
    ({ type, role }) => role === 'assistant' || MADE_BY_THE_MODEL.test(readText(type) ?? ''),
    (input) => ({
      model: 'recorded',
      store: false,
      include: ['reasoning.encrypted_content'],
      input,
    }),
    (output) => ({ output }),
  )
}

/** A compaction starts anew, with the history that it names. */
/** What looked like a secret was masked, in the data of images, too. */
const MASKED_IMAGE = /(data:image\/png;base64,)[^"]*REDACTED[^"]*/g

export function codexExchanges(text: string): Exchange[] {
  const windows: Json[][] = [[]]
  for (const { type, payload } of jsonLines(text.replace(MASKED_IMAGE, '$1AAAA'))) {
    const fields = readFields(payload)
    if (type === 'compacted') windows.push([...readList(fields.replacement_history)].map(asSent))
    else if (type === 'response_item') windows.at(-1)?.push(asSent(fields))
  }
  return windows.flatMap(responsesExchanges)
}

/** Notes of the agent's own are not sent, and what was sealed was taken out of the files. */
function asSent(item: Json): Json {
  const { internal_chat_message_metadata_passthrough, ...sent } = readFields(item)
  const isSealed = sent.type === 'reasoning' || sent.type === 'compaction'
  return isSealed
    ? { ...sent, encrypted_content: readText(sent.encrypted_content) ?? 'sealed' }
    : sent
}

/** What the model saw is told by events; reasoning is sealed in a form that is not sent like this. */
export function copilotExchanges(text: string): Exchange[] {
  return responsesExchanges(jsonLines(text).flatMap(copilotItems))
}

function copilotItems({ type, data }: Fields): readonly Json[] {
  const { content, transformedContent, toolRequests, toolCallId, result, error } = readFields(data)
  const said = readText(content) ?? ''
  switch (type) {
    case 'system.message':
      return [{ role: 'developer', content: said }]
    case 'user.message':
      return [{ role: 'user', content: readText(transformedContent) ?? said }]
    case 'assistant.message':
      return [
        ...(said === '' ? [] : [{ role: 'assistant', content: said }]),
        ...readList(toolRequests).map((request) => callOf(readFields(request))),
      ]
    case 'tool.execution_complete':
      return [
        {
          type: 'function_call_output',
          call_id: toolCallId ?? null,
          output: readText(readFields(result).content) ?? readText(readFields(error).message) ?? '',
        },
      ]
    default:
      return []
  }
}

function callOf({ toolCallId, name, arguments: given }: Fields): Json {
  return {
    type: 'function_call',
    call_id: toolCallId ?? null,
    name: name ?? null,
    arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
  }
}
