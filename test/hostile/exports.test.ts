// Secrets in every place of a session: none is in what is exported, in any format, or in its report.
import { describe, expect, it } from 'vitest'
import { eachPlace } from '../cli/place.ts'
import { fill } from './text/fill.ts'

const place = eachPlace()
const FORMATS =
  'claude-code codex pi opencode ai-sdk openai-responses openai-chat anthropic markdown html'

const secrets: string[] = []
function secret(where: string): string {
  const { text } = fill('ghp_{!b62:36}', where)
  secrets.push(text)
  return text
}

function session(): string {
  const of = (uuid: string, parentUuid: string | null) => ({
    ...{ uuid, parentUuid, sessionId: secret('session'), cwd: `/x/${secret('cwd')}` },
    ...{ gitBranch: secret('branch'), version: secret('version') },
    timestamp: '2026-01-01T00:00:00Z',
  })
  const call = `toolu_${secret('call')}`
  const input = {
    command: `ls ${secret('command')}`,
    [secret('key')]: 1,
    data: secret('data'),
    id: secret('id'),
    signature: secret('signature'),
    deep: [{ a: { b: [secret('deep')] } }],
  }
  const text = (of_: string) => ({ type: 'text', text: `key ${secret(of_)}` })
  const source = { type: 'text', media_type: 'text/plain', data: secret('document') }
  const rows = [
    {
      ...{ type: 'user', ...of('u1', null) },
      message: {
        role: 'user',
        content: [text('first'), { type: 'document', title: secret('title'), source }],
      },
    },
    {
      ...{ type: 'assistant', ...of('u2', 'u1') },
      message: {
        ...{ role: 'assistant', model: secret('model'), id: `msg_${secret('message')}` },
        content: [text('answer'), { type: 'tool_use', id: call, name: 'Read', input }],
      },
    },
    {
      ...{ type: 'user', ...of('u3', 'u2'), toolUseResult: { [secret('field')]: secret('value') } },
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call, content: [text('result')] }],
      },
    },
    { type: 'summary', summary: `About ${secret('summary')}`, leafUuid: 'u3' },
    { type: 'odd', data: { id: secret('odd') }, [secret('odd key')]: [1] },
  ]
  return rows.map((row) => JSON.stringify(row)).join('\n')
}

/** Bytes with a secret as an argument: the call stays, with its id and its name. */
function callWithBytes(): string {
  const of = (uuid: string, parentUuid: string | null) => ({
    ...{ uuid, parentUuid, sessionId: 's', cwd: '/x', timestamp: '2026-01-01T00:00:00Z' },
  })
  const id = 'toolu_bytes'
  const input = {
    note: 'kept note',
    file: { mimeType: 'text/plain', data: secret('bytes') },
    list: [{ a: { media_type: 'text/plain', data: secret('more bytes') } }],
  }
  const rows = [
    { type: 'user', ...of('u1', null), message: { role: 'user', content: 'Upload it' } },
    {
      ...{ type: 'assistant', ...of('u2', 'u1') },
      message: {
        ...{ role: 'assistant', model: 'm', id: 'msg_1' },
        content: [{ type: 'tool_use', id, name: 'upload_bytes', input }],
      },
    },
    {
      ...{ type: 'user', ...of('u3', 'u2') },
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: 'kept result' }],
      },
    },
  ]
  return rows.map((row) => JSON.stringify(row)).join('\n')
}

describe('an export', () => {
  it.each(FORMATS.split(' '))('to %s keeps a call whose bytes hold one', async (to) => {
    place().write('s.jsonl', callWithBytes())
    const { status, stdout, stderr } = await place().precis(['export', 's.jsonl', '--to', to])
    expect(status).toBe(0)
    for (const part of ['upload_bytes', 'kept note', 'kept result', '[redacted:sealed-block]'])
      expect(stdout).toContain(part)
    expect(stderr).toContain('sealed-block')
    expect(secrets.filter((each) => `${stdout}${stderr}`.includes(each))).toEqual([])
    if (to === 'claude-code' || to === 'pi')
      expect(stdout.match(/toolu_bytes/g)?.length).toBeGreaterThan(1)
  })

  it.each(FORMATS.split(' '))('to %s holds none of them', async (to) => {
    place().write('s.jsonl', session())
    const { status, stdout, stderr } = await place().precis(['export', 's.jsonl', '--to', to])
    expect(stderr).not.toContain('hint')
    expect(status).toBe(0)
    expect(stdout).toContain('redacted')
    expect(secrets.filter((each) => `${stdout}${stderr}`.includes(each))).toEqual([])
  })
})
