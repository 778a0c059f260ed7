// Images and base64 on their way to every provider: within its limits, and nothing lost that cannot be found.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Composed } from '../../src/compose.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { type CollectedAnswer, collectAnswer } from '../../src/core/model.ts'
import type { Json } from '../../src/core/text/json.ts'
import type { Block, Part } from '../../src/core/view/content.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { pngOf } from '../generate/damage.ts'
import { answer, result, user } from '../say.ts'
import { composedWith } from './composed.ts'

/** The model of the last one sees no images: there they are all named in words. */
const MODELS = [
  { name: 'anthropic/claude-fable-5-1', most: 100, sees: true },
  { name: 'openai/gpt-5', most: 500, sees: true },
  { name: 'openai-chat/some-model', most: 500, sees: true },
  { name: 'ollama/some-model', most: 500, sees: false },
]
const READ = { name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }

let server: DevModel
beforeAll(async () => {
  server = await startDevModel({ windowTokens: 2_000_000, script: () => ({ text: 'Seen.' }) })
})
afterAll(() => server.close())

const open = () =>
  composedWith(server, {
    // A window of this size allows a hundred images.
    catalogue: { 'anthropic/claude-fable-5-1': { windowTokens: 200_000, boundThinking: true } },
  })

async function ask({ threads, models }: Composed, id: string, name: string) {
  const { provider, model, ref } = await (await models()).resolve(name)
  const { system, messages } = await threads.messages(id)
  const collected = await collectAnswer(
    ref,
    provider.stream({
      model,
      system,
      messages,
      tools: [READ],
      toolChoice: 'auto',
      maxOutputTokens: 1_000,
      cache: true,
    }),
  )
  await threads.append(id, [{ type: 'AGENT_MESSAGE', data: collected.answer }])
  return collected
}

const picture = (widthPx: number, heightPx: number, padding = 0): Part => ({
  type: 'image',
  media: { mimeType: 'image/png', data: pngOf(widthPx, heightPx) + 'A'.repeat(padding) },
})
const shown = (parts: readonly Part[]): EventDraft => ({ type: 'USER_MESSAGE', data: parts })

/** A round whose tool shows pictures. */
function screenshots(call: string, count: number): EventDraft[] {
  const block: Block = { type: 'image', mimeType: 'image/png', data: pngOf(800, 600) }
  const content = Array.from({ length: count }, () => block)
  return [
    ...answer('Looking.', call),
    { type: 'TOOL_RESULT', data: { id: call, content, status: 'completed' } },
  ]
}

/** The images of the last request, in whatever shape the wire has for them. */
function imagesSent(): number {
  const body = JSON.stringify(server.requests.at(-1)?.body)
  return (body.match(/iVBORw0KGgo/g) ?? []).length
}

function captionsSent(): string[] {
  return JSON.stringify(server.requests.at(-1)?.body).match(/\[image [^\]]*, ref [^\]]*\]/g) ?? []
}

