// A thread with a model that thinks, over HTTP, to which anything may happen between two requests.
import type { Composed } from '../../src/compose.ts'
import { PrecisError } from '../../src/core/errors.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { collectAnswer, type ModelRequest, type ToolSchema } from '../../src/core/model.ts'
import type { Store } from '../../src/core/ports.ts'
import type { DevModel } from '../../src/dev-model/index.ts'
import type { ScriptedAnswer, ScriptedPart } from '../../src/dev-model/reply.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { randomProposal } from '../generate/proposal.ts'
import { Random } from '../generate/random.ts'
import { checkpoint, reminder, result, system, user } from '../say.ts'
import { composedWith } from './composed.ts'

const TOOLS: readonly ToolSchema[] = ['read', 'list'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object' },
}))

const STEPS = {
  ask: 10,
  user: 4,
  results: 8,
  aside: 2,
  compact: 4,
  trim: 2,
  undo: 3,
  undoOlder: 2,
  redo: 2,
  redoOlder: 1,
  expand: 2,
  fork: 1,
  forkPast: 1,
  system: 1,
  tools: 1,
  restart: 1,
} as const

/** Reversals may be refused, with a reason. */
const REFUSALS = new Set(['covered-by', 'nothing-to-undo', 'nothing-to-redo', 'unknown-entry'])

export interface WorldOptions {
  readonly server: DevModel
  readonly model: string // with its provider
  /** Whether requests say that the model may think. */
  readonly wishes: boolean
}

export class ThinkingWorld {
  readonly random: Random
  readonly did: string[] = []
  readonly #options: WorldOptions
  readonly #store: Store = memoryStore()
  #opened: Composed
  #id = ''
  #tools = TOOLS

  constructor(seed: number, options: WorldOptions) {
    this.random = new Random(seed)
    this.#options = options
    this.#opened = this.#open()
  }

  async begin(): Promise<void> {
    this.#id = await this.#opened.threads.create()
    await this.#opened.threads.append(this.#id, [system('Be brief.'), user('Look at it.')])
  }

  /** One random step; afterwards the request that could be made now is shown to the server. */
  async step(): Promise<void> {
    const name = this.random.weighted(STEPS)
    this.did.push(name)
    try {
      await this.#play(name)
    } catch (error) {
      if (!PrecisError.is(error) || !REFUSALS.has(error.code)) throw error
    }
    await this.#count()
  }

  #open(): Composed {
    const opened = composedWith(
      this.#options.server,
      // A name that the SDK does not warn of, with what models of that age had.
      {
        catalogue: {
          'anthropic/claude-old-4-5': { windowTokens: 200_000, thinking: 'budget', prefill: true },
        },
      },
      { store: this.#store },
    )
    opened.threads.register({
      id: 'random',
      propose: async (input) => randomProposal(input, this.random) ?? { edits: [] },
    })
    return opened
  }

  async #play(name: keyof typeof STEPS): Promise<unknown> {
    const { threads } = this.#opened
    const { random } = this
    const id = this.#id
    const context = await threads.context(id)
    switch (name) {
      case 'ask':
        return this.#ask()
      case 'user':
        return threads.append(id, [user(`Message ${random.int(0, 99)}.`)])
      case 'aside':
        return threads.append(id, [
          random.chance(0.5) ? reminder('Mind the time.') : checkpoint('abcdef'),
        ])
      case 'results':
        for (const call of context.open)
          if (random.chance(0.8)) await threads.append(id, [result(call, 'line\n'.repeat(40))])
        return
      case 'compact':
        return threads.compact(id, 'random', { minTokens: 1e9 })
      case 'trim':
        return threads.compact(id, 'trim-tool-results')
      case 'undo':
        return threads.undo(id)
      case 'undoOlder':
        return context.stack.length > 0 ? threads.undo(id, random.pick(context.stack)) : undefined
      case 'redo':
        return threads.redo(id)
      case 'redoOlder':
        return context.undone.length > 0 ? threads.redo(id, random.pick(context.undone)) : undefined
      case 'expand': {
        const made = context.items.toArray().filter((item) => item.id.startsWith('c'))
        return made.length > 0 ? threads.expand(id, random.pick(made).id) : undefined
      }
      case 'fork':
        this.#id = await threads.fork(id)
        return
      case 'forkPast':
        this.#id = await threads.fork(id, random.int(2, context.version))
        return
      case 'system':
        return threads.append(id, [system(`Be brief, ${random.int(0, 9)} times.`)])
      case 'tools':
        this.#tools = random.chance(0.5) ? TOOLS : TOOLS.slice(0, 1)
        return
      case 'restart':
        this.#opened = this.#open()
        return
    }
  }

  async #ask(): Promise<void> {
    const request = await this.#request()
    if (request === undefined) return
    const { threads, models } = this.#opened
    const { provider, ref } = await (await models()).resolve(this.#options.model)
    this.#options.server.script([randomAnswer(this.random)])
    const { answer, calls } = await collectAnswer(ref, provider.stream(request))
    await threads.append(this.#id, [
      { type: 'AGENT_MESSAGE', data: answer },
      ...calls.map((call): EventDraft => ({ type: 'TOOL_CALL', data: { ...call, answer: 0 } })),
    ])
  }

  /** The counter holds requests to the same rules, and has no effect. */
  async #count(): Promise<void> {
    const request = await this.#request()
    if (request === undefined) return
    const { provider } = await (await this.#opened.models()).resolve(this.#options.model)
    await provider.countTokens?.(request)
  }

  /** As the documentation says: what `messages` gives goes into the request. None while calls are open. */
  async #request(): Promise<ModelRequest | undefined> {
    const { threads, models } = this.#opened
    const { open } = await threads.context(this.#id)
    const { system: prompts, messages } = await threads.messages(this.#id)
    if (open.size > 0 || messages.at(-1)?.role !== 'user') return undefined
    const { model } = await (await models()).resolve(this.#options.model)
    return {
      model,
      system: prompts,
      messages,
      tools: this.#tools,
      toolChoice: 'auto',
      maxOutputTokens: 4_000,
      ...(this.#options.wishes && { thinking: { effort: 'low', budgetTokens: 1_024 } }),
      cache: true,
    }
  }
}

/** Thinking in every place where models put it: before the words, between the calls, or nowhere. */
function randomAnswer(random: Random): ScriptedAnswer {
  const parts: ScriptedPart[] = []
  if (random.chance(0.8)) parts.push(thought(random))
  if (random.chance(0.2)) parts.push({ type: 'redacted_thinking', data: `r${random.int(0, 1e6)}` })
  if (random.chance(0.7)) parts.push({ type: 'text', text: `Answer ${random.int(0, 9)}.` })
  const calls = random.pick([0, 0, 1, 1, 2])
  for (let count = 0; count < calls; count += 1) {
    if (random.chance(0.3)) parts.push(thought(random))
    parts.push({ type: 'call', call: { name: 'read', arguments: { path: `${count}.txt` } } })
  }
  return parts.length > 0 ? { parts } : { text: 'Yes.' }
}

function thought(random: Random): ScriptedPart {
  return { type: 'thinking', thinking: random.chance(0.3) ? '' : `Hm ${random.int(0, 1e6)}.` }
}
