// English sentences that bind a coding agent for the rest of its session (test data).
import type { Sentence } from './sentence.ts'

/** Each looks like what was seen to happen, or like what is to be seen to once, and binds. */
export const LOOKALIKES_EN: readonly string[] = [
  'This must never crash in production.',
  'Make sure the service runs as a non-root user.',
  'Make sure the worker runs on port 8080.',
  'It must not fail on empty input.',
  'Make sure the CI builds use Node 20.',
  'I mean pnpm.',
  'That must never break the build on Windows.',
  'It should not crash on malformed rows.',
  'This must never happen in the release branch.',
  'Ensure the container starts with the read-only flag.',
  'Be sure that the cache works offline too.',
  'Make sure the importer loads at most 50 rows at a time.',
  'Please make sure the CLI compiles with strict mode on.',
  'Make sure the access token is used in the header, nowhere else.',
  'No, I mean atlas_stage.',
  'I mean Postgres!',
  'The client must never access the database directly.',
  'Make sure the refactor does not change the output format.',
]

export const CONSTRAINTS_EN: readonly Sentence[] = [
  { text: 'never push straight to master', language: 'en' },
  { text: "Please don't touch the migrations folder, the DBA owns that.", language: 'en' },
  { text: 'do not edit anything under vendor/', language: 'en' },
  { text: 'dont commit the .env file pls', language: 'en' },
  { text: 'No new dependencies without asking me first.', language: 'en' },
  { text: "We've been burned by force pushes before, so please no more of that.", language: 'en' },
  {
    text: 'Hands off the generated files in src/gen, they get overwritten anyway.',
    language: 'en',
  },
  { text: 'stop adding comments to every single line', language: 'en' },
  {
    text: 'You can refactor the parser however you like, just leave the public API alone.',
    language: 'en',
  },
  { text: 'Under no circumstances should customer emails end up in the logs.', language: 'en' },
  { text: 'and pls no more emojis in the readme or commit mesages', language: 'en' },
  { text: 'I don’t want any mocks in the integration tests.', language: 'en' },
  { text: 'nobody runs terraform apply from a laptop, and that includes you', language: 'en' },
  { text: 'The lockfile is off limits.', language: 'en' },
  { text: 'dont ever use any as a type, we turned it off for a reason', language: 'en' },
  { text: 'Also, we avoid default exports in this codebase.', language: 'en' },
  { text: 'Not a fan of you skipping failing tests, that has to stop.', language: 'en' },
  {
    text: "I'd appreciate it if you wouldn't run the full e2e suite, it costs us money every time.",
    language: 'en',
  },
  {
    text:
      'Last time an agent "cleaned up" my stash I lost a day of ' +
      'work, so leave git stash alone.',
    language: 'en',
  },
  {
    text:
      "I've been staring at the flaky checkout test all morning and I think it's the clock, but " +
      "whatever you find, don't bump the timeouts to make it green.",
    language: 'en',
  },
  {
    text:
      "I know the tests are slow and I'm as annoyed as you are, " +
      'still, none of them get skipped.',
    language: 'en',
  },
  { text: 'pnpm only in this repo please', language: 'en' },
  { text: 'The standard library is all we have here, nothing from PyPI.', language: 'en' },
  {
    text: 'Work only inside packages/api, everything else belongs to another team.',
    language: 'en',
  },
  { text: 'This has to run on Node 18, so nothing newer than that.', language: 'en' },
  { text: "We're on python 3.9 because of the cluster, so no match statements.", language: 'en' },
  { text: 'use the logger, not console.log', language: 'en' },
  { text: 'read-only queries on the replica please, nothing that writes', language: 'en' },
  {
    text: "Everything goes through the gateway client, direct fetch calls aren't allowed.",
    language: 'en',
  },
  { text: 'plain css only, we dropped tailwind last year', language: 'en' },
  {
    text:
      'can you look into why the worker crashes on startup, logs are in /var/log/worker and btw ' +
      'dont restart the service urself',
    language: 'en',
  },
  { text: 'Would you mind sticking to POSIX sh for the scripts?', language: 'en' },
  { text: "I'd rather have four spaces than two", language: 'en' },
  { text: 'prefer smaller commits, one topic each', language: 'en' },
  { text: 'I like early returns better than nested ifs, fwiw', language: 'en' },
  {
    text: 'could you keep your explanations shorter, i dont need the whole story each time',
    language: 'en',
  },
  { text: 'Given the choice, favour readability over cleverness.', language: 'en' },
  { text: 'id prefer if you used async/await instead of then chains', language: 'en' },
  { text: 'We tend to put tests next to the source file, so do that too please.', language: 'en' },
  { text: "It'd be nicer if you showed me the diff before applying it.", language: 'en' },
  { text: 'my preference is British spelling in the docs', language: 'en' },
  { text: "Let's go with snake_case for the column names.", language: 'en' },
  {
    text: 'Tables read better than bullet lists for me, so use those in your reports.',
    language: 'en',
  },
  { text: 'no not that endpoint, take the one under /internal', language: 'en' },
  { text: 'actually its redis on 6380, not 6379', language: 'en' },
  { text: "That's not right, our releases are cut from the stable branch.", language: 'en' },
  { text: 'Nope, the config lives in config/app.toml, not in package.json.', language: 'en' },
  { text: 'not yarn, npm', language: 'en' },
  {
    text: 'Sorry, I misspoke, the timeout should be 30 seconds and not 30 minutes.',
    language: 'en',
  },
  { text: 'I said Postgres, not MySQL.', language: 'en' },
  { text: 'wait no, amounts are in cents', language: 'en' },
  { text: 'You keep calling it userId but the field is account_id.', language: 'en' },
  { text: 'Correction: the base branch is develop.', language: 'en' },
  { text: 'we use v2 of the api now, v1 is dead', language: 'en' },
  { text: "Hm, that's not how we do it here, errors are returned and not thrown.", language: 'en' },
  { text: 'it\'s spelled "colour" in our schema, please stick with that', language: 'en' },
  { text: "forget what I said about caching on disk, we're keeping it in memory", language: 'en' },
  { text: 'The date format is ISO 8601, not the US style you wrote.', language: 'en' },
  { text: 'run the linter every time before commiting', language: 'en' },
  { text: 'reply in French from here on, my colleague is reading along', language: 'en' },
  { text: 'If something has to be deleted, get my ok first.', language: 'en' },
  { text: 'Whenever you change the schema, regenerate the types too.', language: 'en' },
  { text: 'Every new function needs a doc comment.', language: 'en' },
  { text: 'make sure the tests pass before you tell me its done', language: 'en' },
  { text: 'going forward, prefix branches with the ticket number', language: 'en' },
  { text: 'Each time you add an endpoint, update openapi.yaml as well.', language: 'en' },
  { text: 'remember to add a changelog entry in every PR', language: 'en' },
  { text: 'After each step, give me a one-line summary.', language: 'en' },
  { text: 'If a command needs sudo, stop and ask.', language: 'en' },
  { text: 'Conventional commits please.', language: 'en' },
  { text: "For the rest of this session, assume I'm on Windows.", language: 'en' },
  {
    text:
      'Thanks, the chart looks great now, and by the way we always store UTC in the backend so ' +
      'please keep it that way.',
    language: 'en',
  },
  {
    text:
      "So the importer works again, which is great, I'll write the release note tonight, oh and " +
      'new files need the licence header.',
    language: 'en',
  },
  { text: 'the bundle has to stay below 180 kB gzipped', language: 'en' },
  { text: 'two retries max, then give up', language: 'en' },
  { text: "functions shouldn't be longer than 40 lines", language: 'en' },
  { text: "The whole thing mustn't take more than 50 ms per request.", language: 'en' },
  { text: 'max 80 chars per line', language: 'en' },
  { text: 'we only have 512 mb on that box so dont load the whole csv in memory', language: 'en' },
  { text: "Don't let coverage drop below 85%.", language: 'en' },
  {
    text: 'Our quota is 100 calls a day, so please stay well under that when you test.',
    language: 'en',
  },
  {
    text:
      "The designer sent new icons yesterday, they're in assets/icons, just remember every svg " +
      'has to stay under 4 kB.',
    language: 'en',
  },
  {
    text: 'The QA database is shared between three teams, so it must not be wiped.',
    language: 'en',
  },
  {
    text: 'Secrets come from the vault at runtime, none of them belong in the repo.',
    language: 'en',
  },
  { text: "Legal is pretty strict about this: GPL code can't go in here.", language: 'en' },
  {
    text: 'the friday freeze is real so nothing gets merged after thursday evening',
    language: 'en',
  },
  { text: 'The mobile app still calls the old route, so it has to keep working.', language: 'en' },
  {
    text: 'The seed data is used in the sales demos, it needs to stay exactly as it is.',
    language: 'en',
  },
  {
    text: 'other services read that table directly so its columns cant be renamed',
    language: 'en',
  },
  {
    text:
      'The build has been red since the upgrade and I need it green by lunch, though keep the ' +
      "legacy adapter in place while you're at it, two customers still depend on it.",
    language: 'en',
  },
  ...LOOKALIKES_EN.map((text) => ({ text, language: 'en' as const })),
]
