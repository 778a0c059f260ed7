// What Ollama's server cannot read: values of another type than its own, as it says it. It skips
// fields that it does not know, so those are no reason to refuse anything.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { fieldsOf, isGiven, listOf, textOf } from '../../validate/walk.ts'
import { isBase64 } from '../schema.ts'
import type { Refusal } from '../wire-format.ts'

const ROLES = ['system', 'user', 'assistant', 'tool']
const EFFORTS = ['low', 'medium', 'high', 'max']

export function shapeOfOllama(body: Fields): Refusal | undefined {
  const message = [...mistyped(body), ...missing(body), ...listOf(body.messages).flatMap(odd)][0]
  return message === undefined ? undefined : { kind: 'invalid', message }
}

function mistyped({ model, messages, tools, options, think }: Fields): readonly string[] {
  return [
    ...unless(!isGiven(model) || typeof model === 'string', model, 'model', 'string'),
    ...unless(!isGiven(messages) || Array.isArray(messages), messages, 'messages', '[]api.Message'),
    ...unless(!isGiven(tools) || Array.isArray(tools), tools, 'tools', 'api.Tools'),
    ...unless(
      !isGiven(options) || isFields(options),
      options,
      'options',
      'map[string]interface {}',
    ),
    ...(isThink(think)
      ? []
      : [
          `invalid think value: ${JSON.stringify(think)} (must be "high", "medium", "low", "max", true, or false)`,
        ]),
  ]
}

function isThink(think: Json | undefined): boolean {
  return !isGiven(think) || typeof think === 'boolean' || EFFORTS.includes(textOf(think) ?? '')
}

function missing({ model }: Fields): readonly string[] {
  return model === undefined || model === '' ? ['model is required'] : []
}

function odd(message: Json): readonly string[] {
  const { role, content, images, tool_calls: calls } = fieldsOf(message)
  const known = ROLES.join(', ')
  return [
    ...(ROLES.includes(textOf(role) ?? '')
      ? []
      : [`invalid role: ${String(role)}, must be one of ${known}`]),
    ...unless(
      !isGiven(content) || typeof content === 'string',
      content,
      'messages.content',
      'string',
    ),
    ...listOf(images).flatMap(oddBytes),
    ...listOf(calls).flatMap((call) => {
      const { arguments: given } = fieldsOf(fieldsOf(call).function)
      const field = 'messages.tool_calls.function.arguments'
      const isFine = !isGiven(given) || isFields(given)
      return unless(isFine, given, field, 'api.ToolCallFunctionArguments')
    }),
  ]
}

/** The place of the first character that no base64 has, or the end of one that is cut off. */
function oddBytes(image: Json): readonly string[] {
  if (typeof image !== 'string') return unless(false, image, 'messages.images', 'api.ImageData')
  if (isBase64(image)) return []
  const at = image.search(/[^A-Za-z0-9+/=]/)
  return [`illegal base64 data at input byte ${at === -1 ? image.length : at}`]
}

function unless(
  isFine: boolean,
  value: Json | undefined,
  field: string,
  type: string,
): readonly string[] {
  if (isFine) return []
  return [
    `json: cannot unmarshal ${nameOf(value)} into Go struct field ChatRequest.${field} of type ${type}`,
  ]
}

function nameOf(value: Json | undefined): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
