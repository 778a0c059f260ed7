// Exam questions by template, from what a session said and did, without a model.
import { findSentences } from '../../core/constraints/sentences.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { ledgerFiles } from '../../core/ledger/ledger-lines.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import type { Digest } from '../../strategies/extract/digest.ts'
import { currentLedger } from '../../strategies/extract/work-state.ts'
import { exactFacts } from '../../strategies/summary/exact-facts.ts'

export const KINDS = ['goal', 'state', 'constraint', 'exact', 'files', 'reason', 'next'] as const
export type Kind = (typeof KINDS)[number]

export interface Question {
  readonly kind: Kind
  readonly text: string
  /** What a correct answer contains. By template: words that count equally. By a model: one sentence. */
  readonly expected: readonly string[]
}

const MOST_OF_KIND = 4
const MOST_EXACT = 6
const CUE_WORDS = 4
const OPENING_SENTENCES = 2
const SHOWN_CHARS = 600

/** Templates cannot ask for reasons. */
export function templateQuestions(digest: Digest, events: readonly ThreadEvent[]): Question[] {
  const ledger = currentLedger(digest.ledger ?? ledgerReducer.init(), digest.settledAt)
  return [
    ...goalQuestions(digest),
    ...stateQuestions(ledger),
    ...ruleQuestions(digest),
    ...exactQuestions(events),
    ...fileQuestions(ledger),
    ...nextQuestions(digest, ledger),
  ].filter(({ expected }) => expected.length > 0)
}

/** Readers are asked to quote: code cannot mark a paraphrase. */
function goalQuestions({ words }: Digest): Question[] {
  const [first, ...later] = words.map(({ text }) => text)
  const requests = later.filter((said) => !isThanks(said))
  const last = requests.at(-1)
  const sentences = requests.slice(0, -1).flatMap((said) => findSentences(said).find(hasCue) ?? [])
  return [
    ...(first === undefined ? [] : [askOpening('goal', "the user's first message", first)]),
    ...(last === undefined ? [] : [askOpening('goal', "the user's last request", last)]),
    ...spread(sentences, MOST_OF_KIND - 2).map((sentence) =>
      askRest('goal', 'The user said', sentence),
    ),
  ]
}

const THANKS =
  /^(?:perfect|great|excellent|wonderful|thanks?|thank you|danke|super|merci|parfait|gracias|perfecto)\b[^?]{0,140}$/iu

function isThanks(said: string): boolean {
  return THANKS.test(said.trim())
}

function askOpening(kind: Kind, whose: string, said: string): Question {
  const opening = findSentences(said).slice(0, OPENING_SENTENCES).join(' ')
  const text = `Quote the first two sentences of ${whose}.`
  return { kind, text, expected: tellingWords(opening === '' ? said : opening) }
}

function askRest(kind: Kind, what: string, sentence: string): Question {
  const { cue, rest } = cued(sentence)
  return { kind, text: `${what}: «${cue} …». Quote the rest of it.`, expected: tellingWords(rest) }
}

function stateQuestions({ tree, landings, tests, errors, commands }: Ledger): Question[] {
  const last = (kind: (typeof landings)[number]['kind']) =>
    landings.findLast((each) => each.kind === kind)?.what ?? ''
  const command = commands.at(-1)
  const failing = tests.filter(({ isFailed }) => isFailed).flatMap(({ failures }) => failures)
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Which branch is checked out?', tree.branch === undefined ? [] : [tree.branch]],
    ['What was committed last?', tellingWords(last('commit'))],
    ['What was pushed last?', tellingWords(last('push'))],
    ['What was merged last?', tellingWords(last('merge'))],
    ['Which tests fail as of their last run?', failing.slice(0, MOST_OF_KIND)],
    ['Which error is open?', tellingWords(errors.at(-1)?.line ?? '')],
    ['Which command ran last? Quote its first line.', tellingWords(firstLine(command?.command))],
  ]
  return rows
    .filter(([, expected]) => expected.length > 0)
    .slice(0, MOST_OF_KIND)
    .map(([text, expected]) => ({ kind: 'state', text, expected }))
}

