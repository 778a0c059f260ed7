// Who answers: the script while it lasts, and otherwise the small assistant.
import type { Json } from '../core/json.ts'
import type { Asked } from './asked.ts'
import { assist } from './assistant/assistant.ts'
import type { ScriptedAnswer } from './reply.ts'

/** `undefined` leaves this answer to the assistant. */
export type ScriptFunction = (
  asked: Asked,
  body: Json,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

/** Answers in order, then the assistant; or a function of each request. */
export type Script = readonly ScriptedAnswer[] | ScriptFunction

export class Brain {
  #script: ScriptFunction

  constructor(script: Script = []) {
    this.#script = asFunction(script)
  }

  follow(script: Script): void {
    this.#script = asFunction(script)
  }

  async answer(asked: Asked, body: Json): Promise<ScriptedAnswer> {
    return (await this.#script(asked, body)) ?? assist(asked)
  }
}

function asFunction(script: Script): ScriptFunction {
  if (typeof script === 'function') return script
  const left = [...script]
  return () => left.shift()
}
