// A long task for a real agent: rules of the user, steps with exact arguments, and how much of them is still known
import type { Asked } from '../../src/dev-model/asked.ts'
import type { ScriptedAnswer } from '../../src/dev-model/reply.ts'
import { shellCall } from './world.ts'

const RULES = ['Never push to the main branch.', 'Always use pnpm, never npm.']
const LINES = 300

/** The stand-in: it works in steps as long as there are any left, whatever the agent has compacted. */
export class LongTask {
  /** The exact arguments of its calls, one for each step. */
  readonly facts: string[] = []
  #prompts = 0
  #left = 0
  #next: ScriptedAnswer | undefined

  /** The next message of the user: the first says one rule, the third the other. */
  prompt(steps: number): string {
    this.#left = steps
    this.#prompts += 1
    if (this.#prompts === 1) return `${RULES[0]} Release every package, one by one.`
    return `Please go on with the release.${this.#prompts === 3 ? ` ${RULES[1]}` : ''}`
  }

  /** How many of the rules were said. */
  get saidRules(): readonly string[] {
    return RULES.slice(0, this.#prompts < 3 ? 1 : 2)
  }

  /** What the model does before anything else. */
  answerNext(answer: ScriptedAnswer): void {
    this.#next = answer
  }

  readonly answer = (asked: Asked): ScriptedAnswer => {
    const next = this.#next
    this.#next = undefined
    if (next) return next
    if (this.#left === 0) return { text: 'That is done.' }
    this.#left -= 1
    const step = this.facts.length + 1
    const fact = `rel-${step}-${((step * 7_919) % 9_973).toString(36)}`
    this.facts.push(fact)
    const command = `seq 1 ${LINES} | sed "s/^/step ${step}, line /"; echo --tag ${fact}`
    return { text: `Step ${step}.`, calls: [shellCall(asked, command)] }
  }

  /** The share of the facts that a request shows. */
  factShare(asked: Asked | undefined): number {
    const text = JSON.stringify(asked?.turns)
    return this.facts.filter((fact) => text.includes(fact)).length / this.facts.length
  }

  hasRules(asked: Asked | undefined): boolean {
    const text = JSON.stringify(asked?.turns)
    return this.saidRules.every((rule) => text.includes(rule))
  }
}
