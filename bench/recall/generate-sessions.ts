// Sessions from a seed, each with one fact that no other has, and a question for it by template
import { Random } from '../../test/generate/random.ts'
import { shuffled } from '../../test/generate/ranges.ts'

export interface GeneratedSession {
  readonly at: number
  /** Messages of the user and of the agent by turns. */
  readonly texts: readonly string[]
  readonly factAt: number // an index of `texts`
  readonly question: string
}

/** As the fact says it, and as a question does: people do not repeat the form of a word. */
const TOPICS = [
  ['retry limit', 'limits of retries'],
  ['cache timeout', 'timeouts of caches'],
  ['upload quota', 'quotas for uploading'],
  ['log retention', 'retaining logs'],
  ['session lifetime', 'lifetimes of sessions'],
  ['queue depth', 'depths of queues'],
  ['backup window', 'windows for backups'],
  ['alert threshold', 'thresholds of alerts'],
  ['token rotation', 'rotating tokens'],
  ['batch size', 'sizes of batches'],
] as const
const PROGRAMS = [
  ...['checkout', 'billing', 'catalogue', 'shipping', 'mailer', 'search', 'profile', 'ledger'],
  ...['gateway', 'importer', 'scheduler', 'archive', 'pricing', 'inventory', 'payroll'],
]
const PLACES = [
  'staging',
  'production',
  'sandbox',
  'canary',
  'nightly',
  'edge',
  'legacy',
  'internal',
]
const FILLER = [
  'I looked at the {service} service and its {topic}; nothing is decided yet for {place}.',
  'The tests of {service} pass on {place}, and the {topic} was not touched.',
  'Please read the notes on {topic} before you change {service}.',
  'The build of {service} failed on {place} once and was green after a second run.',
  'Rename the helper that computes the {topic}, and keep the old name as an alias.',
  'There are three open questions about {service}, none of them about {place}.',
] as const
const MESSAGES = 20

/** At most as many as there are combinations of topic, service and place. */
export function generateSessions(count: number, seed: number): GeneratedSession[] {
  const random = new Random(seed)
  const combinations = TOPICS.flatMap((topic) =>
    PROGRAMS.flatMap((service) => PLACES.map((place) => ({ topic, service, place }))),
  )
  if (count > combinations.length) throw new Error(`at most ${combinations.length} sessions`)
  return shuffled(combinations, random)
    .slice(0, count)
    .map(({ topic: [said, asked], service, place }, at) => {
      const texts = Array.from({ length: MESSAGES }, () =>
        random
          .pick(FILLER)
          .replace('{service}', random.chance(0.5) ? service : random.pick(PROGRAMS))
          .replace('{topic}', random.pick(TOPICS)[0])
          .replace('{place}', random.pick(PLACES)),
      )
      const factAt = random.int(0, MESSAGES - 1)
      const value = random.int(10, 9_000)
      texts[factAt] = `The ${said} of ${service} on ${place} is ${value} from now on.`
      return { at, texts, factAt, question: `${asked} ${service} ${place}` }
    })
}
