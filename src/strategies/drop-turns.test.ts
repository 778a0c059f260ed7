// Which turns go, what stays of them, and what the note in their place says after several times.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../test/generate/test-log.ts'
import { answer, result, user } from '../../test/say.ts'
import { pinsReducer } from '../core/edit/pins.ts'
import { textOfUserContent } from '../core/view/content.ts'
import { weightOf } from '../core/view/context.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { covered } from '../core/view/refs.ts'
import { reducedBy } from '../core/view/thread-state.ts'
import { dropTurns } from './drop-turns.ts'

const filler = (name: string) => `${name} `.repeat(120).trim()

function turns(log: TestLog, ...names: readonly string[]): TestLog {
  for (const name of names) {
    log.append([user(`Please do ${name}.`)])
    log.append([...answer(filler(name), `call_${name}`), result(`call_${name}`, filler(name))])
    log.append(answer(`Done: ${name}.`))
  }
  return log
}

async function drop(log: TestLog, targetTokens: number): Promise<void> {
  const { context, eventAt } = log
  const run = { threadId: log.threadId }
  const pins = reducedBy(log.state, pinsReducer)
  const proposal = await dropTurns.propose({
    context,
    eventAt,
    run,
    trigger: 'auto',
    targetTokens,
    pins,
  })
  expect(log.compact(proposal, 'auto')).toBe(undefined)
}

function said({ context, eventAt }: TestLog): string[] {
  return context.items.toArray().flatMap(({ id }) => {
    const content = contentOf(id, eventAt)
    if (content?.kind === 'user') return [textOfUserContent(content.content)]
    return content?.kind === 'answer' ? [content.answer.content.slice(0, 20)] : []
  })
}

describe('drop-turns', () => {
  it('drops the oldest turns whole, with a note that says where they are', async () => {
    const log = turns(new TestLog(), 'alpha', 'beta', 'gamma')
    await drop(log, Math.floor(weightOf(log.context) * 0.9))
    const [note, ...rest] = said(log)
    expect(note).toMatch(
      /^\[Context note, not a request: 4 entries were left out here, \[ref:e1\] to \[ref:e5\]; recall reads them again, by ref or by words\.\]\nWhat the user said in them, word for word:\n\[ref:e1\] Please do alpha\.$/,
    )
    expect(rest[0]).toBe('Please do beta.')
    expect(covered('c16.0', log.eventAt)).toEqual(['e1', 'e2', 'e4', 'e5'])
  })

  it('counts on, and keeps the words of the user, when it drops again', async () => {
    const log = turns(new TestLog(), 'alpha', 'beta', 'gamma')
    await drop(log, Math.floor(weightOf(log.context) * 0.75))
    turns(log, 'delta', 'epsilon')
    await drop(log, Math.floor(weightOf(log.context) * 0.6))
    const notes = said(log).filter((text) => text.startsWith('[Context note'))
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatch(/: (?:8|12|16) entries were left out here, \[ref:e1\] to \[ref:e\d+\]/)
    expect(notes[0]).toContain('\n[ref:e1] Please do alpha.\n[ref:e6] Please do beta.')
    expect(covered(log.context.items.at(0)?.id ?? 'e1', log.eventAt).slice(0, 5)).toEqual([
      'e1',
      'e2',
      'e4',
      'e5',
      'e6',
    ])
  })

  it('keeps the newest message of the user and the last round, and drops rounds between them', async () => {
    const log = new TestLog()
    log.append([user('The only question.')])
    for (let at = 0; at < 8; at += 1)
      log.append([...answer(`Step ${at}`, `c${at}`), result(`c${at}`, filler(`out${at}`))])
    await drop(log, Math.floor(weightOf(log.context) / 2))
    const texts = said(log)
    expect(texts[0]).toBe('The only question.')
    expect(texts[1]).toMatch(
      /^\[Context note, not a request: \d+ entries were left out here, \[ref:e2\]/,
    )
    expect(texts.at(-1)).toBe('Step 7')
    for (const round of log.build().messages) expect(round.parts.length).toBeGreaterThan(0)
    expect(log.build().problems).toEqual([])
  })

  it('does not count what is pinned as gone, and leaves summaries alone', async () => {
    const log = turns(new TestLog(), 'alpha', 'beta', 'gamma', 'delta')
    log.pin({ entries: ['e2'] })
    const target = Math.floor(weightOf(log.context) * 0.75)
    await drop(log, target)
    expect(weightOf(log.context)).toBeLessThanOrEqual(target)
    expect(log.context.items.toArray().map(({ id }) => id)).toContain('e2')
  })

  it('counts messages of the user that have no room', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `task${at}`)
    const log = turns(new TestLog(), ...names)
    await drop(log, 1_200)
    expect(said(log)[0]).toMatch(/\n\[\d+ earlier messages of the user are among them\.\]\n/)
    expect(weightOf(log.context)).toBeLessThanOrEqual(1_200)
  })
})