function firstLine(text = ''): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

function ruleQuestions({ words }: Digest): Question[] {
  const rules = [...new Set(words.flatMap(({ binding }) => binding))].filter(hasCue)
  return spread(rules, MOST_OF_KIND).map((rule) =>
    askRest('constraint', 'The user gave a rule', rule),
  )
}

const LINE_CHARS = { least: 30, most: 220 }
const LEAST_WORDS = 5

function exactQuestions(events: readonly ThreadEvent[]): Question[] {
  const byFact = new Map<string, string>()
  for (const line of events.flatMap(linesSaid).map((said) => said.trim())) {
    if (line.length < LINE_CHARS.least || line.length > LINE_CHARS.most) continue
    const facts = [...exactFacts(line)]
    const [fact] = facts
    if (fact === undefined || facts.length > 2 || line.split(' ').length < LEAST_WORDS) continue
    byFact.set(fact, line)
  }
  return spread([...byFact], MOST_EXACT).map(([fact, line]) => ({
    kind: 'exact',
    text: `What stands for ____ in «${line.replaceAll(fact, '____')}»?`,
    expected: [fact],
  }))
}

function linesSaid(event: ThreadEvent): string[] {
  if (event.type === 'USER_MESSAGE')
    return textOfUserContent(event.data).slice(0, SHOWN_CHARS).split('\n')
  return event.type === 'AGENT_MESSAGE' ? event.data.content.split('\n') : []
}

const MOST_FILES = 8

function fileQuestions(ledger: Ledger): Question[] {
  const named = ledgerFiles(ledger).filter(({ name }) => name !== '')
  const paths = (files: typeof named) => files.slice(0, MOST_FILES).map(({ name }) => name)
  const changed = named.filter(({ state }) => state !== undefined)
  const read = named.filter(({ state, isRead }) => state === undefined && isRead)
  return [
    {
      kind: 'files',
      text: 'Which files were created, modified, renamed or deleted, the latest first?',
      expected: paths(changed),
    },
    {
      kind: 'files',
      text: 'Which files were only read, the latest first?',
      expected: paths(read),
    },
  ]
}

function nextQuestions({ lastWords }: Digest, { todos }: Ledger): Question[] {
  const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress')
  return [
    {
      kind: 'next',
      text: 'Which items of the to-do list are still open?',
      expected: open.slice(0, MOST_OF_KIND).flatMap(({ text }) => tellingWords(text).slice(0, 2)),
    },
    askOpening('next', "the agent's last message", lastWords?.text ?? ''),
  ]
}

const MOST_WORDS = 6
const WORD = /[\p{L}\p{N}][\p{L}\p{N}_./-]{4,}(?<![./-])/gu
const WHOLE_CHARS = 24

/** Distinctive words of a text; for scripts without blanks its beginning. */
function tellingWords(text: string): string[] {
  const line = text.slice(0, SHOWN_CHARS).replace(/\s+/g, ' ').trim()
  const words = [...new Set([...exactFacts(line), ...(line.match(WORD) ?? [])])]
  if (words.length > 0) return spread(words, MOST_WORDS)
  return line === '' ? [] : [line.slice(0, WHOLE_CHARS)]
}

function hasCue(text: string): boolean {
  return tellingWords(cued(text).rest).length > 1
}

function cued(text: string): { readonly cue: string; readonly rest: string } {
  const words = text.trim().split(/\s+/)
  return { cue: words.slice(0, CUE_WORDS).join(' '), rest: words.slice(CUE_WORDS).join(' ') }
}

/** At most this many, spread evenly over the list. */
function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list]
  return Array.from({ length: most }, (_, at) => {
    return list[Math.floor((at * (list.length - 1)) / Math.max(1, most - 1))] as T
  })
}
