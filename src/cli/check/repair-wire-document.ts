// Repairs a document of OpenAI's or Google's format; a valid one is copied unchanged.
import { PrecisError } from '../../core/errors.ts'
import type { RepairProfile } from '../../core/repair/profile.ts'
import { type Repaired, repair } from '../../core/repair/repair.ts'
import type { RepairChange } from '../../core/repair/turn.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message } from '../../core/view/message.ts'
import { wellFormed } from '../../formats/outgoing.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import { GEMINI, geminiContents } from '../../wire/gemini/write.ts'
import { WireNames } from '../../wire/names.ts'
import { chatMessages } from '../../wire/openai-chat/messages.ts'
import { inputItems, OPENAI_RESPONSES } from '../../wire/openai-responses/items.ts'
import type { LooseHistory, Place } from '../../wire/repair/loose-history.ts'
import { repairProfile } from '../../wire/repair/profile.ts'
import { readLoosely } from '../../wire/repair/read-anthropic.ts'
import { readChat } from '../../wire/repair/read-chat.ts'
import { readGemini } from '../../wire/repair/read-gemini.ts'
import { readResponses } from '../../wire/repair/read-responses.ts'
import { documentAs, type WireFormat } from './check-format.ts'
import { buildChatProfile, type Target, toolNamesIn } from './check-wires.ts'

export interface RepairedDocument {
  /** Absent if nothing changed: use the original bytes. */
  readonly text?: string
  readonly changes: readonly RepairChange[]
}

/** The copy keeps its own format's rules, whatever the target; writers for other formats apply theirs. */
export function repairWireDocument(
  document: Json,
  format: RewrittenFormat,
  { name, profile, write }: Target,
): RepairedDocument {
  const own: OwnTarget = write === undefined ? { name, profile } : findOwnTarget(format)
  const violations = validate(own.profile, documentAs(format, document))
  if (violations.length === 0) return { changes: [] }
  refuseStored(document)
  const history = readDocument(document, format, own)
  const rules = rulesFor(own.profile, toolNamesIn(format, history.envelope))
  const repaired = repair(history.messages, history.system, rules)
  const notes = new Set<string>()
  const copy = writeDocument(format, history, repaired, own, (note) => notes.add(note))
  const changes: RepairChange[] = [
    ...history.changes,
    ...repaired.changes.map((change) => ({ ...change, where: placeIn(change.where, history) })),
    ...[...notes].map((why) => ({ what: 'rewritten' as const, where: 'the copy', why })),
  ]
  // Writers silently drop optional fields, such as item ids.
  if (changes.length === 0)
    for (const { where, message } of violations)
      changes.push({ what: 'rewritten', where, why: message })
  return { text: `${JSON.stringify(copy, wellFormed, 2)}\n`, changes }
}

export function readDocument(
  document: Json,
  format: WireFormat,
  { name, profile }: OwnTarget = findOwnTarget(format),
): LooseHistory {
  switch (format) {
    case 'anthropic':
      return readLoosely(document)
    case 'openai-chat':
      return readChat(document, {
        ...(profile.backend === 'deepseek' && { thinkingOf: name }),
        namesResults: profile.backend === 'qwen',
      })
    case 'openai-responses':
      return readResponses(document)
    case 'gemini':
      return readGemini(document)
  }
}

function findOwnTarget(format: WireFormat): OwnTarget {
  return { name: format, profile: PROFILES[format] }
}

/** Outputs may answer calls stored on the server; as text they would be meaningless. */
function refuseStored(document: Json): void {
  const fields = readFields(document)
  const stored = ['previous_response_id', 'conversation'].find((name) => isGiven(fields[name]))
  if (stored === undefined) return
  throw new PrecisError('usage', 'a request that continues a stored response is incomplete', {
    where: stored,
    hint: `Put all items into \`input\` and leave out \`${stored}\`, or leave out --repair.`,
  })
}

