// Chooses the answer: the script first, then the small assistant.
import type { Json } from '../core/text/json.ts'
import type { Asked } from './asked.ts'
import { assist } from './assistant/assistant.ts'
import type { ScriptedAnswer } from './reply.ts'

/** `undefined` leaves the answer to the assistant. */
export type ScriptFunction = (
  asked: Asked,
  body: Json,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

/** An answer, or a function of the request. */
export type ScriptStep = ScriptedAnswer | ScriptFunction

/** Steps in order, then the assistant; or a function of each request. */
export type Script = readonly ScriptStep[] | ScriptFunction

export class Responder {
  #script: ScriptFunction

  constructor(script: Script = []) {
    this.#script = asFunction(script)
  }

  follow(script: Script): void {
    this.#script = asFunction(script)
  }

  /** A step with only a fault leaves the text to the assistant. */
  async answer(asked: Asked, body: Json): Promise<ScriptedAnswer> {
    const scripted = await this.#script(asked, body)
    if (scripted === undefined) return assist(asked)
    const { fault, ...said } = scripted
    return Object.keys(said).length > 0 || fault === undefined
      ? scripted
      : { ...assist(asked), fault }
  }
}

function asFunction(script: Script): ScriptFunction {
  if (typeof script === 'function') return script
  const left = [...script]
  return (asked, body) => {
    const step = left.shift()
    return typeof step === 'function' ? step(asked, body) : step
  }
}
