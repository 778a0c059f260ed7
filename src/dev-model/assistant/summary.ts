// The assistant's summaries: requests, files, commands, current state.
import { cutHead } from '../../core/window/tokens/cut.ts'
import { readFields } from '../../validate/walk.ts'
import {
  type Asked,
  type AskedPart,
  type AskedTurn,
  isNote,
  lastUserTurn,
  textIn,
} from '../asked.ts'

interface Facts {
  readonly requests: readonly string[]
  readonly files: readonly string[]
  readonly commands: readonly string[]
  readonly failures: readonly string[]
  readonly state: string
}

const SHORT_CHARS = 200
const MAX_ITEMS = 20
const PATH = /^[\w@~./-]*[\w-]\.[a-z]\w{0,7}$/i
const MAX_PATH_CHARS = 200
const HEADINGS = ['Requests', 'Files', 'Commands', 'Failures', 'State']

/** Tells readers of a summary that no model wrote it. */
export const WRITTEN_BY = 'Written by the stand-in `dev`, not by a language model.'

/**
 * Summarises everything before the request, or the transcript in the request if there is nothing else.
 * Carries earlier summaries over, unless it will be appended to them.
 */
export function buildSummary(asked: Asked, isAddition = false): string {
  const last = lastUserTurn(asked)
  const prompt = textIn(asked.turns[last]?.parts ?? [])
  const before = asked.turns.slice(0, asked.compaction === undefined ? last : undefined)
  const facts = before.length > 0 ? readFacts(before) : factsInText(withoutSummaries(prompt))
  // The request follows a tagged transcript, so headings within the transcript are ignored.
  const headings = headingsIn(prompt.split(TRANSCRIPT_END).at(-1) ?? '')
  const texts = before.flatMap(({ parts }) => parts.map(findWords))
  const given = before.length > 0 ? texts : [prompt]
  const earlier = earlierSections(isAddition ? [] : given)
  const sections = headings.map((heading) => {
    const carried = earlier.get(heading) ?? []
    earlier.delete(heading)
    return [heading, joined(carried, writeSection(heading, facts))] as const
  })
  const rest = [...earlier].filter(([, lines]) => lines.length > 0)
  return [
    ...(isAddition && prompt.includes(WRITTEN_BY) ? [] : [WRITTEN_BY]),
    ...sections
      .filter(([, text]) => headings !== HEADINGS || text !== 'none')
      .map(([heading, text]) => `## ${heading}\n${text}`),
    ...rest.map(([heading, lines]) => `## ${heading}\n${lines.join('\n')}`),
  ].join('\n\n')
}

const TRANSCRIPT_END = /^<\/(?:conversation|transcript-[^>\s]+)>$/m
const TAGGED = /<(summary|conversation-summary|previous-summary)>\n?([\s\S]*?)\n?<\/\1>/g
const LABELLED = /^(?:\[CONVERSATION SUMMARY\]|Written by the stand-in `dev`)/
const OPENING = /^The conversation history before this point was compacted into .*$/gm
const MAX_CARRIED = 60

/** The content of earlier summaries, by heading. */
function earlierSections(texts: readonly string[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const summary of texts.flatMap(summariesIn)) {
    let heading = 'Earlier'
    for (const line of summary.split('\n').map((each) => each.trimEnd())) {
      const [, title] = /^##+ (.+)$/.exec(line) ?? []
      if (title !== undefined) heading = title
      else if (line !== '' && line !== 'none' && !LABELLED.test(line))
        found.set(heading, latest(unique([...(found.get(heading) ?? []), line]), MAX_CARRIED))
    }
  }
  return found
}

function summariesIn(text: string): string[] {
  if (LABELLED.test(text)) return [text]
  return [...text.matchAll(TAGGED)].map(([, , summary = '']) => summary)
}

function withoutSummaries(text: string): string {
  return LABELLED.test(text) ? '' : text.replaceAll(TAGGED, '').replaceAll(OPENING, '').trim()
}

function joined(carried: readonly string[], section: string): string {
  const lines = unique([...carried, ...section.split('\n').filter((line) => line !== 'none')])
  return lines.length === 0 ? 'none' : lines.join('\n')
}

/**
 * The headings the prompt asks for, numbered or in Markdown; otherwise the assistant's own. The request comes
 * last, because the transcript may contain headings.
 */
