// Names and arguments of functions in Chat Completions.
import { isFields, type Json } from '../../core/text/json.ts'
import { type Report, type Rule, rule } from '../rule.ts'
import { fieldsOf, listOf } from '../walk.ts'
import { callsOf, messagesOf } from './messages.ts'

const NAME = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * The original never parses the string, and models do send broken JSON; strict backends that
 * render it through a template refuse that, so there it must be JSON text.
 */
const argumentsAreText = rule('VALID-C5', ({ request, profile }, report) => {
  for (const message of messagesOf(request)) {
    for (const { where, kind, body } of callsOf(message)) {
      if (kind === 'function') check(`${where}.function.arguments`, body.arguments)
    }
    const { where, role, fields } = message
    if (role === 'assistant' && isFields(fields.function_call)) {
      check(`${where}.function_call.arguments`, fields.function_call.arguments)
    }
  }
  function check(where: string, value: Json | undefined) {
    if (typeof value !== 'string') report(where, 'arguments are a string of JSON')
    else if (profile.strict && !isJsonText(value)) report(where, 'the arguments are not JSON text')
  }
})

/** `name` on messages is held to the same characters, the narrowest that has been asked for. */
const namesAreUsable = rule('VALID-C6', ({ request }, report) => {
  for (const message of messagesOf(request)) {
    const { where, role, fields } = message
    if (fields.name !== undefined) checkName(`${where}.name`, fields.name, report)
    for (const call of callsOf(message)) {
      checkName(`${call.where}.${call.kind}.name`, call.body.name, report)
    }
    if (role === 'assistant' && isFields(fields.function_call)) {
      checkName(`${where}.function_call.name`, fields.function_call.name, report)
    }
  }
  const { tools, functions } = fieldsOf(request)
  for (const [index, value] of listOf(tools).entries()) {
    const tool = fieldsOf(value)
    const kind = tool.type === 'custom' ? 'custom' : 'function'
    checkName(`tools[${index}].${kind}.name`, fieldsOf(tool[kind]).name, report)
  }
  for (const [index, value] of listOf(functions).entries()) {
    checkName(`functions[${index}].name`, fieldsOf(value).name, report)
  }
})

export const CALL_RULES: readonly Rule[] = [argumentsAreText, namesAreUsable]

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function checkName(where: string, name: Json | undefined, report: Report): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    report(where, 'a name has 1 to 64 letters, digits, underscores and dashes')
  }
}
