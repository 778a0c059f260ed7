// Runs random scripts and compares each with the model. The first difference is thrown, with its seed.
import { isDeepStrictEqual } from 'node:util'
import { InMemoryFileIO } from '../../src/edl/in-memory-file-io.ts'
import { parse } from '../../src/edl/parse.ts'
import { createRegisters } from '../../src/edl/registers.ts'
import { runScript } from '../../src/edl/run.ts'
import { type Command, DEFAULT_LIMITS } from '../../src/edl/script.ts'
import { Random } from '../generate/random.ts'
import { type ModelOutcome, nativeOf, runModel } from './model.ts'
import { randomFiles, randomScript, type Texts } from './random-script.ts'

/** How many scripts could not be read, left a file as it was, changed a file. */
export interface Tally {
  refused: number
  failed: number
  changed: number
}

export async function checkScripts(seed: number, count: number): Promise<Tally> {
  const tally = { refused: 0, failed: 0, changed: 0 }
  for (let index = 0; index < count; index += 1) await checkScript(seed + index, tally)
  return tally
}

async function checkScript(seed: number, tally: Tally): Promise<void> {
  const random = new Random(seed)
  const texts = randomFiles(random)
  const script = randomScript(random, texts)
  const files = new ListedFiles(texts)
  const registers = createRegisters()
  const result = await runScript(script, files, { registers })
  const now = files.contents
  const commands = commandsOf(script)
  if (!commands.every(isKnownToModel)) return
  const expected = runModel(commands, texts)
  const actual: ModelOutcome = {
    files: now,
    failed: result.status === 'ok' ? result.errors.map(({ path }) => path) : [],
    registers: registers.registers,
    selection:
      result.status === 'ok'
        ? result.selection?.ranges.map(({ start, end }) => [start, end])
        : undefined,
  }
  const isSound = [...now.values()].every((text) => text.isWellFormed())
  if (!isSound || !isDeepStrictEqual(actual, expected))
    throw new Error(
      `seed ${seed}: ${JSON.stringify({ script, texts })}\n  is ${show(actual)}\n  not ${show(expected)}`,
    )
  if (result.status === 'error') tally.refused += 1
  else if (result.errors.length > 0) tally.failed += 1
  if (!isDeepStrictEqual(now, new Map(Object.entries(texts)))) tally.changed += 1
}

/** Those that run: none where the script cannot be read or begins without a file. */
function commandsOf(script: string): readonly Command[] {
  const parsed = parse(script, DEFAULT_LIMITS)
  const commands = parsed.ok ? parsed.commands : []
  return commands[0] !== undefined && 'path' in commands[0] ? commands : []
}

/** The model searches with the flag `u`, with which some patterns of damaged scripts are no patterns. */
function isKnownToModel(command: Command): boolean {
  if (!('pattern' in command) || command.pattern.type !== 'regex') return true
  try {
    nativeOf(command.pattern.source)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Also tells what it holds. */
class ListedFiles extends InMemoryFileIO {
  readonly #names: Set<string>

  constructor(texts: Texts) {
    super(texts)
    this.#names = new Set(Object.keys(texts))
  }

  override writeFileSync(path: string, text: string): void {
    this.#names.add(path)
    super.writeFileSync(path, text)
  }

  get contents(): Map<string, string> {
    return new Map(Array.from(this.#names, (name) => [name, this.getFileContents(name) ?? '']))
  }
}

function show({ files, registers, ...outcome }: ModelOutcome): string {
  return JSON.stringify({ ...outcome, files: [...files], registers: [...registers] })
}
