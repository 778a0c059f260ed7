// Reads a Responses document of any shape; unreadable parts become text
import type { LooseMessage } from '../../core/repair/repair.ts'
import { type Fields, fieldsIn, isFields, type Json, listIn, textIn } from '../../core/text/json.ts'
import type { Block, Media, TextPart } from '../../core/view/content.ts'
import { readResponsesPart } from '../content-parts.ts'
import {
  argumentsIn,
  inWords,
  type LooseHistory,
  LooseTurns,
  type PlacedPart,
} from './loose-history.ts'
import { PROVIDER, returnable } from './returnable-items.ts'

export function readResponses(document: Json): LooseHistory {
  const { input, ...fields } = Array.isArray(document)
    ? { input: document as Json }
    : fieldsIn(document)
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listIn(input)
  const reader = new ItemReader(items)
  for (const name of ['previous_response_id', 'conversation', 'prompt'])
    if (fields[name] !== undefined && fields[name] !== null)
      reader.turns.note('unreadable', name, 'what the server has stored is not in the document')
  for (const [index, value] of items.entries()) reader.item(value, `input[${index}]`)
  const system = reader.instructions(fields.instructions)
  return reader.turns.finish(system, Array.isArray(document) ? [] : { ...fields, input: [] })
}

const ROLES: ReadonlyMap<Json | undefined, LooseMessage['role']> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
])

class ItemReader {
  readonly turns = new LooseTurns()
  readonly #returnable: ReadonlySet<Json>
  /** Everything before it is in it. */
  readonly #compaction: Json | undefined
  #isBefore: boolean

  constructor(items: readonly Json[]) {
    const { kept, compaction } = returnable(items)
    this.#returnable = kept
    this.#compaction = compaction
    this.#isBefore = compaction !== undefined
  }

  instructions(value: Json | undefined): string[] {
    if (value === undefined || value === null) return []
    if (typeof value === 'string') return [value]
    this.turns.note('unreadable', 'instructions', 'no text; it became one')
    return [JSON.stringify(value)]
  }

  item(value: Json, at: string): void {
    if (this.#isBefore && value !== this.#compaction) {
      this.turns.note('rewritten', at, 'the compaction behind it stands for it; it was left out')
      return
    }
    this.#isBefore = false
    if (!isFields(value)) {
      this.turns.add('user', at, this.turns.unreadable(value, at, 'an item that is no object'))
      return
    }
    const type = textIn(value.type) ?? (typeof value.role === 'string' ? 'message' : '')
    if (type === 'message') this.#message(value, at)
    else if (type === 'function_call') this.#call(value, at)
    else if (type === 'function_call_output') this.#output(value, at)
    else this.#native(value, type, at)
  }

