// Where the work stands, in a brief: what is done, what is next, what an answer refers to, and no noise.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { ran } from '../../../test/ledger/calls.ts'
import { answer, user } from '../../../test/say.ts'
import type { LogReducer } from '../../core/edit/strategy.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { extract } from './extract.ts'

function filler(turns: number): EventDraft[] {
  return Array.from({ length: turns }, (_, at) =>
    ran(`cat notes-${at}.txt`, `the pier number${at} is made of stone\n`.repeat(30)),
  ).flat()
}

async function briefOf(drafts: readonly EventDraft[], targetTokens = 1_600): Promise<string> {
  const log = new TestLog()
  log.append(drafts)
  const { edits } = await extract.propose({
    context: log.context,
    eventAt: log.eventAt,
    trigger: 'command',
    run: { threadId: log.threadId },
    targetTokens,
    reduce: async <S>(reducer: LogReducer<S>): Promise<S> =>
      log.events.reduce((state, event) => reducer.step(state, event), reducer.init()),
  })
  const put = edits
    .flatMap((edit) => edit.put)
    .find((each) => 'label' in each && each.label === 'brief')
  return put && 'data' in put ? String(put.data) : ''
}

describe('the state in a brief', () => {
  it('says what was committed and pushed, how long ago, and whether the last request is answered', async () => {
    const brief = await briefOf(
      [
        user('Mend the harbour.'),
        ...ran('git commit -m "Mend the pier"', '[main 1a2b3c4] Mend the pier'),
        ...ran('git push', '   0000000..1a2b3c4  main -> main'),
        ...ran('pnpm test', ' Tests  12 passed (12)'),
        ...filler(30),
        ...answer('All is done and pushed.'),
        user('Thanks. Look at the gates as well.'),
        ...filler(4),
      ],
      3_000,
    )
    expect(brief).toMatch(
      /^last commit of 1, pushed: 1a2b3c4 on main: Mend the pier \(\d+ answers ago\)$/m,
    )
    expect(brief).toMatch(/^tests pass: pnpm test \(0 failed, 12 passed\) \(\d+ answers ago\)$/m)
    expect(brief).toMatch(/## Now\n\[ref:e\d+\] The last request is not answered yet/)
  })

  it('leaves out what failed before a request that was then answered', async () => {
    const failed = ran('deploy-harbour --all', 'error: the tide is too high', 1)
    const end = [...filler(30), ...answer('It is done.'), user('And now the gates.'), ...filler(4)]
    expect(await briefOf([user('Mend it.'), ...failed, ...end])).not.toContain('open error')
    const later = [...answer('Fine.'), user('And the gates.'), ...failed, ...filler(30)]
    expect(await briefOf([user('Mend it.'), ...later])).toContain(
      'open error: deploy-harbour --all',
    )
  })

  it('gives an answer of the user with what it refers to: items by their number, else the question', async () => {
    const brief = await briefOf([
      user('Mend the harbour.'),
      ...answer(
        'I could:\n1. rebuild the pier\n2. paint the gates\n3. dredge the basin\nWhich ones?',
      ),
      user('do 2 and 3'),
      ...filler(20),
      ...answer('Done. Shall I also oil the hinges?'),
      user('yes'),
      ...filler(20),
      ...answer('Done.'),
      user('Go on.'),
      ...filler(3),
    ])
    expect(brief).toContain('do 2 and 3\n(in answer to: 2. paint the gates / 3. dredge the basin)')
    expect(brief).toContain('yes\n(in answer to: Done. Shall I also oil the hinges?)')
  })

  it('has no names of a shell, no colours, and no single text that fills it', async () => {
    const manual = Array.from(
      { length: 900 },
      (_, at) => `Rule ${at}: call harbour_rule_${at} twice.`,
    )
    const brief = await briefOf(
      [
        user('Mend the harbour.'),
        ...ran('cat manual.md', manual.join('\n')),
        ...ran('for D in a; do echo $D; done', '\u001b[2mCompacted\u001b[0m wave_breaker'),
        ...filler(60),
        ...answer('Done.'),
        user('Go on.'),
        ...filler(3),
      ],
      4_000,
    )
    const ofManual = brief
      .split('\n')
      .filter((line) => line.includes('harbour_rule_'))
      .join('\n')
    expect(ofManual.length).toBeLessThan(6_000) // a quarter of the room; without a limit nearly all of it
    expect(brief).not.toContain('2mCompacted')
    expect(brief.split('## Names')[1] ?? '').not.toContain('$D')
  })
})
