// OpenAI's own words for broken rules, as far as they are known.
import type { Violation } from '../../validate/rule.ts'

export interface Words {
  readonly message: string
  readonly code?: string
}

export function chatWords({ id, where }: Violation): Words | undefined {
  switch (id) {
    case 'VALID-C1':
      return {
        message:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Some tool_call_ids did not have response messages.",
      }
    case 'VALID-C2':
      return {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      }
    case 'VALID-C3':
      return where.endsWith('.tool_calls')
        ? {
            message: `Invalid '${where}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
            code: 'empty_array',
          }
        : {
            message: `Invalid '${where}': string too long. Expected a string with maximum length 40.`,
            code: 'string_above_max_length',
          }
    case 'VALID-C4':
      return { message: "Invalid value for 'content': expected a string, got null." }
    case 'VALID-C5':
      return {
        message: `Invalid type for '${where}': expected a string, but got an object instead.`,
        code: 'invalid_type',
      }
    case 'VALID-C6':
      return {
        message: `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        code: 'invalid_value',
      }
    case 'VALID-C7':
      return { message: "Invalid content type: a message with role 'tool' takes text only." }
    case 'VALID-C9':
      return {
        message:
          "Messages with role 'function' must be a response to a preceding message with 'function_call'.",
      }
    case 'VALID-C10':
      return where === 'tools' || where === 'functions'
        ? {
            message: `Invalid '${where}': array too long. Expected an array with maximum length 128.`,
            code: 'array_above_max_length',
          }
        : { message: `Invalid '${where}': string too long.`, code: 'string_above_max_length' }
    case 'VALID-C11':
      return {
        message:
          "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      }
    case 'VALID-O4':
      return {
        message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
      }
    default:
      return undefined
  }
}

export function responsesWords({ id, where, message }: Violation): Words | undefined {
  switch (id) {
    case 'VALID-R1':
      return { message: 'No tool call found for function call output with this call_id.' }
    case 'VALID-R2':
      return { message: 'No tool output found for function call.' }
    case 'VALID-R3':
      return message.startsWith('the item that followed')
        ? {
            message: "Item of type 'reasoning' was provided without its required following item.",
          }
        : { message: "Item was provided without its required 'reasoning' item." }
    case 'VALID-R4':
      return message.includes('twice')
        ? { message: 'Duplicate item found. Remove duplicate items from your input and try again.' }
        : { message: `Invalid '${where}'.`, code: 'invalid_value' }
    case 'VALID-R5':
      return {
        message: 'The encrypted content for this item could not be verified.',
        code: 'invalid_encrypted_content',
      }
    case 'VALID-R6':
      return { message: `Invalid value at '${where}'.`, code: 'invalid_value' }
    case 'VALID-R9':
      return { message: "Item was provided without its required 'reasoning' item." }
    case 'VALID-R10':
      return { message: `Invalid '${where}': expected a string.`, code: 'invalid_type' }
    default:
      return undefined
  }
}
