// Results of tools in the Responses API: each type of output has a shape of its own, which the API insists on
import { fieldsIn, listIn, textIn } from '../core/text/json.ts'
import type { Block, Part } from '../core/view/content.ts'
import { dataUrl } from '../wire/content-parts.ts'
import {
  type AnyMessage,
  hasOnlyText,
  joinTexts,
  madeOf,
  originalOf,
  writeParts,
} from './dialect.ts'

type ReadPart = (value: unknown) => Part
type Native = (value: unknown) => Block

/** The call that an item answers; undefined for other items. */
export function answeredCall(item: AnyMessage): string | undefined {
  const type = textIn(item.type) ?? ''
  if (!type.endsWith('_output')) return undefined
  // Its `id` is that of the call.
  return textIn(item.call_id) ?? (type === 'local_shell_call_output' ? textIn(item.id) : undefined)
}

export function readOutput(item: AnyMessage, readPart: ReadPart, native: Native): Block[] {
  const { type, output } = item
  if (type === 'tool_search_output') return [native(item.tools)]
  if (typeof output === 'string') return [{ type: 'text', text: output }]
  if (type === 'computer_call_output') return [readScreenshot(output)]
  if (!Array.isArray(output))
    return output === undefined || output === null ? [] : [madeOf(native(output), output)]
  return output.map((value: unknown) => {
    if (type === 'shell_call_output') return madeOf({ type: 'text', text: printed(value) }, value)
    const part = readPart(value)
    if (part.type === 'text') return madeOf({ type: 'text', text: part.text }, value)
    if (part.type === 'image') return madeOf({ ...part.media, type: 'image' }, value)
    return madeOf(native(value), value)
  })
}

/** The field of the item that has its result, with new content in the shape of its type. */
export function writeOutput(item: AnyMessage, blocks: readonly Block[]): AnyMessage {
  const { type, output } = item
  if (type === 'tool_search_output') return item
  if (typeof output === 'string' && hasOnlyText(blocks))
    return { ...item, output: joinTexts(blocks) }
  if (type === 'computer_call_output') {
    const kept = blocks.map(originalOf).find((original) => original !== undefined)
    return { ...item, output: kept ?? BLANK }
  }
  if (type === 'shell_call_output') {
    const outcome = worstOutcome(listIn(output))
    const write = (text: string) => ({ stdout: text, stderr: '', outcome })
    return { ...item, output: writeParts(blocks, write) }
  }
  return { ...item, output: writeParts(blocks, inputText) }
}

export function inputText(text: string): AnyMessage {
  return { type: 'input_text', text }
}

function readScreenshot(output: unknown): Block {
  const media = dataUrl(textIn(fieldsIn(output).image_url), 'image/png') ?? { mimeType: 'image/*' }
  return madeOf({ ...media, type: 'image' }, output)
}

function printed(value: unknown): string {
  const { stdout, stderr } = fieldsIn(value)
  return [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n')
}

/** Of several outputs that became one: that a command failed must not be lost. */
function worstOutcome(outputs: readonly unknown[]): unknown {
  const outcomes = outputs.map((value) => fieldsIn(value).outcome)
  const failed = outcomes.filter((outcome) => (fieldsIn(outcome).exit_code ?? 0) !== 0)
  const late = outcomes.find((outcome) => fieldsIn(outcome).type === 'timeout')
  return late ?? failed.at(-1) ?? outcomes.at(-1)
}

/** One transparent pixel: the output of such a call is a picture, and cannot be a text. */
const BLANK = {
  type: 'computer_screenshot',
  image_url:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}
