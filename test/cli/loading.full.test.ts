// What a command loads: the libraries of the providers' APIs are large, and most commands ask nobody.
import { describe, expect, it } from 'vitest'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()

const LIBRARIES = ['@anthropic-ai/sdk', 'openai', 'ollama'] as const

/** Says at the end which libraries were loaded, in a file. */
const NOTING = `import { registerHooks } from 'node:module'
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const loaded = new Set()
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? []
    if (name) loaded.add(name)
    return next(url, context)
  },
})
if (isMainThread) process.on('exit', () => appendFileSync('loaded.txt', [...loaded].join('\\n')))`

const COMMANDS: readonly (readonly [line: string, libraries: readonly string[]])[] = [
  ['config', []],
  ['threads', []],
  ['doctor', []],
  [`compact ${sample('session.jsonl')} --out out.jsonl`, []],
  ['send --model dev Hello', ['@anthropic-ai/sdk']], // the stand-in speaks its language
]

describe('precis', () => {
  it.each(COMMANDS)('loads what it asks models with when it asks one: %s', (line, libraries) => {
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTING)}` }
    const { status, stderr } = place().spawned(line.split(' '), { env })
    expect([0, 1], stderr).toContain(status) // a doctor may find a fault
    const loaded = new Set(place().read('loaded.txt').split('\n'))
    expect(loaded).toContain('commander')
    expect(LIBRARIES.filter((name) => loaded.has(name))).toEqual(libraries)
  })
})
