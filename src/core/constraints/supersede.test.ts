// A later statement of the user that takes the place of an earlier one, and those that do not.
import { describe, expect, it, vi } from 'vitest'
import { findSuperseded } from './supersede.ts'
import { findTopics, topicsIn } from './topics.ts'

vi.mock(import('./topics.ts'), async (load) => {
  const topics = await load()
  return { topicsIn: vi.fn(topics.topicsIn), findTopics: vi.fn(topics.findTopics) }
})

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

  it('is read once, however many sentences follow', () => {
    const before = Array.from({ length: 300 }, (_, at) => `Set the limit of worker${at} to ${at}.`)
    const after = before.map(
      (_, at) => `Actually, set the limit of queue${at} to ${at + 1} instead.`,
    )
    vi.mocked(findTopics).mockClear()
    findSuperseded(after, before)
    // Each sentence with and without its values, and what is left of one without the word of change.
    expect(vi.mocked(findTopics).mock.calls.length).toBeLessThanOrEqual(3 * 600)
  })

  it('is compared with those that speak of the same, and not with each', () => {
    const before = Array.from(
      { length: 300 },
      (_, at) => `Send report${at} to the team of area${at}.`,
    )
    const after = before.map((_, at) => `Actually, send report${at} to the press office.`)
    vi.mocked(topicsIn).mockClear()
    expect(findSuperseded(after, before).size).toBe(300)
    expect(vi.mocked(topicsIn).mock.calls.length).toBeLessThanOrEqual(10 * 300)
  })

  it('of a message with 300 limits is looked up by what it limits', () => {
    const before = Array.from({ length: 300 }, (_, at) => `The timeout of worker${at} is ${at}.`)
    const after = before.map((_, at) => `The timeout of worker${at} is ${at + 1000}.`)
    vi.mocked(topicsIn).mockClear()
    expect(findSuperseded(after, before).size).toBe(300)
    expect(vi.mocked(topicsIn).mock.calls.length).toBeLessThanOrEqual(2 * 300)
  })

  it('is not compared with all where each speaks of the same topics', () => {
    const asked = (count: number) => {
      const before = Array.from(
        { length: count },
        (_, at) => `Send report${at} of the area to the team.`,
      )
      const after = before.map((_, at) => `Actually, send letter${at} of the office to the team.`)
      vi.mocked(topicsIn).mockClear()
      findSuperseded(after, before)
      return vi.mocked(topicsIn).mock.calls.length
    }
    expect(asked(800)).toBeLessThanOrEqual(2.5 * asked(400))
  })
})
