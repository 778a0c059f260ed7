// A Gemini request as the rules see it: contents and parts with their places.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { fieldsOf, listOf, textOf } from '../walk.ts'

export interface Part {
  readonly where: string // `contents[2].parts[0]`
  readonly fields: Fields
}

export interface Content {
  readonly where: string // `contents[2]`
  readonly role: string | undefined
  readonly parts: readonly Part[]
}

export function contentsOf(request: Json): readonly Content[] {
  return listOf(fieldsOf(request).contents).map((value, index) =>
    contentOf(value, `contents[${index}]`),
  )
}

export function contentOf(value: Json | undefined, where: string): Content {
  const fields = fieldsOf(value)
  const parts = listOf(fields.parts).map((part, index) => ({
    where: `${where}.parts[${index}]`,
    fields: fieldsOf(part),
  }))
  return { where, role: textOf(fields.role), parts }
}

/** The REST interface reads each name in camelCase and in snake_case. */
export function isCall({ fields }: Part): boolean {
  return isFields(fields.functionCall ?? fields.function_call)
}

export function isResponse({ fields }: Part): boolean {
  return isFields(fields.functionResponse ?? fields.function_response)
}

export function isSigned({ fields }: Part): boolean {
  const signature = fields.thoughtSignature ?? fields.thought_signature
  return typeof signature === 'string' && signature !== ''
}
