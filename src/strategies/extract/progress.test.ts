// Where the work stands, in a brief: what is done, what is next, what an answer refers to, and no noise.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { done, ran } from '../../../test/ledger/calls.ts'
import { answer, user } from '../../../test/say.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { headAndTail } from '../trim.ts'
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
    reduce: log.reduce,
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

  it('says that the last call was refused, until the assistant goes on', async () => {
    const text = "The user doesn't want to proceed with this tool use. STOP what you are doing."
    const plan = (status: 'denied' | 'failed', said: string) =>
      done('ExitPlanMode', { plan: 'Move the pier.' }, said, { status })
    const before = [user('Plan the pier.'), ...filler(20)]
    const last = async (...drafts: readonly EventDraft[]) =>
      /## Now\n\[ref:e\d+\] (.*)/.exec(await briefOf([...before, ...drafts]))?.[1] ?? ''
    expect(await last(...plan('failed', text))).toMatch(/^The last call was refused: nothing of it/)
    expect(await last(...plan('denied', 'No.'))).toMatch(/^The last call was refused/)
    expect(await last(...plan('failed', 'No such plan.'))).toMatch(/^The last request is not/)
    expect(await last(...plan('denied', 'No.'), ...filler(1))).toMatch(/^The last request is not/)
    expect(await last(...plan('denied', 'No.'), user('Go on then.'))).not.toMatch(/refused/)
  })

  it('marks what the user changed later, and nothing else', async () => {
    const brief = await briefOf(
      [
        user('Build a harbour. Use granite for the long pier. Paint the gates red.'),
        ...filler(12),
        user('Actually, use basalt for the long pier.'),
        ...filler(30),
        user('Go on with the gates.'),
        ...filler(4),
      ],
      3_000,
    )
    expect(brief).toContain('Use granite for the long pier. (changed later) Paint the gates red.')
    expect(brief).toMatch(/use basalt for the long pier\.$/m)
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
    expect(brief).toContain('do 2 and 3 (in answer to: 2. paint the gates / 3. dredge the basin)')
    expect(brief).toContain('yes (in answer to: Done. Shall I also oil the hinges?)')
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
    expect(brief).not.toContain('## Names')
  })

  it('shows a todo list in its last state alone, and no command with its timeout or the workspace', async () => {
    const list = (first: string, second: string) =>
      done('TodoWrite', {
        todos: [
          { content: 'measure basin_depth', status: first },
          { content: 'paint gate_seven', status: second },
        ],
      })
    const brief = await briefOf(
      [
        { type: 'THREAD_SETTINGS', data: { workspace: '/srv/harbour' } },
        user('Mend the harbour.'),
        ...list('in_progress', 'pending'),
        ...done('Bash', { command: 'dredge --all', timeout: 98_765, workdir: '/srv/harbour/' }),
        ...done('Grep', { pattern: 'keel_blocks', head_limit: 43_210 }),
        ...done('Bash', { command: 'oil --all', timeout: '77s', cwd: '/srv/gate_works' }),
        ...done('set_limits', {
          timeout: '45s',
          limit: '250rps',
          cwd: '/srv/gateway-eu',
          max_tokens: 31_313,
          pool: { offset: 51_515 },
        }),
        ...done('Bash', { command: 'paint --all', env: { limit: 61_616 } }),
        ...list('completed', 'in_progress'),
        ...filler(20),
        user('And the tide tables.'),
        ...filler(3),
      ],
      3_000,
    )
    expect(brief).toContain('todo, in_progress: paint gate_seven')
    expect(brief).not.toContain('measure basin_depth in_progress')
    expect(brief).toContain('Bash dredge --all\n')
    expect(brief).not.toMatch(/98765|43210/)
    // What is set is what such a call is about.
    expect(brief).toContain('set_limits 45s 250rps /srv/gateway-eu 31313 51515\n')
    expect(brief).toContain('Bash oil --all 77s /srv/gate_works\n')
    expect(brief).toContain('Bash paint --all 61616\n')
  })

  it('takes for the goal what asks for something, and leaves out words that only say to go on', async () => {
    const brief = await briefOf([
      user('/status'),
      ...answer('All is well.'),
      user('Mend the harbour.'),
      ...filler(10),
      ...answer('I stopped at the gates.'),
      user('continue'),
      ...filler(10),
      ...answer('Done. Which gate shall I paint?'),
    ])
    expect(brief).toMatch(/## Goal\n\[ref:e\d+\] Mend the harbour\./)
    expect(brief).not.toMatch(/\] continue$/m)
    expect(brief).toContain('the assistant asked the user something and waits')
  })

  it('calls what began it the first request where it was answered and another came', async () => {
    const brief = await briefOf([
      user('Mend the harbour.'),
      ...filler(10),
      ...answer('It is mended.'),
      user('Paint the gates.'),
      ...filler(4),
      user('Paint the gates.'),
      ...filler(10),
      user('In red.'),
      ...filler(4),
    ])
    expect(brief).toMatch(/## First request\n\[ref:e\d+\] Mend the harbour\.\n/)
    expect(brief).not.toContain('## Goal')
    expect(brief.match(/Paint the gates\./g)).toHaveLength(1)
  })

  it('shows no todo list that a client put the agent in mind of: the state has it', async () => {
    const reminder = 'completed: Mend pier_nine\nin_progress: Paint gate_four\npending: Push'
    const brief = await briefOf([
      user('Mend the harbour.'),
      { type: 'SYSTEM_REMINDER', data: reminder },
      ...filler(20),
    ])
    expect(brief).not.toContain('gate_four')
  })

  it('names a command without why it is run, and a folder once', async () => {
    const run = (at: number, command: string) => {
      const given = { cmd: command, workdir: '/srv/harbour', justification: 'May I measure?' }
      return done('exec_command', given, `wharf_${at} is ${at} long`)
    }
    const brief = await briefOf([
      user('Mend the harbour.'),
      ...Array.from({ length: 6 }, (_, at) => run(at, `measure wharf_${at}`)).flat(),
      ...filler(20),
      ...answer('Measured wharf_1 and wharf_4.'),
    ])
    expect(brief).toMatch(/exec_command measure wharf_4\n/)
    expect(brief).not.toContain('May I')
    expect(brief.match(/\/srv\/harbour/g)?.length ?? 0).toBeLessThan(2)
  })

  it('lists files of one folder in one line', async () => {
    const write = (name: string) => ran(`cd /srv/harbour && echo x >> ${name}`)
    const brief = await briefOf([
      user('Mend the harbour.'),
      ...['pier_1.md', 'pier_2.md', 'pier_3.md'].flatMap(write),
      ...filler(20),
    ])
    expect(brief).toMatch(/^modified[^:\n]*: pier_3\.md, pier_2\.md, pier_1\.md$/m)
  })

  it('gives a decision as a whole sentence', async () => {
    const reason =
      'because the tide of spring takes everything that is not bolted to the rock below'
    const decided = `We looked at ${'many kinds of wood and stone, '.repeat(4)}and decided on granite for quay_one ${reason}.`
    const brief = await briefOf(
      [
        user('Mend the harbour.'),
        ...answer(`First things first. ${decided} Then we slept.`),
        user('Fine.'),
        ...filler(40),
      ],
      4_000,
    )
    expect(brief.split('## Decisions')[1]).toContain(`assistant: ${decided}`)
  })

  it('gives a plan that was handed over as the task, with its end and without what a client adds', async () => {
    const plan = [
      'Implement the following plan:',
      ...Array.from({ length: 60 }, (_, at) => `- Step ${at}: lay stone_${at} instead of sand.`),
      'Last of all, light lamp_nine.',
      '\n\nIf you need specific details from before exiting plan mode, read the full transcript at: /t.jsonl',
    ].join('\n')
    const brief = await briefOf(
      [{ ...user(plan), origin: 'model' } as EventDraft, ...filler(40), ...answer('Done.')],
      2_500,
    )
    const [goal = ''] = brief.split('## Goal')[1]?.split('\n## ') ?? []
    expect(goal).toContain('light lamp_nine.')
    expect(brief).not.toContain('exiting plan mode')
    expect(goal.match(/Step \d+: lay stone_\d+ instead of sand\.$/gm)?.length).toBeGreaterThan(8)
    expect(brief).not.toContain('assistant: - Step')
    expect(brief.match(/lay stone_0 /g)).toHaveLength(1)
    expect(brief).not.toContain('## Decisions')
  })

  it('keeps a plan whole that is being carried out, or in part where it is too long', async () => {
    const steps = Array.from({ length: 40 }, (_, at) => `- lay stone_${at} on the pier`)
    const plan = ['Implement the following plan:', ...steps].join('\n')
    const log = new TestLog()
    log.append([{ ...user(plan), origin: 'model' } as EventDraft, ...filler(40)])
    const { context, eventAt, reduce } = log
    const run = { threadId: log.threadId }
    const asked = { context, eventAt, run, reduce, trigger: 'command' } as const
    const whole = await extract.propose({ ...asked, targetTokens: 2_500 })
    expect(whole.edits.flatMap(({ put }) => put)).toContainEqual({ keep: 'e1' })
    const part = await extract.propose({ ...asked, targetTokens: 450 })
    const rewrites = part.edits.filter(({ covers }) => covers.length === 1 && covers[0] === 'e1')
    expect(rewrites.flatMap(({ put }) => put)).toMatchObject([{ label: 'trimmed' }])
  })

  it('lists decisions, and not what is only announced', async () => {
    const brief = await briefOf([
      user('Mend the harbour.'),
      ...answer('I decided on oak for pier_four, since pine rots.'),
      user('Fine.'),
      ...answer('Let me check the nails instead of the boards first.'),
      user('Fine, too.'),
      ...filler(20),
      ...answer('Done.'),
    ])
    const decisions = brief.split('## Decisions')[1]?.split('\n## ')[0] ?? ''
    expect(decisions).toContain('oak for pier_four')
    expect(decisions).not.toContain('Let me check')
  })
})

it('cuts a long text between words, on both sides', () => {
  const text = Array.from({ length: 200 }, (_, at) => `harbour${at}`).join(' ')
  for (const tokens of [30, 31, 33, 40, 57]) {
    const [head = '', , tail = ''] = headAndTail(text, tokens, '[ref:e1]').split('\n')
    const words = new Set(text.split(' '))
    for (const word of [...head.split(' '), ...tail.split(' ')]) expect(words).toContain(word)
  }
  expect(headAndTail('x'.repeat(4_000), 40, '[ref:e1]')).toMatch(/^x+\n\[… .*\]\nx+$/)
})

it('a brief neither quotes what `compact` was called with, nor has it in flight', async () => {
  const call = { id: 'c9', name: 'compact', arguments: { summary: 'We mended `quay_77`.' } }
  const brief = await briefOf([
    user('Mend the harbour.'),
    ...filler(30),
    { type: 'AGENT_MESSAGE', data: { content: 'This is long.', calls: ['c9'] } },
    { type: 'TOOL_CALL', data: { ...call, answer: 0 } },
  ])
  expect(brief).toContain('notes-')
  expect(brief).not.toMatch(/quay_77|in flight/)
})
