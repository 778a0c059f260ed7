// JSON objects on their way to and from a wire.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'

/**
 * The arguments of a call as an object; anything else was never a valid call, and is shown as what it
 * was. Half characters become the sign for a lost one: no parser of UTF-8 takes them.
 */
export function readArguments(value: Json): Fields {
  return JSON.parse(argumentsText(value))
}

/** The same as JSON text. */
export function argumentsText(value: Json): string {
  return JSON.stringify(isFields(value) ? value : { input: value }, (_key, each: Json) =>
    typeof each === 'string' ? each.toWellFormed() : each,
  )
}
