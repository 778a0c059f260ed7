// The plug-in for OpenCode: a view that stays the same until it is full, what its own compaction gets, and no harm where it fails.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plugin } from './opencode.ts'
import type { Client, OpenCodeMessage } from './opencode-views.ts'

const RULE = 'Never touch the migrations folder.'
const LIMIT = { context: 30_000, output: 4_000 }
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-opencode-'))
  vi.stubEnv('PRECIS_HOME', folder)
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const SESSION = 'ses_1'

/** A rule, then answers with a call and a long result each; the last one says how much was used. */
function messagesOf(answers: number, usedTokens: number): OpenCodeMessage[] {
  const asked = { id: 'msg_0', sessionID: SESSION, role: 'user' as const, time: { created: 1 } }
  const text = { id: 'p', type: 'text', text: `${RULE} Then mend the build.` }
  const list: OpenCodeMessage[] = [{ info: asked, parts: [text] }]
  for (let at = 1; at <= answers; at += 1) {
    const output = Array.from({ length: 150 }, (_, n) => `t${at} line ${n}`).join('\n')
    const state = { status: 'completed', input: { command: `make t${at}` }, output, time: {} }
    const tokens = {
      input: at === answers ? usedTokens : 1,
      output: 0,
      cache: { read: 0, write: 0 },
    }
    const info = {
      id: `msg_${at}`,
      sessionID: SESSION,
      role: 'assistant' as const,
      tokens,
      modelID: 'm',
      providerID: 'p',
    }
    list.push({ info, parts: [{ type: 'tool', tool: 'bash', callID: `c${at}`, state }] })
  }
  return list
}

function clientOf(messages: () => OpenCodeMessage[]): Client {
  const providers = [{ id: 'p', models: { m: { limit: LIMIT } } }]
  return {
    session: {
      get: async () => ({ data: { id: SESSION, directory: folder } }),
      messages: async () => ({ data: messages() }),
    },
    config: { providers: async () => ({ data: { providers } }) },
  }
}

async function open(all: () => OpenCodeMessage[]) {
  const hooks = await plugin()({ directory: folder, client: clientOf(all) })
  const shown = async (given: OpenCodeMessage[]) => {
    const messages = [...given]
    await hooks['experimental.chat.messages.transform']({}, { messages })
    return messages
  }
  return { hooks, shown }
}

const textIn = (message: OpenCodeMessage | undefined) =>
  String((message?.parts[0] as { text?: string } | undefined)?.text ?? '')

describe('the plug-in for OpenCode', () => {
  it('leaves messages as they are below the trigger', async () => {
    const all = messagesOf(12, 15_000)
    expect(await (await open(() => all)).shown(all)).toEqual(all)
  })

  it('puts a brief in place of the beginning, the same until it is full again', async () => {
    const full = messagesOf(20, 24_000)
    const { shown } = await open(() => full)
    const first = await shown(full)
    expect(first.length).toBeLessThan(full.length)
    expect(textIn(first[0])).toMatch(/^\[Context note/)
    expect(textIn(first[0])).toContain(RULE)
    expect(first[0]?.parts).toHaveLength(2) // the request that is worked on stays with it
    expect(first.at(-1)).toBe(full.at(-1))
    const more = messagesOf(22, 12_000)
    const second = await shown(more)
    expect(second[0]).toEqual(first[0])
    expect(second.slice(1).map(({ info }) => info.id)).toEqual(
      more.slice(-(second.length - 1)).map(({ info }) => info.id),
    )
    // Another start of OpenCode goes on with it.
    expect(await (await open(() => more)).shown(more)).toEqual(second)
  })

  it('forgets its view where OpenCode has compacted by itself', async () => {
    const full = messagesOf(20, 24_000)
    const { shown } = await open(() => full)
    await shown(full)
    const rest = messagesOf(20, 9_000).slice(15)
    expect(await shown(rest)).toEqual(rest)
  })

  it('gives rules and state to the compaction of OpenCode, and shows it the same view', async () => {
    const full = messagesOf(20, 24_000)
    const { hooks, shown } = await open(() => full)
    const [brief] = await shown(full)
    const output: { context: string[] } = { context: [] }
    await hooks['experimental.session.compacting']({ sessionID: SESSION }, output)
    expect(output.context.join('\n')).toContain(RULE)
    expect(output.context.join('\n')).toContain('make t20')
    const head = full.slice(0, 10) // all of it is in the brief
    expect((await shown(head)).map(textIn)).toEqual([textIn(brief)])
  })

  it('forgets a view of messages that the user took back, also where OpenCode summarises', async () => {
    const full = messagesOf(20, 24_000)
    let all = full
    const { hooks, shown } = await open(() => all)
    await shown(full)
    const later = messagesOf(3, 1_000).slice(1)
    const others = later.map((one) => ({ ...one, info: { ...one.info, id: `x${one.info.id}` } }))
    for (const rest of [[...full.slice(0, 3), ...others], full.slice(0, 3)]) {
      all = rest
      await hooks['experimental.session.compacting']({ sessionID: SESSION }, { context: [] })
      expect(await shown(rest)).toEqual(rest)
      expect(readdirSync(join(folder, 'opencode'))).toEqual([])
      all = full // from which one is made again
      expect(textIn((await shown(full))[0])).toMatch(/^\[Context note/)
    }
  })

  it('keeps a view where the session cannot be asked whether it still fits', async () => {
    const full = messagesOf(20, 24_000)
    let all: OpenCodeMessage[] | undefined = full
    const { hooks, shown } = await open(() => all as OpenCodeMessage[])
    await shown(full)
    await hooks['experimental.session.compacting']({ sessionID: SESSION }, { context: [] })
    all = undefined
    expect(await shown(full.slice(0, 3))).toEqual(full.slice(0, 3))
    expect(readdirSync(join(folder, 'opencode'))).toEqual([`${SESSION}.json`])
  })

  it('makes a view again where its file is broken', async () => {
    const full = messagesOf(20, 24_000)
    const brief = (await (await open(() => full)).shown(full))[0]
    const file = join(folder, 'opencode', `${SESSION}.json`)
    for (const broken of ['{"first":"msg_0","kep', 'null', '{"first":1,"keptFrom":[]}', '']) {
      writeFileSync(file, broken)
      expect((await (await open(() => full)).shown(full))[0]).toEqual(brief)
      expect(readdirSync(join(folder, 'opencode'))).toEqual([`${SESSION}.json`])
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ brief: textIn(brief) })
    }
  })

  it('knows which session OpenCode summarises when another one sends a request between', async () => {
    const full = messagesOf(20, 24_000)
    const { hooks, shown } = await open(() => full)
    await shown(full)
    await hooks['experimental.session.compacting']({ sessionID: SESSION }, { context: [] })
    const other = messagesOf(2, 100).map(({ info, parts }) => ({
      ...{ info: { ...info, sessionID: 'ses_2' }, parts },
    }))
    expect(await shown(other)).toEqual(other)
    expect(await shown(full.slice(0, 10))).toHaveLength(1)
  })

  it('changes nothing where it fails, and writes down why', async () => {
    const full = messagesOf(20, 24_000)
    const { hooks, shown } = await open(() => {
      throw new Error('no such session')
    })
    expect(await shown(full)).toEqual(full)
    const output: { context: string[] } = { context: [] }
    await hooks['experimental.session.compacting']({ sessionID: SESSION }, output)
    expect(output.context).toEqual([])
    const log = readFileSync(join(folder, 'host-failures.log'), 'utf8')
    expect(log.match(/ plugin opencode .*no such session\n/g)).toHaveLength(2)
  })
})
