// Repairs a document of OpenAI's or Google's format; a valid one is copied unchanged
import { PrecisError } from '../../core/errors.ts'
import type { RepairProfile } from '../../core/repair/profile.ts'
import { repair } from '../../core/repair/repair.ts'
import type { RepairChange } from '../../core/repair/turn.ts'
import type { Json } from '../../core/text/json.ts'
import { wellFormed } from '../../formats/outgoing.ts'
import { PROFILES } from '../../validate/profiles.ts'
import type { Profile } from '../../validate/rule.ts'
import { validate } from '../../validate/validate.ts'
import { fieldsOf, isGiven } from '../../validate/walk.ts'
import type { LooseHistory, Place } from '../../wire/repair/loose-history.ts'
import { repairProfile } from '../../wire/repair/profile.ts'
import { readLoosely } from '../../wire/repair/read-anthropic.ts'
import { readChat } from '../../wire/repair/read-chat.ts'
import { readGemini } from '../../wire/repair/read-gemini.ts'
import { readResponses } from '../../wire/repair/read-responses.ts'
import { documentAs, type WireFormat } from './check-format.ts'
import type { Target } from './check-wires.ts'
import { toolNamesIn } from './document-request.ts'
import { type OwnTarget, type RewrittenFormat, writeDocument } from './write-document.ts'

export interface RepairedDocument {
  /** Absent if there was nothing to change: the original will do, byte for byte. */
  readonly text?: string
  readonly changes: readonly RepairChange[]
}

/** Whoever it is for, the copy keeps the rules of its own format: the writers for others see to theirs. */
export function repairWireDocument(
  document: Json,
  format: RewrittenFormat,
  { name, profile, write }: Target,
): RepairedDocument {
  const own: OwnTarget = write === undefined ? { name, profile } : ownOf(format)
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
  // The writers leave out optional fields, such as the id of an item, without a note.
  if (changes.length === 0)
    for (const { where, message } of violations)
      changes.push({ what: 'rewritten', where, why: message })
  return { text: `${JSON.stringify(copy, wellFormed, 2)}\n`, changes }
}

export function readDocument(
  document: Json,
  format: WireFormat,
  { name, profile }: OwnTarget = ownOf(format),
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

function ownOf(format: WireFormat): OwnTarget {
  return { name: format, profile: PROFILES[format] }
}

/** Outputs may answer calls that only the server has: as text they would answer nothing. */
function refuseStored(document: Json): void {
  const fields = fieldsOf(document)
  const stored = ['previous_response_id', 'conversation'].find((name) => isGiven(fields[name]))
  if (stored === undefined) return
  throw new PrecisError('usage', 'a request that goes on from what a server stored is not whole', {
    where: stored,
    hint: `Put all items into \`input\` and leave out \`${stored}\`, or leave out --repair.`,
  })
}

/** The writers choose among thinking and items of their own API by themselves. */
function rulesFor(profile: Profile, toolNames: readonly string[]): RepairProfile {
  const { natives, ...rules } = repairProfile(profile, { toolNames })
  return {
    ...rules,
    thinking: 'any',
    ...(profile.wire === 'openai-chat' && natives && { natives }),
    // Its writer joins them in any case: here it is told.
    ...(profile.wire === 'gemini' && { repeatedRoles: false }),
  }
}

/** `messages[3].parts[1]`, as the reader counts, at its place in the document. */
function placeIn(where: string, { places = [] }: LooseHistory): string {
  const found = /^messages\[(\d+)\](?:\.parts\[(\d+)\])?/.exec(where)
  const place: Place | undefined = found === null ? undefined : places[Number(found[1])]
  if (found === null || place === undefined) return where
  return found[2] === undefined ? place.at : (place.parts[Number(found[2])] ?? place.at)
}