function headingsIn(prompt: string): readonly string[] {
  for (const form of [/^\d+\. ([A-Z][^:\n]{2,60}):/gm, /^#{2,3} ([A-Z][^\n]{2,60})$/gm]) {
    const asked = [...prompt.matchAll(form)].map(([, title]) => title ?? '')
    if (asked.length > 0) return latest(unique(asked.toReversed()).toReversed())
  }
  return HEADINGS
}

function writeSection(heading: string, facts: Facts): string {
  if (/request|intent|goal|objective/i.test(heading)) return listed(facts.requests)
  if (/file|code|change/i.test(heading)) return listed(facts.files)
  if (/command|technical|completed|done/i.test(heading)) return listed(facts.commands)
  if (/fail|issue|error/i.test(heading)) return listed(facts.failures)
  if (/state|status|progress|pending|continu|next/i.test(heading)) return facts.state
  return 'none'
}

function listed(items: readonly string[]): string {
  if (items.length === 0) return 'none'
  return items.map((item) => `- ${item}`).join('\n')
}

function readFacts(turns: Asked['turns']): Facts {
  const parts = turns.flatMap((turn) => turn.parts)
  const said = (who: AskedTurn['role']) =>
    turns
      .filter(({ role }) => role === who)
      .map((turn) => turn.parts.filter((part) => part.type !== 'text' || !isNote(part.text)))
      .map((each) => withoutSummaries(textIn(each)))
  const users = said('user')
  const answers = said('assistant')
  const answer = answers.findLast((text) => text !== '')
  return {
    requests: latest(users.filter((text) => text !== '').map(quoted)),
    files: latest(filesIn(parts.map(findWords).join('\n'))),
    commands: latest(unique(parts.flatMap(buildCommand))),
    failures: latest(
      parts.flatMap((part) => (part.type === 'result' && part.failed ? [quoted(part.text)] : [])),
    ),
    state: answer === undefined ? 'Nothing was answered yet.' : `Last answer: ${quoted(answer)}`,
  }
}

/** A transcript in one text, with `# user:` or `[User]:` before each part. */
function factsInText(text: string): Facts {
  const said = [
    ...text.matchAll(/^# (user|assistant):\n{1,2}([^\n]+)/gm),
    ...text.matchAll(/^\[(User|Assistant)\]: ([^\n]+)/gm),
  ]
  const by = (who: string) =>
    said.filter(([, role]) => role?.toLowerCase() === who).map((each) => each[2] ?? '')
  const typed = by('user').filter((line) => !isNote(line) && !line.startsWith('‹'))
  const answer = by('assistant').at(-1)
  return {
    // An earlier summary and its note appear under the user's name; what they list was said before.
    requests: latest(unique([...listedIn(text), ...typed.map(quoted)])),
    files: latest(filesIn(text).filter((path) => path !== '/summary.md')),
    commands: [],
    failures: [],
    state: answer === undefined ? 'none' : `Last answer: ${quoted(answer)}`,
  }
}

function listedIn(text: string): string[] {
  return [...text.matchAll(/^(?:> )?- (“[^\n]+”)$/gm)].map(([, said = '']) => said)
}

/** Shortened to one line in quotation marks, so that nothing reads as a new request. */
export function quoted(text: string): string {
  const line = cutHead(text, 4 * SHORT_CHARS)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= SHORT_CHARS ? `“${line}”` : `“${cutHead(line, SHORT_CHARS)}…”`
}

function findWords(part: AskedPart): string {
  return part.type === 'call' ? JSON.stringify(part.arguments) : part.text
}

function filesIn(text: string): readonly string[] {
  const words = text.split(/[\s"'`“”()[\]{},;:<>|*=]/)
  return unique(words.filter((word) => word.length <= MAX_PATH_CHARS && PATH.test(word)))
}

function buildCommand(part: AskedPart): readonly string[] {
  if (part.type !== 'call') return []
  const { command, cmd } = readFields(part.arguments)
  const found = command ?? cmd
  return typeof found === 'string' ? [found.split('\n', 1)[0] ?? ''] : []
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)]
}

function latest(items: readonly string[], most = MAX_ITEMS): readonly string[] {
  return items.slice(-most)
}
