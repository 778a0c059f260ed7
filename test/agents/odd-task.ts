// What long sessions have beside calls and results: images, a sub-agent, and turns that the user interrupted.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import type { Asked, OfferedTool } from '../../src/dev-model/asked.ts'
import type { ScriptedAnswer } from '../../src/dev-model/reply.ts'
import { answerTo, shellCall, type World } from './world.ts'

export const LOOK = 'Please look at the picture.'
export const DELEGATE = 'Please ask a helper for the number.'
const HELP = 'Find out the number, helper.'
export const FOUND = 'The helper found number 42.'
const WAIT = 'Please run the slow command.'
const TALK = 'Please tell a long story.'
const PROMPTS = [LOOK, DELEGATE, HELP, WAIT, TALK]

const PICTURE = 'picture.png'
const STARTED = 'started'
const STALL_MS = 60_000
const TALKED = 'It was a dark and stormy night. '.repeat(40)

/** The stand-in: it uses the host's own tools for images and sub-agents. */
export class OddTask {
  #project = ''
  #talking = 0

  readonly answer = (asked: Asked): ScriptedAnswer => {
    const texts = asked.turns.map(userText)
    const prompts = texts.map((text) => PROMPTS.filter((each) => text.includes(each)).at(-1))
    const at = prompts.findLastIndex((prompt) => prompt !== undefined)
    if (texts.some((text, turn) => turn > at && /work in \d+ rounds/.test(text)))
      return answerTo(asked)
    const calls = asked.turns.slice(at + 1).flatMap(({ parts }) => parts.filter(isCall))
    if (prompts[at] === DELEGATE) return this.#delegate(asked, calls.length)
    if (prompts[at] === TALK) {
      this.#talking += 1
      return { text: TALKED, fault: { kind: 'stall', at: 'middle', ms: STALL_MS } }
    }
    if (calls.length > 0) return { text: prompts[at] === HELP ? FOUND : 'That is done.' }
    if (prompts[at] === LOOK) return this.#look(asked)
    if (prompts[at] === HELP) return { calls: [shellCall(asked, 'echo the number is 42')] }
    return { calls: [shellCall(asked, `echo begun; touch ${STARTED}; sleep ${STALL_MS / 1_000}`)] }
  }

  /** The files that its calls are about. */
  setUp({ project }: World): void {
    this.#project = project
    writeFileSync(join(project, PICTURE), picture())
  }

  /** Two turns that the user stops: in a command, and in the middle of an answer. */
  async interruptTwice(world: World, resume: (prompt: string) => readonly string[]): Promise<void> {
    await world.interrupts(resume(WAIT), () => existsSync(join(world.project, STARTED)))
    await world.interrupts(resume(TALK), () => this.#talking > 0)
  }

  #look({ tools }: Asked): ScriptedAnswer {
    const tool = offered(tools, ['Read', 'view_image', 'read'])
    const key = ['file_path', 'filePath', 'path'].find((name) =>
      JSON.stringify(tool.schema).includes(`"${name}"`),
    )
    const given = { [key ?? '']: join(this.#project, PICTURE) }
    return { text: 'I look.', calls: [{ name: tool.name, arguments: given }] }
  }

  /** Codex answers at once and wants to be asked for the result; the others wait, or tell the result by themselves. */
  #delegate({ tools, turns }: Asked, calls: number): ScriptedAnswer {
    const tool = offered(tools, ['Agent', 'task', 'spawn_agent'])
    if (tool.name === 'spawn_agent') {
      if (calls === 0) return { calls: [{ name: tool.name, arguments: { message: HELP } }] }
      const id = /agent_id\W+([0-9a-f-]{36})/.exec(JSON.stringify(turns.at(-1)))?.[1]
      const given = { targets: [id ?? ''], timeout_ms: STALL_MS }
      return calls === 1
        ? { calls: [{ name: 'wait_agent', arguments: given }] }
        : { text: 'Thanks.' }
    }
    const type = tool.name === 'task' ? 'general' : 'general-purpose'
    const given = { description: 'find the number', prompt: HELP, subagent_type: type }
    return calls === 0 ? { calls: [{ name: tool.name, arguments: given }] } : { text: 'Thanks.' }
  }
}

export function isOfSubAgent({ turns }: Asked): boolean {
  const [first] = turns.map(userText).filter((text) => PROMPTS.some((each) => text.includes(each)))
  return first?.includes(HELP) ?? false
}

function offered(tools: readonly OfferedTool[], names: readonly string[]): OfferedTool {
  const tool = tools.find(({ name }) => names.includes(name))
  if (!tool) throw new Error(`none of ${names.join(', ')} is offered`)
  return tool
}

function userText({ role, parts }: Asked['turns'][number]): string {
  return role === 'user'
    ? parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    : ''
}

function isCall({ type }: { readonly type: string }): boolean {
  return type === 'call'
}

const SIDE = 64

/** A PNG of colours. */
function picture(): Buffer {
  const row = 1 + 3 * SIDE
  const pixels = Buffer.from(
    Array.from({ length: SIDE * row }, (_, at) => (at % row ? at % 251 : 0)),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  header.set([8, 2], 8)
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
