// Runs a script: parses it whole, edits copies of the files, writes those without failures.
import { Document, linesIn, type Range } from './document.ts'
import type { FindLimits } from './find.ts'
import { type Counts, mutate } from './mutate.ts'
import { parse } from './parse.ts'
import { FileProblem } from './problem.ts'
import { createRegisters, type EdlRegisters, type SavedText, saveText } from './registers.ts'
import { type EdlResult, type FileError, plural, reportText, type WrittenFile } from './result.ts'
import {
  type Command,
  commandText,
  DEFAULT_LIMITS,
  type EdlLimits,
  type FileIO,
  isMutation,
  type MutateCommand,
  type OpenCommand,
  type Pattern,
  type SelectCommand,
} from './script.ts'
import { select } from './select.ts'
import { STEPS, spendSteps } from './spend-steps.ts'

export interface RunOptions {
  /** Texts cut or saved by earlier scripts; this run adds to them. */
  readonly registers?: EdlRegisters
  readonly limits?: Partial<EdlLimits>
}

/** Never rejects for a faulty script or file: the result reports the problem. */
export async function runScript(
  script: string,
  files: FileIO,
  options: RunOptions = {},
): Promise<EdlResult> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const parsed = parse(script, limits)
  if (!parsed.ok) {
    const { message, line, column, hint } = parsed.failure
    const error = `Parse error: ${message} (line ${line}, column ${column})`
    return { status: 'error', error: hint ? `${error}\nHint: ${hint}` : error, line, column }
  }
  const [first] = parsed.commands
  if (first && !('path' in first))
    return { status: 'error', error: "No file selected. Use 'file' command first." }
  const run = new ScriptRun(files, options.registers ?? createRegisters(), limits)
  for (const command of parsed.commands) await run.step(command)
  return run.finish()
}

/** An open file without failures. */
interface OpenFile {
  readonly path: string
  readonly isNew: boolean
  readonly document: Document
  readonly counts: Counts
  mutations: number
}

/** A file with a failed command; later commands for it do not run. */
interface FailedFile {
  readonly path: string
  readonly message: string
  readonly trace: readonly string[]
  readonly saved: SavedText[]
  mutationsNotApplied: number
}

class ScriptRun {
  readonly #files: FileIO
  readonly #registers: EdlRegisters
  readonly #limits: EdlLimits
  readonly #findLimits: FindLimits
  readonly #open = new Map<string, OpenFile>()
  readonly #failed = new Map<string, FailedFile>()
  readonly #warnings: string[] = []
  readonly #trace: { readonly path: string; readonly line: string }[] = []
  #path = ''
  #ranges: readonly Range[] = []

  constructor(files: FileIO, registers: EdlRegisters, limits: EdlLimits) {
    this.#files = files
    this.#registers = registers
    this.#limits = limits
    this.#findLimits = { budget: { left: limits.regexSteps }, ranges: limits.ranges }
  }

  async step(command: Command): Promise<void> {
    if ('path' in command) this.#path = command.path
    const failed = this.#failed.get(this.#path)
    if (failed) {
      this.#leaveOut(command, failed)
      return
    }
    try {
      if ('path' in command) await this.#openFile(command)
      else this.#apply(command)
    } catch (error) {
      this.#leaveOut(command, this.#fail(this.#path, error))
    }
  }

