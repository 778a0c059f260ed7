// A Gemini document of any shape as messages: calls and responses, which have no ids there, find each other.
import { type Fields, fieldsIn, isFields, type Json, listIn, textIn } from '../../core/text/json.ts'
import type { MessagePart, ToolCallPart, ToolResultPart } from '../../core/view/message.ts'
import { readGeminiPart } from '../content-parts.ts'
import { type LooseHistory, LooseTurns, type PlacedPart } from './loose-history.ts'

const PROVIDER = 'gemini'
const MODEL = 'gemini/unknown'

export function readGemini(document: Json): LooseHistory {
  const values = Array.isArray(document) ? document : listIn(fieldsIn(document).contents)
  const reader = new ContentReader()
  for (const [index, value] of values.entries()) reader.content(value, `contents[${index}]`)
  if (Array.isArray(document)) return reader.turns.finish([], [])
  const fields = fieldsIn(document)
  const system = reader.system(fields.systemInstruction ?? fields.system_instruction)
  return reader.turns.finish(system, { ...fields, contents: [] })
}

interface Waiting extends ToolCallPart {
  readonly ownId: string | undefined
}

class ContentReader {
  readonly turns = new LooseTurns()
  /** Calls of the content before, in their order. */
  #waiting: Waiting[] = []
  #called: Waiting[] = []
  #thought = ''

  content(value: Json, at: string): void {
    this.#waiting = this.#called
    this.#called = []
    this.#thought = ''
    if (!isFields(value)) {
      this.turns.add('user', at, this.turns.unreadable(value, at, 'a content that is no object'))
      return
    }
    const { role, parts, ...rest } = value
    this.turns.noteFields(rest, at)
    const isAnswer = role === 'model' || role === 'assistant'
    if (role !== 'model' && role !== 'user' && role !== 'function') {
      const name = typeof role === 'string' ? JSON.stringify(role.slice(0, 30)) : 'none'
      const read = isAnswer ? 'model' : 'user'
      this.turns.note('unreadable', `${at}.role`, `the role is ${name}; it was read as ${read}`)
    }
    const read = this.#parts(parts, isAnswer, `${at}.parts`)
    this.turns.add(isAnswer ? 'assistant' : 'user', at, read)
  }

  system(value: Json | undefined): string[] {
    if (value === undefined || value === null) return []
    if (typeof value === 'string') return [value]
    const texts = listIn(fieldsIn(value).parts).map(
      (part) => textIn(fieldsIn(part).text) ?? JSON.stringify(part),
    )
    return texts.length === 0 ? [] : [texts.join('\n\n')]
  }

  #parts(parts: Json | undefined, isAnswer: boolean, at: string): PlacedPart[] {
    if (parts === undefined || parts === null) return []
    if (Array.isArray(parts))
      return parts.flatMap((part: Json, index) => this.#part(part, isAnswer, `${at}[${index}]`))
    this.turns.note('unreadable', at, 'it is in no list; read as the only part')
    return this.#part(parts, isAnswer, at)
  }

