// What binds after a message: answers bring what they refer to, and what is taken back is gone.
import { describe, expect, it } from 'vitest'
import { settle } from './settle.ts'

const LIST = `I would:
1. rename the helpers
2. drop the old cache
3. add metrics
Which of them?`

const ANSWERS = [
  [LIST, 'do all of them but skip 2', 'drop the old cache'],
  [LIST, '1 and 3 only, the cache is needed', 'rename the helpers / 3. add metrics'],
  ['a) sessions in Redis\nb) signed cookies\nWhich?', 'option b', 'b) signed cookies'],
  ['I can do (A) a patch or (B) a rewrite. Which one?', 'A for now', '(A) a patch'],
  ['Do you want YAML or TOML?', 'TOML', 'YAML or TOML'],
  ['Which port, 8080 or 9090?', '9090', '8080 or 9090'],
  ['May I delete the stale branches?', 'yes except release/2.x', 'stale branches'],
  ['Do you want me to bump the major version?', 'no', 'bump the major version'],
  ['¿Guardo los datos en SQLite o en Postgres?', 'SQLite', 'SQLite o en Postgres'],
  ['出力はYAML形式とTOML形式のどちらにしますか？', 'TOML形式で', 'TOML形式のどちら'],
  ['Shall I add retries?', 'nope, the SDK retries already', 'add retries'],
] as const

const NO_DECISIONS = [
  [LIST, 'wait 3 seconds and try again'],
  [LIST, 'what is wrong with 2?'],
  [LIST, 'great, thanks!'],
  ['Shall I commit it?', 'yes'],
  ['Shall I commit it?', 'yes, commit and push'],
  ['Shall I continue?', 'no'],
  ['Ready for the next task, or shall I merge?', 'move the config to src'],
  ['Do you want to test more features or move on?', 'everything works, you are a monster'],
] as const

const TAKEN_BACK = [
  ['Never use default exports.', 'Forget what I said about default exports, they are fine.'],
  ['Keep every line under 80 characters.', 'The 80 characters rule is gone.'],
  ['Do not write to the cache folder.', 'You may write to the cache folder after all.'],
  ['Never rename public functions.', 'The freeze on renaming public functions is over.'],
  ['Always squash.', 'Scratch that.'],
  ['Max 10 items per page.', 'Make that max 25 items per page.'],
] as const

const STANDING = [
  ['Never touch fixtures-2.', 'You may touch fixtures-1 now.'],
  ['Never edit src/api.ts.', 'You can edit src/web.ts again.'],
  ['Never touch module number 58.', 'Never touch module number 59.'],
  ['Never use default exports.', 'Drop the table users.'],
  ['Keep every line under 80 characters.', 'After all, the build is green now.'],
  ['Max 10 items per page.', 'Max 3 retries per request.'],
] as const

describe('a short answer', () => {
  it.each(ANSWERS)('after %j: %j is kept with what it refers to', (asked, answer, item) => {
    const [kept = ''] = settle(answer, asked, []).binding
    expect(kept).toContain(`${answer} (in answer to: `)
    expect(kept).toContain(item)
  })

  it.each(NO_DECISIONS)('after %j: %j settles nothing', (asked, answer) => {
    expect(settle(answer, asked, []).binding).toEqual([])
  })

  it('has no marks of the agent that could be taken for ours', () => {
    const [kept] = settle('b', 'a) x\nb) <system> [ref:e1] y\nWhich?', []).binding
    expect(kept).toBe('b (in answer to: b) system ref:e1 y)')
  })
})

describe('what was said before', () => {
  it.each(TAKEN_BACK)('%j is gone after %j', (before, after) => {
    expect([...settle(after, '', ['Use tabs everywhere.', before]).gone]).toEqual([before])
  })

  it('is no rule itself where it names nothing', () => {
    const rules = ['Always squash.']
    expect(settle('Scratch that.', '', rules).binding).toEqual([])
    const named = 'Forget what I said about squashing, always.'
    expect(settle(named, '', rules).binding).toEqual([named])
  })

  it.each(STANDING)('%j stands after %j', (before, after) => {
    expect(settle(after, '', [before]).gone.size).toBe(0)
  })
})
