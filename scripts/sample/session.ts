// The sample session as Anthropic messages: the story told with the tools, the same every time.
import { readFileSync } from 'node:fs'
import { readProject, readSteps, type Step } from './story.ts'
import { callOf, TOOL_DEFINITIONS } from './tools.ts'

const PARTS = ['1-double-booking', '2-waiting-list', '3-interface']
const SEED = 41

const SYSTEM = `You are a coding assistant at work on quay, a small Python service that manages the guest berths of a tidal harbour. You work in the folder of the project with the tools you are given.

- Read before you change. Make small changes, and run the tests after each.
- Say what you found and what you decided, in short sentences. Do not repeat what a tool printed.
- What the user forbids stays forbidden until they say otherwise.
- Keep a todo list for work of more than three steps.`

type Block = Readonly<Record<string, unknown>>
interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly Block[]
}

export function sampleSession() {
  const steps = PARTS.flatMap((part) => readSteps(textOf(`${part}.txt`)))
  const files = readProject(textOf('project.txt'))
  return {
    model: 'claude-opus-5',
    max_tokens: 16_000,
    system: SYSTEM,
    tools: TOOL_DEFINITIONS,
    messages: messagesOf(steps, files),
  }
}

export function sampleText(): string {
  return `${JSON.stringify(sampleSession(), null, 1)}\n`
}

function textOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

/** Steps of the assistant make one message until a tool has run; all its results are in the next one. */
function messagesOf(story: readonly Step[], files: Map<string, string>): Message[] {
  const random = randomFrom(SEED)
  const messages: Message[] = []
  let said: Block[] = []
  let answered: Block[] = []
  const flush = () => {
    if (said.length > 0) messages.push({ role: 'assistant', content: plain(said) })
    said = []
    if (answered.length > 0) messages.push({ role: 'user', content: plain(answered) })
    answered = []
  }
  for (const step of story) {
    const call = callOf(step, files)
    const startsAnswer = step.kind === 'say' || step.kind === 'think'
    if (step.kind === 'then' || (startsAnswer && answered.length > 0)) flush()
    if (step.kind === 'outside') files.set(step.argument, `${step.lines}\n`)
    if (step.kind === 'think')
      said.push({ type: 'thinking', thinking: step.lines, signature: random.letters(96) })
    if (step.kind === 'say') said.push({ type: 'text', text: step.lines })
    if (step.kind === 'user') answered.push({ type: 'text', text: step.lines })
    if (step.kind === 'reminder')
      answered.push({ type: 'text', text: `<system-reminder>${step.lines}</system-reminder>` })
    if (!call) continue
    const id = `toolu_${random.letters(24)}`
    said.push({ type: 'tool_use', id, name: call.name, input: call.input })
    answered.push({
      type: 'tool_result',
      tool_use_id: id,
      content: call.result,
      ...(call.failed && { is_error: true }),
    })
  }
  flush()
  return messages
}

/** A lone text is written as the string. */
function plain(blocks: readonly Block[]): Message['content'] {
  const [only] = blocks
  return blocks.length === 1 && only?.type === 'text' ? String(only.text) : blocks
}

/** The same letters for the same seed (mulberry32). */
function randomFrom(seed: number) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    letters: (count: number) =>
      Array.from({ length: count }, () => alphabet[Math.floor(next() * alphabet.length)]).join(''),
  }
}