  #message({ type, role, content, phase, ...rest }: Fields, at: string): void {
    this.turns.noteFields(rest, at)
    const read = ROLES.get(role) ?? (role === 'model' ? 'assistant' : 'user')
    if (!ROLES.has(role)) {
      const name = typeof role === 'string' ? JSON.stringify(role.slice(0, 30)) : 'none'
      this.turns.note('unreadable', `${at}.role`, `the role is ${name}; it was read as ${read}`)
    }
    const parts = this.#content(content, read === 'assistant', at)
    if (read === 'system') this.turns.add('system', at, parts)
    else if (read === 'user') this.turns.addToResults(at, parts)
    else this.turns.addToAnswer(at, typeof phase === 'string' ? inPhase(parts, phase) : parts)
  }

  #content(content: Json | undefined, isAnswer: boolean, at: string): PlacedPart[] {
    const place = `${at}.content`
    if (content === undefined || content === null || content === '') return []
    if (typeof content === 'string') return [{ part: inWords(content), at: place }]
    if (Array.isArray(content))
      return content.flatMap((part: Json, index) =>
        this.#part(part, isAnswer, `${place}[${index}]`),
      )
    if (!isFields(content)) return this.turns.unreadable(content, place, 'neither a text nor parts')
    this.turns.note('unreadable', place, 'a part that is in no list; read as the only one')
    return this.#part(content, isAnswer, place)
  }

  #part(value: Json, isAnswer: boolean, at: string): PlacedPart[] {
    if (!isFields(value)) return this.turns.unreadable(value, at, 'a part that is no object')
    const { type, text, refusal, image_url: _, file_data: __, ...rest } = value
    const words = textIn(text) ?? (type === 'refusal' ? textIn(refusal) : undefined)
    if (words !== undefined) {
      if (type !== (isAnswer ? 'output_text' : 'input_text'))
        this.turns.note('rewritten', at, 'another kind of text; it is written as its role says it')
      this.turns.noteFields(rest, at)
      return [{ part: { type: 'text', text: words }, at }]
    }
    const read = readResponsesPart({ ...value, text: null })
    if (type === 'input_image' && read?.type === 'image') return [{ part: read, at }]
    if (type === 'input_file' && read?.type === 'document' && isPdf(read.media))
      return [{ part: read, at }]
    if (!isAnswer && INPUT_PARTS.has(type))
      return [{ part: { type: 'native', provider: PROVIDER, value }, at }]
    return this.turns.unreadable(value, at, 'no known kind of part')
  }

  #call(item: Fields, at: string): void {
    const { type: _, call_id: id, name, arguments: given, ...rest } = item
    this.turns.noteFields(rest, at)
    for (const [field, value] of Object.entries({ call_id: id, name, arguments: given }))
      if (typeof value !== 'string')
        this.turns.note('unreadable', `${at}.${field}`, 'no text; it was read as one')
    const part = {
      type: 'tool_call' as const,
      id: textIn(id) ?? '',
      name: textIn(name) ?? '',
      arguments: argumentsIn(given),
    }
    this.turns.addToAnswer(at, [{ part, at }])
  }

  #output({ type: _, call_id: id, output, ...rest }: Fields, at: string): void {
    this.turns.noteFields(rest, at)
    if (typeof id !== 'string')
      this.turns.note('unreadable', `${at}.call_id`, 'no text; read as empty')
    const blocks = this.#blocks(output, `${at}.output`)
    const isBlank = blocks.every(({ type, text }) => type === 'text' && !text?.trim())
    if (isBlank) this.turns.note('rewritten', `${at}.output`, 'an empty result; it now says so')
    const part = {
      type: 'tool_result' as const,
      id: textIn(id) ?? '',
      content: isBlank ? [] : blocks,
      status: 'completed' as const,
    }
    this.turns.addToResults(at, [{ part, at }])
  }

  #blocks(output: Json | undefined, at: string): Block[] {
    if (output === undefined || output === null) return []
    if (typeof output === 'string') return [{ type: 'text', text: output }]
    if (!Array.isArray(output)) {
      this.turns.note('unreadable', at, 'neither a text nor parts; it became text')
      return [{ type: 'text', text: JSON.stringify(output) }]
    }
    return output.flatMap((value: Json, index) =>
      this.#part(value, false, `${at}[${index}]`).map(({ part }): Block => {
        if (part.type === 'text') return { type: 'text', text: part.text }
        if (part.type === 'native') return { type: 'native', provider: PROVIDER, value: part.value }
        const { data, uri, mimeType } = 'media' in part ? part.media : { mimeType: '' }
        return {
          type: part.type === 'image' ? 'image' : 'resource',
          mimeType,
          ...(data !== undefined && { data }),
          ...(uri !== undefined && { uri }),
        }
      }),
    )
  }

  /** Reasoning is never told in words. */
  #native(item: Fields, type: string, at: string): void {
    const isOutput = type.endsWith('_output')
    const add = (parts: PlacedPart[]) =>
      isOutput ? this.turns.addToResults(at, parts) : this.turns.addToAnswer(at, parts)
    if (this.#returnable.has(item)) {
      const { id, ...unnamed } = item
      // Without its id a call is bound to no reasoning.
      const isFree = typeof item.call_id === 'string' && id !== undefined
      if (isFree) this.turns.noteFields({ id: id ?? null }, at)
      add([{ part: { type: 'native', provider: PROVIDER, value: isFree ? unnamed : item }, at }])
    } else if (type === 'reasoning')
      this.turns.note('thinking', at, 'reasoning without content or consequence; it was left out')
    else if (ORDERS.has(type))
      this.turns.note('rewritten', at, `a ${type} cannot be sent again; it was left out`)
    else {
      const why = type === '' ? 'an item of no kind' : `a ${type} that cannot be sent again`
      this.turns.add('user', at, this.turns.unreadable(item, at, why))
    }
  }
}

const INPUT_PARTS: ReadonlySet<Json | undefined> = new Set([
  'input_image',
  'input_file',
  'input_audio',
])
function isPdf({ data, mimeType }: Media): boolean {
  return data !== undefined && mimeType === 'application/pdf'
}

/** They say nothing themselves. */
const ORDERS: ReadonlySet<string> = new Set(['compaction_trigger', 'item_reference'])

function inPhase(parts: readonly PlacedPart[], phase: string): PlacedPart[] {
  return parts.map(({ part, at }) => {
    if (part.type !== 'text') return { part, at }
    const text: TextPart = { ...part, extra: { provider: PROVIDER, fields: { phase } } }
    return { part: text, at }
  })
}