describe.each(MODELS)('media for $name', ({ name, most, sees }) => {
  it('goes by age behind captions whose refs lead back to it; base64 in text is folded [NEED-19]', async () => {
    const opened = open()
    const id = await opened.threads.create()
    const base64 = Buffer.from(Array.from({ length: 6_000 }, (_, at) => (at * 73) % 251)).toString(
      'base64',
    )
    await opened.threads.append(id, [
      shown([{ type: 'text', text: 'see' }, picture(640, 480)]),
      ...screenshots('c1', most - 1),
      user(`What is this? data:image/png;base64,${base64} And this?`),
    ])
    const first = await ask(opened, id, name)
    expect(first.repairs.join()).toContain('folded')
    expect(imagesSent()).toBe(sees ? most : 0)
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain(base64.slice(0, 100))

    await opened.threads.append(id, [...screenshots('c2', 1), user('And now?')])
    const second = await ask(opened, id, name)
    const gone = most / 4 + 1
    expect(imagesSent()).toBe(sees ? most + 1 - gone : 0)
    expect(said(second)).toContain(`an image beyond the newest ${most}`)
    const captions = captionsSent()
    expect(captions).toHaveLength(gone)
    expect(captions[0]).toMatch(/^\[image image\/png 640×480 px, \d+ bytes, ref e\d+\]$/)
    const refs = new Set(captions.map((caption) => /ref (e\d+)/.exec(caption)?.[1]))
    for (const ref of refs) {
      const originals = await opened.threads.originals(id, ref as `e${number}`)
      expect(JSON.stringify(originals)).toContain('iVBORw0KGgo')
    }
    const folded = /ref (e\d+)@(\d+)/.exec(JSON.stringify(server.requests.at(-1)?.body))
    const [whole] = await opened.threads.originals(id, folded?.[1] as `e${number}`)
    expect(String(whole?.data).slice(Number(folded?.[2]))).toContain(base64)

    // For a while nothing more goes: what was sent before is sent again, to the byte.
    const before = messagesSent()
    await opened.threads.append(id, [...screenshots('c3', most / 8), user('And now?')])
    await ask(opened, id, name)
    expect(captionsSent()).toEqual(captions)
    expect(messagesSent().slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    await opened.close()
  }, 60_000)
})

describe('limits of Anthropic', () => {
  const asking = async (...parts: readonly Part[]): Promise<CollectedAnswer> => {
    const opened = open()
    const id = await opened.threads.create()
    await opened.threads.append(id, [shown([{ type: 'text', text: 'see' }, ...parts])])
    const collected = await ask(opened, id, 'anthropic/claude-fable-5-1')
    await opened.close()
    return collected
  }

  it('on one image are kept by a caption: edge, bytes, kind [VALID-A18, NEED-19]', async () => {
    const { repairs } = await asking(
      picture(9_000, 10),
      picture(10, 10, 5_300_000),
      { type: 'image', media: { mimeType: 'image/bmp', data: 'Qk0=' } },
      picture(8_000, 8_000),
    )
    expect(imagesSent()).toBe(1)
    expect(repairs.join('\n')).toMatch(/9000×10 px.*\n.*5\.3 MB.*\n.*image\/bmp/)
  })

  it('on edges among many are kept with the newest in sight [VALID-A18, NEED-19]', async () => {
    const { repairs } = await asking(...Array.from({ length: 21 }, () => picture(2_400, 1_000)))
    expect(imagesSent()).toBe(15)
    expect(said({ repairs })).toContain('some of which are over 2000 px')
  })
})

describe('the reading of a thread', () => {
  it('counts images by their dimensions, wherever they stand', async () => {
    const opened = open()
    const weight = async (...drafts: EventDraft[]) => {
      const id = await opened.threads.create()
      await opened.threads.append(id, drafts)
      return (await opened.threads.reading(id)).tokens ?? 0
    }
    const plain = await weight(shown([{ type: 'text', text: 'see' }]))
    expect(await weight(shown([{ type: 'text', text: 'see' }, picture(750, 100)]))).toBe(
      plain + 100,
    )
    const empty = await weight(...answer('Looking.', 'c'), result('c', ''))
    const seen = await weight(...screenshots('c', 1).slice(0, -1), {
      type: 'TOOL_RESULT',
      data: {
        id: 'c',
        content: [{ type: 'image', mimeType: 'image/png', data: pngOf(750, 1_000) }],
        status: 'completed',
      },
    })
    expect(seen).toBe(empty + 1_000)
    await opened.close()
  })
})

function said({ repairs }: Pick<CollectedAnswer, 'repairs'>): string {
  return repairs.join('\n')
}

/** Without marks for the cache, which move with every turn. */
function messagesSent(): readonly Json[] {
  const body = (server.requests.at(-1)?.body ?? {}) as Readonly<Record<string, Json>>
  return JSON.parse(
    JSON.stringify(body.messages ?? body.input ?? [], (key, value: Json) =>
      key === 'cache_control' ? undefined : value,
    ),
  ) as readonly Json[]
}
