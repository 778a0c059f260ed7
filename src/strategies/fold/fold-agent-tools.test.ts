// The tools of the small agent: one file in memory, and a result for every call, however it is made.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/text/json.ts'
import { EMPTY_FOLD, SummaryFile } from './fold-agent.ts'

const file = (summary = '', maxChars = 1_000) =>
  new SummaryFile({ ...EMPTY_FOLD, summary }, maxChars)
const call = (name: string, input: Json) => ({ id: '1', name, arguments: input })
const edl = (script: string) => call('edl', { script })
const append = (line: string) => edl(`file /summary.md\ninsert_after <<END\n${line}\nEND`)
const read = call('get_file', { path: '/summary.md' })

describe('the summary file', () => {
  it('is read and edited [FOLD-38]', async () => {
    const summary = file()
    expect(await summary.run(read)).toEqual({ status: 'completed', text: '(the file is empty)' })
    expect(await summary.run(append('one'))).toMatchObject({ status: 'completed' })
    expect(await summary.run(append('two'))).toMatchObject({ status: 'completed' })
    expect(await summary.run(read)).toEqual({ status: 'completed', text: 'one\ntwo\n' })
    expect((await summary.run(read)).text).toContain('nothing has changed since')
    expect(summary.text).toBe('one\ntwo\n')
  })

  const WRONG: readonly (readonly [string, Parameters<SummaryFile['run']>[0], RegExp])[] = [
    ['an unknown tool', call('bash', { command: 'ls' }), /no tool "bash"/],
    ['another path', call('get_file', { path: '/etc/passwd' }), /summary\.md/],
    ['no path', call('get_file', {}), /summary\.md/],
    ['no script', call('edl', { script: 5 }), /script/],
    ['no object', call('edl', 'file /summary.md'), /script/],
    ['broken arguments', { ...call('edl', {}), problem: 'no JSON' }, /no JSON/],
    ['a script that cannot be read', edl('file /summary.md\nselect blue'), /Parse error/],
    ['nothing that matches', edl('file /summary.md\nselect /blue/\ndelete'), /no matches/],
    ['another file', edl('file /etc/passwd\ndelete'), /there is only/],
    ['a new file', edl('newfile /other.md\ninsert_after "x"'), /there is only/],
    ['the same as new', edl('newfile /summary.md'), /exists already/],
    ['a way around', edl('file /../summary.md\ndelete'), /there is only/],
    ['a script too long', edl(`# ${'x'.repeat(200_001)}`), /200000/],
    ['a summary too long', append('x'.repeat(1_000)), /1000/],
  ]
  it.each(WRONG)(
    'answers %s with an error, and stays [FOLD-28, FOLD-44, FOLD-45]',
    async (_, wrong, why) => {
      const summary = file('kept\n')
      const answer = await summary.run(wrong)
      expect(answer.status).toBe('failed')
      expect(answer.text).toMatch(why)
      expect(answer.text.length).toBeLessThan(9_000)
      expect(summary.text).toBe('kept\n')
    },
  )

  it('keeps the edits of its own file where a script fails on another [FOLD-39]', async () => {
    const summary = file('kept\n')
    const script = 'newfile /other.md\ninsert_after "x"\nfile /summary.md\ninsert_after "more"'
    expect(await summary.run(edl(script))).toMatchObject({ status: 'failed' })
    expect(summary.text).toBe('kept\nmore')
  })

  it('hands its registers on to the next chunk [FOLD-48]', async () => {
    const summary = file('a\nb\n')
    await summary.run(edl('file /summary.md\nselect <<X\nb\nX\ncut R'))
    await summary.run(edl('file /summary.md\nselect /nowhere/\nreplace "lost"'))
    const next = new SummaryFile(summary.state, 1_000)
    await next.run(edl('file /summary.md\ninsert_after R\ninsert_after _saved_1'))
    expect(next.text).toBe('a\nlostb\n')
    expect(next.state.nextSavedId).toBe(2)
  })

  it('ends a regular expression that would run away', async () => {
    const summary = file('a'.repeat(900))
    const answer = await summary.run(edl('file /summary.md\nselect /(a+)+$b/\ndelete'))
    expect(answer.status).toBe('failed')
  })
})
