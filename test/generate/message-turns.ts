// Random turns of a coding agent, in no format yet
import type { Random } from './random.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: Record<string, unknown>
  readonly output: string
  readonly isFailed: boolean
  readonly isJson: boolean
}

export type Turn =
  | { readonly by: 'user'; readonly text: string; readonly hasImage: boolean }
  | {
      readonly by: 'agent'
      readonly text: string
      readonly thinking: string
      readonly calls: readonly Call[]
    }

const WORDS =
  'build fails because the import of src/core/ports.ts has no extension never touch package-lock.json 测试 überall ref e12 [ref:e3] value = 0x1f; return null'.split(
    ' ',
  )

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}

export function generateTurns(random: Random, count: number): Turn[] {
  const turns: Turn[] = []
  let number = 0
  for (let at = 0; at < count; at += 1) {
    turns.push({
      by: 'user',
      text: words(random, random.chance(0.1) ? random.int(200, 900) : random.int(1, 40)),
      hasImage: random.chance(0.15),
    })
    for (let round = random.int(0, 3); round >= 0; round -= 1) {
      const calls = round === 0 ? [] : Array.from({ length: random.int(1, 3) }, newCall)
      const thinking = random.chance(0.4) ? words(random, random.int(3, 60)) : ''
      const text = calls.length > 0 && random.chance(0.4) ? '' : words(random, random.int(1, 60))
      turns.push({ by: 'agent', text, thinking, calls })
    }
  }
  return turns

  function newCall(): Call {
    number += 1
    const path = `src/file${random.int(0, 9)}.ts`
    const lines = random.chance(0.2) ? random.int(100, 400) : random.int(0, 30)
    return {
      id: `call_${number}`,
      name: random.pick(['read', 'run', 'write']),
      input: { path, command: words(random, random.int(1, 6)) },
      output: Array.from({ length: lines }, (_, line) => `${line}: ${words(random, 8)}`).join('\n'),
      isFailed: random.chance(0.15),
      isJson: random.chance(0.3),
    }
  }
}
