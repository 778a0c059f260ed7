// Repaired messages in the format their document had, with all that stood around them.
import type { Repaired } from '../../core/repair/repair.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message } from '../../core/view/message.ts'
import type { Profile } from '../../validate/rule.ts'
import { fieldsOf, listOf, textOf } from '../../validate/walk.ts'
import { geminiContents } from '../../wire/gemini/contents.ts'
import { GEMINI } from '../../wire/gemini/profile.ts'
import { chatMessages } from '../../wire/openai-chat/messages.ts'
import { WireNames } from '../../wire/openai-chat/names.ts'
import { inputItems } from '../../wire/openai-responses/items.ts'
import { OPENAI_RESPONSES } from '../../wire/openai-responses/profile.ts'
import type { LooseHistory } from '../../wire/repair/loose-history.ts'
import type { WireFormat } from './check-format.ts'
import { chatProfileOf } from './check-wires.ts'

export type RewrittenFormat = Exclude<WireFormat, 'anthropic'>

/** Who is sent documents of the format as they stand. */
export interface OwnTarget {
  readonly name: string
  readonly profile: Profile
}

interface Writing {
  readonly messages: readonly Message[]
  readonly system: readonly string[]
  readonly history: LooseHistory
  readonly names: WireNames
  readonly note: (problem: string) => void
}

export function writeDocument(
  format: RewrittenFormat,
  history: LooseHistory,
  { messages, system, names: renamed }: Repaired,
  target: OwnTarget,
  note: (problem: string) => void,
): Json {
  const names = new WireNames(note, { letterFirst: format === 'gemini' })
  const writing: Writing = { messages, system, history, names, note }
  const nameOf = (name: string) => names.of(renamed.get(name) ?? name)
  switch (format) {
    case 'openai-chat':
      return withNames(chatDocument(writing, target), nameOf)
    case 'openai-responses':
      return withNames(responsesDocument(writing), nameOf)
    case 'gemini':
      return withNames(geminiDocument(writing), nameOf)
  }
}

/** Mistral's writer puts this between results and what the user says next. */
const BETWEEN = '[tool results received]'

function chatDocument(
  { messages, system, history, names, note }: Writing,
  { name, profile }: OwnTarget,
): Json {
  const { envelope } = history
  const opening = Array.isArray(envelope) ? envelope : listOf(fieldsOf(envelope).messages)
  const isKept = system.length === opening.length
  const roleAt = (index: number) => (isKept ? textOf(fieldsOf(opening[index]).role) : undefined)
  const isJoined = profile.strict && system.length > 1
  if (isJoined) note('this backend takes one message of the system; those that open are now one')
  const prompts = isJoined ? [system.join('\n\n')] : system
  const written = chatMessages(messages, chatProfileOf(name, profile), names, note)
  if (profile.backend === 'mistral' && written.some((each) => fieldsOf(each).content === BETWEEN))
    note('a word of the assistant stands between results and what the user says behind them')
  const all = [
    ...prompts.map((content, index) => ({ role: roleAt(index) ?? 'system', content })),
    ...written,
  ]
  return Array.isArray(envelope) ? all : { ...fieldsOf(envelope), messages: all }
}

function responsesDocument({ messages, system, history, names, note }: Writing): Json {
  const { envelope } = history
  const input = inputItems(messages, OPENAI_RESPONSES, names, note)
  const instructions = system.join('\n\n')
  if (Array.isArray(envelope) && instructions === '') return input
  const { instructions: _, ...rest } = fieldsOf(envelope)
  return { ...rest, ...(instructions !== '' && { instructions }), input }
}

function geminiDocument({ messages, system, history, names, note }: Writing): Json {
  const { envelope } = history
  const contents = geminiContents(messages, GEMINI, names, note)
  if (Array.isArray(envelope)) return contents
  const { systemInstruction, system_instruction, ...rest } = fieldsOf(envelope)
  const text = system.join('\n\n')
  return {
    ...rest,
    ...(text !== '' && { systemInstruction: instructionOf(text, systemInstruction) }),
    contents,
  }
}

/** As it came in where it says the same in parts of text alone. */
function instructionOf(text: string, original: Json | undefined): Json {
  const texts = listOf(fieldsOf(original).parts).map((part) => textOf(fieldsOf(part).text) ?? '')
  const isSame = texts.join('\n\n') === text && texts.every((each) => each.trim() !== '')
  return isSame && original !== undefined ? original : { parts: [{ text }] }
}

type NameOf = (name: string) => string

/** Wherever the request names a tool beside its calls, the name follows. */
function withNames(document: Json, nameOf: NameOf): Json {
  if (!isFields(document)) return document
  const { tools, functions, tool_choice: choice, function_call: call, toolConfig } = document
  return {
    ...document,
    ...(Array.isArray(tools) && { tools: tools.map((tool) => named(tool, nameOf)) }),
    ...(Array.isArray(functions) && { functions: functions.map((tool) => named(tool, nameOf)) }),
    ...(isFields(choice) && { tool_choice: named(choice, nameOf) }),
    ...(isFields(call) && { function_call: named(call, nameOf) }),
    ...(isFields(toolConfig) && { toolConfig: allowed(toolConfig, nameOf) }),
  }
}

/** A definition or a choice, in any of the three formats. */
function named(value: Json, nameOf: NameOf): Json {
  if (!isFields(value)) return value
  const { name, function: inner, custom, functionDeclarations: declared } = value
  return {
    ...value,
    ...(typeof name === 'string' && { name: nameOf(name) }),
    ...(isFields(inner) && { function: named(inner, nameOf) }),
    ...(isFields(custom) && { custom: named(custom, nameOf) }),
    ...(Array.isArray(declared) && {
      functionDeclarations: declared.map((each) => named(each, nameOf)),
    }),
  }
}

function allowed(config: Fields, nameOf: NameOf): Json {
  const calling = fieldsOf(config.functionCallingConfig)
  const { allowedFunctionNames: list } = calling
  if (!Array.isArray(list)) return config
  const allowedFunctionNames = list.map((name) => (typeof name === 'string' ? nameOf(name) : name))
  return { ...config, functionCallingConfig: { ...calling, allowedFunctionNames } }
}