  /** A signature is on a part; among messages it is that of thinking before the part. */
  #part(value: Json, isAnswer: boolean, at: string): PlacedPart[] {
    if (typeof value === 'string' || !isFields(value))
      return this.turns.unreadable(value, at, 'a part that is no object')
    const { thought, thoughtSignature, thought_signature, ...part } = value
    const signature = textIn(thoughtSignature) ?? textIn(thought_signature) ?? ''
    if (thought === true && typeof part.text === 'string') {
      this.#thought += part.text
      this.turns.note('thinking', at, 'a thought, which is not sent back; it was left out')
      if (signature === '') return []
    }
    const read = thought === true ? [] : this.#data(part, isAnswer, signature !== '', at)
    if (signature === '' || !isAnswer) {
      if (signature !== '') this.turns.noteFields({ thoughtSignature: signature }, at)
      return read
    }
    const thinking: MessagePart = {
      type: 'thinking',
      thinking: this.#thought,
      signature,
      model: MODEL,
    }
    this.#thought = ''
    return [{ part: thinking, at }, ...read]
  }

  #data(part: Fields, isAnswer: boolean, isSigned: boolean, at: string): PlacedPart[] {
    const call = part.functionCall ?? part.function_call
    if (isFields(call)) return this.#call(call, at)
    const response = part.functionResponse ?? part.function_response
    if (isFields(response)) return this.#response(response, at)
    const { text, ...rest } = part
    if (typeof text === 'string') {
      this.turns.noteFields(rest, at)
      return text === '' && isSigned ? [] : [{ part: { type: 'text', text }, at }]
    }
    const read = readGeminiPart(part)
    if (read !== undefined && read.type !== 'text') {
      const { mimeType, data = '' } = read.media
      if (!isAnswer && (read.type === 'image' || mimeType === 'application/pdf'))
        return [{ part: read, at }]
      const value = { inlineData: { mimeType, data } }
      return [{ part: { type: 'native', provider: PROVIDER, value }, at }]
    }
    const isOwn = NATIVE_KINDS.some((kind) => isFields(part[kind]))
    if (isOwn) return [{ part: { type: 'native', provider: PROVIDER, value: part }, at }]
    if (Object.values(part).every((each) => each === null)) {
      this.turns.note('blank-text', at, 'a part that says nothing; it was left out')
      return []
    }
    return this.turns.unreadable(part, at, 'no known kind of part')
  }

  #call({ name, args, id, ...rest }: Fields, at: string): PlacedPart[] {
    this.turns.noteFields({ ...rest, id: id ?? null }, at)
    if (typeof name !== 'string')
      this.turns.note('unreadable', `${at}.name`, 'no text; read as empty')
    const part: ToolCallPart = {
      type: 'tool_call',
      id: at.replace(/\W+/g, '_'),
      name: textIn(name) ?? '',
      arguments: args ?? {},
    }
    this.#called.push({ ...part, ownId: textIn(id) })
    return [{ part, at }]
  }

  #response({ name, response, id, ...rest }: Fields, at: string): PlacedPart[] {
    this.turns.noteFields({ ...rest, id: id ?? null }, at)
    const call = this.#answered(textIn(id), textIn(name))
    if (call !== undefined && call.name !== name)
      this.turns.note('rewritten', `${at}.name`, `another name; it answers ${call.name}`)
    const { output, error, ...others } = fieldsIn(response)
    const isPlain = isFields(response) && Object.keys(others).length === 0
    const said = isPlain ? (textIn(output) ?? textIn(error)) : undefined
    if (said === undefined || (output !== undefined && error !== undefined))
      this.turns.note('rewritten', `${at}.response`, 'it is written as JSON text in `output`')
    else if (said.trim() === '')
      this.turns.note('rewritten', `${at}.response`, 'an empty result; it now says so')
    const isFailed = said !== undefined && output === undefined
    const text = said !== undefined && isPlain ? said : JSON.stringify(response ?? {})
    const part: ToolResultPart = {
      type: 'tool_result',
      id: call?.id ?? at.replace(/\W+/g, '_'),
      content: text.trim() === '' ? [] : [{ type: 'text', text }],
      status: isFailed ? 'failed' : 'completed',
    }
    return [{ part, at }]
  }

  /** By its id, else by its name, else by its place: the API itself only counts. */
  #answered(id: string | undefined, name: string | undefined): Waiting | undefined {
    const byId = this.#waiting.findIndex(({ ownId }) => id !== undefined && ownId === id)
    const byName = this.#waiting.findIndex((call) => call.name === name)
    const found = byId !== -1 ? byId : Math.max(byName, 0)
    return this.#waiting.splice(found, 1)[0]
  }
}

/** Kinds of parts that only this API has. */
const NATIVE_KINDS = ['fileData', 'executableCode', 'codeExecutionResult']
