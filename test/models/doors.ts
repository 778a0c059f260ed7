// The characters of model behind the doors: each as a script for the stand-in, and a planted thread as drafts.
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Asked, ScriptedAnswer } from '../../src/dev-model/index.ts'
import type { Character } from './characters.ts'
import { plant, REQUEST } from './planted.ts'

/** A thread of about so many tokens; its last request is still to be said. */
export function plantedDrafts(tokens: number): { drafts: EventDraft[]; facts: readonly string[] } {
  const { log, facts } = plant(tokens)
  const drafts = log.events.slice(0, -1).map(({ type, data }) => ({ type, data }) as EventDraft)
  return { drafts, facts }
}

const CALL: ScriptedAnswer = { calls: [{ name: 'list', arguments: {} }] }

/** What the character answers: to a chunk, to a request for its own call, for a summary, and to the task. */
export function scriptOf(character: Character): (asked: Asked) => ScriptedAnswer {
  return (asked) => (isTask(asked) ? { text: 'Renamed.' } : summaryOf(character, asked))
}

/** What the character answers where a summary is asked for, in any of the forms. */
export function summaryOf(character: Character, asked: Asked): ScriptedAnswer {
  if (asked.tools.some(({ name }) => name === 'edl')) return chunkAnswer(character, asked)
  if (asksForCall(asked)) return ownCall(character, asked)
  if (character.callsTools && asked.tools.length > 0 && asked.toolChoice !== 'none') return CALL
  const text = character.summary(textSent(asked))
  return text === '' ? { fault: { kind: 'empty' } } : { text }
}

/** Everything that the model is sent, as one text. */
export function textSent({ turns }: Asked): string {
  return turns.flatMap(({ parts }) => parts.map(textIn)).join('\n')
}

export function asksForCall({ turns }: Asked): boolean {
  const last = turns.at(-1)?.parts.map(textIn).join('\n') ?? ''
  return last.includes('call your `compact` tool')
}

/** The prompt for a summary stands behind all that was said, in the same turn as a request without an answer. */
function isTask(asked: Asked): boolean {
  const { turns, tools } = asked
  if (tools.some(({ name }) => name === 'edl') || asksForCall(asked)) return false
  const texts =
    turns
      .at(-1)
      ?.parts.map(textIn)
      .filter((text) => !/^<checkpoint:/.test(text)) ?? []
  const last = texts.at(-1) ?? ''
  return last.includes(REQUEST) || /^(?:\[Context note|<system-reminder>)/.test(last)
}

function textIn(part: Asked['turns'][number]['parts'][number]): string {
  return part.type === 'call' ? '' : part.text
}

function chunkAnswer(character: Character, { turns, tools }: Asked): ScriptedAnswer {
  const first = turns[0]?.parts.map(textIn).join('\n') ?? ''
  const [, chunk] = /This is chunk (\d+) of/.exec(first) ?? []
  if (character.callsTools) return { calls: [{ name: tools[0]?.name ?? '', arguments: {} }] }
  const script =
    turns.length > 1 || chunk === undefined ? undefined : character.script(first, Number(chunk))
  return script === undefined
    ? { text: 'Incorporated everything.' }
    : { calls: [{ name: 'edl', arguments: { script } }] }
}

/** The agent's own `compact`, in the form that it is offered in. */
function ownCall(character: Character, asked: Asked): ScriptedAnswer {
  if (character.callsTools) return CALL
  const { tools } = asked
  const summary = character.summary(textSent(asked))
  const schema = JSON.stringify(tools.find(({ name }) => name === 'compact')?.schema)
  const input = schema.includes('replacements') ? { replacements: [{ summary }] } : { summary }
  return { calls: [{ name: 'compact', arguments: input }] }
}
