// A later statement of the user that takes the place of an earlier one, and those that do not.
import { describe, expect, it, vi } from 'vitest'
import { findSuperseded } from './supersede.ts'

const REPLACED = [
  ['Use Postgres for the session store.', "Actually, let's use SQLite for the session store."],
  ['Put the parser in src/parse.ts.', 'Put the parser in src/reader.ts instead.'],
  ['The branch is called feature/login.', 'The branch is called feature/sign-in.'],
  ['Set the timeout to 30 seconds.', 'Set the timeout to 60 seconds.'],
  ['Call the flag --dry-run.', 'No, call it --preview.'],
  ['Release as version 2.1.0.', 'On second thought, release as version 3.0.0.'],
  ['Deploy to the staging cluster tonight.', 'Change of plan: deploy to the old cluster tonight.'],
  ['Wir nehmen YAML für die Konfiguration.', 'Nimm stattdessen TOML für die Konfiguration.'],
  ['On met les logs dans stdout.', 'Finalement on met les logs dans un fichier.'],
  ['Los informes semanales van en PDF.', 'Mejor los informes semanales en HTML.'],
  ['配置文件用YAML格式。', '配置文件改成TOML格式。'],
] as const

const STANDING = [
  ['Use Postgres for the session store.', 'Actually, the tests fail now.'],
  ['Use Postgres for the session store.', 'Use Redis for the job queue instead.'],
  ['Put the parser in src/parse.ts.', 'Put the printer in src/print.ts.'],
  ['Never touch module number 58.', 'Never touch module number 59.'],
  ['Call the flag --dry-run.', 'Actually that looks good, merge it.'],
  ['The port is 8080.', 'Is the port 8080 or 9090?'],
  ['Set the timeout to 30 seconds.', 'Set the retries to 60.'],
  ['Add a test for the parser.', 'Add a test for the printer.'],
  ['Rename the helper in api.ts.', 'Rename the helper in web.ts.'],
  ['Set the timeout to 30 seconds.', 'What if we set the timeout to 60 seconds instead?'],
  ['Add a test for the parser.', 'Actually, add a test for the printer, too.'],
  ['Max 10 items per page.', 'Max 3 retries per request.'],
  [
    'No breaking changes in packages/core without asking.',
    'No new dependencies in packages/core without asking.',
  ],
  ['Never delete the release branch.', 'No force pushes to the release branch.'],
  [
    'Do not log secrets in production code.',
    'Non-null assertions are not allowed in production code.',
  ],
  [
    'Never drop tables in the production database.',
    'No, the tests must never touch the production database.',
  ],
  [
    'Never touch the production database.',
    'Use the staging database rather than the production database.',
  ],
  ['At most 5 retries per request in the client.', 'At least 2 retries per request in the client.'],
  ['The worker 1 retry limit is 3.', 'The worker 2 retry limit is 5.'],
  ['Set the timeout of the client to 30 seconds.', 'Set the timeout to 60 seconds.'],
  ['Set the timeout to 60 seconds.', 'Set the timeout of the client to 30 seconds.'],
  [
    'Run the migration on the staging cluster.',
    'Actually, run the migration on the staging cluster and restart the workers.',
  ],
  [
    'Run the migration on the staging cluster and on the backup host.',
    'Actually, run the migration on the staging cluster.',
  ],
  ['Line length in src is at most 100.', 'Line length in docs is at most 80.'],
] as const

describe('an earlier statement', () => {
  it.each(REPLACED)('%j no longer holds after %j', (before, after) => {
    expect([...findSuperseded([after], ['Add a changelog entry.', before])]).toEqual([before])
  })

  it.each(STANDING)('%j holds after %j', (before, after) => {
    expect(findSuperseded([after], [before]).size).toBe(0)
  })

  it('is not meant by “it” where others were said since', () => {
    const before = ['Call the flag --dry-run.', 'Add a changelog entry.', 'Write the docs.']
    expect(findSuperseded(['No, call it --preview.'], before).size).toBe(0)
  })

  it.each([
    [
      'with changes',
      (at: number) => `Set the limit of worker${at} to ${at}.`,
      (at: number) => `Actually, set the limit of queue${at} to ${at + 1} instead.`,
    ],
    [
      'with other words for the same',
      (at: number) => `Send report${at} to the team of area${at}.`,
      (at: number) => `Actually, send report${at} to the press office.`,
    ],
    [
      'with limits',
      (at: number) => `The timeout of worker${at} is ${at}.`,
      (at: number) => `The timeout of worker${at} is ${at + 1000}.`,
    ],
    [
      'on the same topics',
      (at: number) => `Send report${at} of the area to the team.`,
      (at: number) => `Actually, send letter${at} of the office to the team.`,
    ],
  ])('takes work in proportion to the sentences %s', (_, sayBefore, sayAfter) => {
    const work = (count: number) => {
      const numbers = Array.from({ length: count }, (_, at) => at)
      return countLookUps(() => findSuperseded(numbers.map(sayAfter), numbers.map(sayBefore)))
    }
    const once = work(400)
    expect(once).toBeGreaterThan(400)
    expect(work(800)).toBeLessThan(2.5 * once)
  })
})

/** Comparing two sentences looks topics up in sets; time would not tell the same on each machine. */
function countLookUps(work: () => unknown): number {
  const spy = vi.spyOn(Set.prototype, 'has')
  try {
    work()
    return spy.mock.calls.length
  } finally {
    spy.mockRestore()
  }
}
