// Several system messages at the head of a history: all of them are the prompt, and none is lost.
import { describe, expect, it } from 'vitest'
import { system, user } from '../say.ts'
import { formatOf, freshThreads, openText, outgoingOf, viewIn, writing } from './session.ts'

const TALK = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi.' },
]
const HEAD = [
  { role: 'system', content: 'You are a careful editor.' },
  { role: 'system', content: 'Answer in French.' },
]

describe.each(['openai-chat', 'ai-sdk'])('a history of %s', (id) => {
  const format = formatOf(id)

  it('with two system messages at its head keeps both', async () => {
    const text = JSON.stringify([...HEAD, ...TALK])
    const { view } = await openText(text, format)
    expect(view.system.join('\n\n')).toBe('You are a careful editor.\n\nAnswer in French.')
  })

  it('writes both where it was changed, and the file as it was where it was not', async () => {
    const text = JSON.stringify([...HEAD, ...TALK])
    const opened = await openText(text, format)
    const same = format.write?.(await outgoingOf(opened), writing())
    for (const { content } of HEAD) expect(JSON.stringify(same)).toContain(content)
    await opened.threads.append(opened.threadId, [user('And now?')])
    const changed = format.write?.(await outgoingOf(opened), writing())
    for (const { content } of HEAD) expect(JSON.stringify(changed)).toContain(content)
  })

  it('takes a system message in the middle for a word in between', async () => {
    const later = { role: 'system', content: 'The user is away.' }
    const [first] = HEAD
    const { view } = await openText(JSON.stringify([first, ...TALK, later, ...TALK]), format)
    expect(view.system).toEqual(['You are a careful editor.'])
    expect(JSON.stringify(view.messages)).toContain('The user is away.')
  })
})

describe('drafts of a program', () => {
  it('with two prompts right behind each other keep both', async () => {
    const threads = freshThreads()
    const threadId = await threads.create()
    await threads.append(threadId, [system('One.'), system('Two.'), user('Hello')])
    expect((await viewIn(threads, threadId)).system.join('\n\n')).toBe('One.\n\nTwo.')
    await threads.append(threadId, [system('Another.')])
    expect((await viewIn(threads, threadId)).system).toEqual(['Another.'])
  })
})
