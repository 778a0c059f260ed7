// Sessions whose files hold Chat Completions, or tell them event by event: SWE-agent, its small sibling, OpenHands.
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { readFields, readList, readText } from '../../src/validate/walk.ts'
import { chatExchanges } from './exchanges.ts'

export const chatSessions = { sweAgent, miniSweAgent, openHands }

function sweAgent(text: string): Exchange[] {
  return chatExchanges(readList(readFields(JSON.parse(text)).history).map(sweMessage))
}

/** What it keeps for itself beside the message goes; a result names its call in a list. */
function sweMessage(message: Json): Json {
  const { role, content, tool_calls: calls, tool_call_ids: ids } = readFields(message)
  const id = readList(ids)[0]
  return {
    role: role ?? null,
    content: content ?? null,
    ...(readList(calls).length > 0 && { tool_calls: calls as Json }),
    ...(id !== undefined && { tool_call_id: id }),
  }
}

function miniSweAgent(text: string): Exchange[] {
  const document: Json = JSON.parse(text)
  return chatExchanges(Array.isArray(document) ? document : readList(readFields(document).messages))
}

/** Every event of an answer repeats the whole of it: the first one counts. */
function openHands(text: string): Exchange[] {
  const messages: Json[] = [{ role: 'system', content: 'You are a helpful agent.' }]
  const seen = new Set<string>()
  for (const event of readList(JSON.parse(text)).map(readFields)) {
    const metadata = readFields(event.tool_call_metadata)
    const response = readFields(metadata.model_response)
    const id = readText(response.id)
    if (event.source === 'user' && event.action === 'message')
      messages.push({ role: 'user', content: readText(readFields(event.args).content) ?? '' })
    else if (id !== undefined && !seen.has(id)) {
      seen.add(id)
      messages.push(answerOf(response))
    }
    if (readText(event.observation) !== undefined && id !== undefined)
      messages.push({
        role: 'tool',
        tool_call_id: metadata.tool_call_id ?? null,
        content: readText(event.content) ?? '',
      })
  }
  return chatExchanges(messages)
}

function answerOf(response: Fields): Json {
  const { content, tool_calls: calls } = readFields(
    readFields(readList(response.choices)[0]).message,
  )
  return {
    role: 'assistant',
    content: content ?? null,
    ...(readList(calls).length > 0 && { tool_calls: calls as Json }),
  }
}