/** Writers select thinking and native items themselves. */
function rulesFor(profile: Profile, toolNames: readonly string[]): RepairProfile {
  const { natives, ...rules } = repairProfile(profile, { toolNames })
  return {
    ...rules,
    thinking: 'any',
    ...(profile.wire === 'openai-chat' && natives && { natives }),
    // Its writer merges them anyway; here it is reported.
    ...(profile.wire === 'gemini' && { repeatedRoles: false }),
  }
}

/** Translates `messages[3].parts[1]` of the reader to its place in the document. */
function placeIn(where: string, { places = [] }: LooseHistory): string {
  const found = /^messages\[(\d+)\](?:\.parts\[(\d+)\])?/.exec(where)
  const place: Place | undefined = found === null ? undefined : places[Number(found[1])]
  if (found === null || place === undefined) return where
  return found[2] === undefined ? place.at : (place.parts[Number(found[2])] ?? place.at)
}

/** Repaired messages in their document's format, with everything around them. */
export type RewrittenFormat = Exclude<WireFormat, 'anthropic'>

/** A provider that receives this format unchanged. */
interface OwnTarget {
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

function writeDocument(
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

/** Mistral's writer inserts this between results and the next user message. */
const BETWEEN = '[tool results received]'

function chatDocument(
  { messages, system, history, names, note }: Writing,
  { name, profile }: OwnTarget,
): Json {
  const { envelope } = history
  const opening = Array.isArray(envelope) ? envelope : readList(readFields(envelope).messages)
  const isKept = system.length === opening.length
  const roleAt = (index: number) => (isKept ? readText(readFields(opening[index]).role) : undefined)
  const isJoined = profile.strict && system.length > 1
  if (isJoined) note('this backend takes one message of the system; those that open are now one')
  const prompts = isJoined ? [system.join('\n\n')] : system
  const written = chatMessages(messages, buildChatProfile(name, profile), names, note)
  if (profile.backend === 'mistral' && written.some((each) => readFields(each).content === BETWEEN))
    note('a word of the assistant stands between results and what the user says behind them')
  const all = [
    ...prompts.map((content, index) => ({ role: roleAt(index) ?? 'system', content })),
    ...written,
  ]
  return Array.isArray(envelope) ? all : { ...readFields(envelope), messages: all }
}

function responsesDocument({ messages, system, history, names, note }: Writing): Json {
  const { envelope } = history
  const input = inputItems(messages, OPENAI_RESPONSES, names, note)
  const instructions = system.join('\n\n')
  if (Array.isArray(envelope) && instructions === '') return input
  const { instructions: _, ...rest } = readFields(envelope)
  return { ...rest, ...(instructions !== '' && { instructions }), input }
}

function geminiDocument({ messages, system, history, names, note }: Writing): Json {
  const { envelope } = history
  const contents = geminiContents(messages, GEMINI, names, note)
  if (Array.isArray(envelope)) return contents
  const { systemInstruction, system_instruction, ...rest } = readFields(envelope)
  const text = system.join('\n\n')
  return {
    ...rest,
    ...(text !== '' && { systemInstruction: readInstruction(text, systemInstruction) }),
    contents,
  }
}

/** The original if it has the same text in text parts only. */
function readInstruction(text: string, original: Json | undefined): Json {
  const texts = readList(readFields(original).parts).map(
    (part) => readText(readFields(part).text) ?? '',
  )
  const isSame = texts.join('\n\n') === text && texts.every((each) => each.trim() !== '')
  return isSame && original !== undefined ? original : { parts: [{ text }] }
}

type NameOf = (name: string) => string

/** Tool names outside of calls follow the renaming. */
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
  const calling = readFields(config.functionCallingConfig)
  const { allowedFunctionNames: list } = calling
  if (!Array.isArray(list)) return config
  const allowedFunctionNames = list.map((name) => (typeof name === 'string' ? nameOf(name) : name))
  return { ...config, functionCallingConfig: { ...calling, allowedFunctionNames } }
}
