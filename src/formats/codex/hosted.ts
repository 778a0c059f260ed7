// Converts calls that Codex records as special items to ordinary calls and results, and back.
import type { Json } from '../../core/text/json.ts'
import type { ToolCallPart, ToolResultPart } from '../../core/view/message.ts'
import { type Fields, fieldsIn, isFields, textIn } from '../reading/raw.ts'

/** Stands for results that only the model received. */
const SEARCHED = '[the results of this search are not in the file]'
const PNG = 'data:image/png;base64,'

/** The item as a call or output of a function, or both; `count` of them were read before. */
export function plainItems(item: Fields, count: number): readonly Fields[] | undefined {
  const id = textIn(item.call_id)
  const call = (name: string, given: Json | undefined, call_id: string): Fields => {
    return { type: 'function_call', name, arguments: given ?? {}, call_id }
  }
  const output = (call_id: string, given: Json): Fields => {
    return { type: 'function_call_output', call_id, output: given }
  }
  const own = textIn(item.id) ?? `call_hosted_${count}`
  switch (item.type) {
    case 'local_shell_call':
      return [call('local_shell', item.action, id ?? own)]
    case 'tool_search_call':
      return id === undefined ? undefined : [call('tool_search', item.arguments, id)]
    case 'tool_search_output':
      return id === undefined ? undefined : [output(id, JSON.stringify(item.tools ?? []))]
    case 'web_search_call':
      return [call('web_search', item.action, own), output(own, SEARCHED)]
    case 'image_generation_call': {
      const prompt = textIn(item.revised_prompt)
      const data = textIn(item.result) ?? ''
      const made =
        data === ''
          ? `[no image; the status of this call is ${textIn(item.status) ?? 'unknown'}]`
          : [{ type: 'input_image', image_url: PNG + data }]
      const given = prompt === undefined ? {} : { revised_prompt: prompt }
      return [call('image_generation', given, own), output(own, made)]
    }
    default:
      return undefined
  }
}

export interface HostedItems {
  readonly call: Fields
  /** Absent: the output of a function. Empty: the call contains it. */
  readonly output?: readonly Fields[]
}

/** The items `plainItems` read this call and result from; undefined for other calls. */
export function hostedItems(
  { id, name, arguments: given }: ToolCallPart,
  result: ToolResultPart | undefined,
): HostedItems | undefined {
  const fields = fieldsIn(given)
  const [block] = result?.content ?? []
  const own = /^(?:ws|ig)_/.test(id) ? { id } : {}
  switch (name) {
    case 'local_shell':
      if (fields.type !== 'exec' || !Array.isArray(fields.command)) return undefined
      return {
        call: { type: 'local_shell_call', call_id: id, status: 'completed', action: fields },
      }
    case 'web_search': {
      if (block?.text !== SEARCHED || !isFields(given)) return undefined
      const action = Object.keys(given).length === 0 ? {} : { action: given }
      const call = { type: 'web_search_call', ...own, status: 'completed', ...action }
      return { call, output: [] }
    }
    case 'image_generation': {
      if (block?.type !== 'image' || !block.data) return undefined
      const call = { type: 'image_generation_call', ...own, status: 'completed', ...fields }
      return { call: { ...call, result: block.data }, output: [] }
    }
    case 'tool_search': {
      const tools = toolsIn(block?.text)
      if (tools === undefined) return undefined
      const facts = { call_id: id, status: 'completed', execution: 'client' }
      return {
        call: { type: 'tool_search_call', ...facts, arguments: given },
        output: [{ type: 'tool_search_output', ...facts, tools }],
      }
    }
    default:
      return undefined
  }
}

function toolsIn(text: string | undefined): readonly Json[] | undefined {
  if (!text?.startsWith('[')) return undefined
  try {
    const tools: Json = JSON.parse(text)
    return Array.isArray(tools) ? tools : undefined
  } catch {
    return undefined
  }
}