  async finish(): Promise<EdlResult> {
    const written: WrittenFile[] = []
    for (const { path, isNew, document, counts } of this.#open.values()) {
      if (!isNew && document.text === document.original) continue
      try {
        await attempt(`Failed to write file: ${path}`, () => this.#write(path, document.text))
        written.push({ path, isNew, ...counts })
      } catch (error) {
        this.#fail(path, error)
      }
    }
    const current = this.#open.get(this.#path)
    const result = {
      files: written,
      errors: [...this.#failed.values()] satisfies FileError[],
      warnings: this.#warnings,
      trace: this.#linesOf((path) => this.#open.has(path)),
      selection: current && { path: current.path, ranges: this.#ranges },
    }
    const selectedText = current?.document.text ?? ''
    return { status: 'ok', text: reportText({ ...result, selectedText }), ...result }
  }

  async #openFile(command: OpenCommand): Promise<void> {
    const { name, path } = command
    const isNew = name === 'newfile'
    let file = this.#open.get(path)
    const isThere = () =>
      attempt(`Failed to look for file: ${path}`, () => this.#files.fileExists(path))
    if (isNew && (file || (await isThere())))
      throw new FileProblem(`newfile: ${path} exists already. Use 'file' to edit it.`)
    if (!file) {
      file = {
        path,
        isNew,
        document: new Document(isNew ? '' : await this.#read(path)),
        counts: { replacements: 0, insertions: 0, deletions: 0, linesAdded: 0, linesRemoved: 0 },
        mutations: 0,
      }
      this.#open.set(path, file)
    }
    this.#ranges = [file.document.whole]
    this.#note(command, file)
  }

  #apply(command: MutateCommand | SelectCommand): void {
    const file = this.#open.get(this.#path)
    if (!file) throw new Error(`${this.#path} is not open`)
    if (isMutation(command)) {
      const copying = file.document.text.length * STEPS.perCopiedChar
      spendSteps(this.#findLimits.budget, this.#ranges.length * STEPS.perEdit + copying)
      const context = {
        document: file.document,
        counts: file.counts,
        registers: this.#registers.registers,
        maxChars: this.#limits.fileChars,
      }
      this.#ranges = mutate(command, this.#ranges, context)
      file.mutations += 1
    } else {
      if ('pattern' in command && namesLine(command.pattern)) this.#warn(command)
      this.#ranges = select(command, file.document, this.#ranges, this.#findLimits)
    }
    this.#note(command, file)
  }

  async #read(path: string): Promise<string> {
    const text = await attempt(`Failed to read file: ${path}`, () => this.#files.readFile(path))
    const { fileChars } = this.#limits
    if (text.length > fileChars)
      throw new FileProblem(
        `The file has ${text.length} characters; at most ${fileChars} are allowed`,
      )
    return text
  }

  async #write(path: string, text: string): Promise<void> {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (folder !== '') await this.#files.mkdir(folder)
    await this.#files.writeFile(path, text)
  }

  /** Discards all changes of the file. Throws errors that are not a file's: they are bugs. */
  #fail(path: string, error: unknown): FailedFile {
    if (!(error instanceof FileProblem)) throw error
    const failed: FailedFile = {
      path,
      message: error.message,
      trace: this.#linesOf((each) => each === path),
      saved: [],
      mutationsNotApplied: this.#open.get(path)?.mutations ?? 0,
    }
    this.#open.delete(path)
    this.#failed.set(path, failed)
    return failed
  }

  #leaveOut(command: Command, failed: FailedFile): void {
    if (!isMutation(command)) return
    failed.mutationsNotApplied += 1
    if ('value' in command && command.value.type === 'text')
      failed.saved.push(saveText(this.#registers, command.value.text))
  }

  #note(command: Command, { path, document }: OpenFile): void {
    const lines = linesIn(document.text, this.#ranges)
    // This command stays done; if no budget is left, the next one fails.
    const { budget } = this.#findLimits
    budget.left = Math.max(0, budget.left - lines * STEPS.perLine)
    const snippet = `${plural(this.#ranges.length, 'range')}, ${plural(lines, 'line')}`
    this.#trace.push({ path, line: `${commandText(command)} → ${snippet}` })
  }

  #linesOf(isOf: (path: string) => boolean): string[] {
    return this.#trace.filter(({ path }) => isOf(path)).map(({ line }) => line)
  }

  #warn(command: Command): void {
    this.#warnings.push(
      `${commandText(command)}: line numbers are those of the file before this script. A heredoc or a regex says more surely what is meant.`,
    )
  }
}

function namesLine(pattern: Pattern): boolean {
  const isLine = (type: string) => type === 'line' || type === 'point'
  if (pattern.type === 'position') return isLine(pattern.position.type)
  return pattern.type === 'range' && (isLine(pattern.from.type) || isLine(pattern.to.type))
}

/** Anything a caller's FileIO throws is a failure of that file. */
async function attempt<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new FileProblem(`${sentence}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
