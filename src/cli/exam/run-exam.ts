// `precis exam`: asks the same questions of several strategies' contexts of equal size, and prints a table of
// marks.
import { freshCaveats, replacedLines } from '../../core/edit/report-text.ts'
import { PrecisError } from '../../core/errors.ts'
import { isStandIn } from '../../core/model.ts'
import type { ModelPort } from '../../core/ports.ts'
import { partInWords } from '../../core/repair/result-content.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { weightOf } from '../../core/view/context.ts'
import { digestReducer } from '../../strategies/extract/extract.ts'
import { DEFAULT_STRATEGIES } from '../../strategies/index.ts'
import { inWordsOfCommand } from '../compact/plan.ts'
import type { Io } from '../process-io.ts'
import { parseTarget, readName } from '../session/formats.ts'
import { loadThread, openSession, type Session } from '../session/session.ts'
import { budgetTokens, loadSettings, parseBudget } from '../settings/settings.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { print } from '../terminal/terminal.ts'
import { type Arm, type ExamReport, renderExam } from './exam-report.ts'
import { type Question, templateQuestions } from './questions.ts'
import {
  answersIn,
  examPrompt,
  fileSitter,
  gradePrompt,
  markAnswer,
  marksIn,
  modelSitter,
  portOver,
  questionsIn,
  questionsPrompt,
  requireAnswers,
  type Sitter,
  waitingFile,
} from './sit-exam.ts'

export interface ExamFlags {
  readonly strategies?: string
  readonly budget: string
  readonly model?: string
  readonly questions: string
  readonly files?: string
  readonly format?: string
  readonly json?: boolean
}

const WITHOUT_MODEL = ['extract', 'cascade', 'drop-turns']
const WITH_MODEL = ['brief', 'summarize', 'extract', 'drop-turns']

export async function runExam(given: string, flags: ExamFlags, io: Io): Promise<void> {
  const ids = listStrategies(flags)
  const budget = parseBudget(flags.budget)
  refuseFlags(flags)
  const models = flags.model === undefined ? {} : { models: { default: flags.model } }
  const { settings } = loadSettings({ ...io, flags: models })
  const progress = new ProgressLine(io.stderr)
  const target = parseTarget(given, 'exam', io)
  const session = await openSession(target, { settings, named: flags.format, progress }, io)
  try {
    const beforeTokens = weightOf(await session.composed.threads.context(session.threadId))
    const exam: Exam = {
      session,
      settings,
      targetTokens: Math.max(1, budgetTokens(budget, beforeTokens)),
      sitter: chooseSitter(session, flags, io),
      model: flags.model,
      byModel: flags.questions === 'model',
      waiting: [],
      errors: [],
      say: (message) => progress.say(message),
    }
    const questions = await readQuestions(exam)
    const arms: Arm[] = []
    for (const [at, id] of ids.entries()) {
      progress.say(`sitting the exam with ${id} …`)
      arms.push(await sit(exam, { id, number: at + 1 }, questions ?? []))
    }
    const [error] = exam.errors
    if (error && exam.errors.length === ids.length) throw error
    const report: ExamReport = {
      input: readName(target),
      beforeTokens,
      budgetTokens: exam.targetTokens,
      questionsBy: flags.questions === 'model' ? 'model' : 'template',
      answeredBy: flags.files === undefined ? (flags.model ?? 'lookup') : 'files',
      isStandIn: isStandIn(flags.model),
      questions: questions ?? [],
      arms,
      waiting: exam.waiting,
    }
    progress.end()
    await print(io, report, flags.json, renderExam)
  } finally {
    progress.end()
    await session.close()
  }
}

function listStrategies({ strategies, model, files }: ExamFlags): string[] {
  const standard = model === undefined && files === undefined ? WITHOUT_MODEL : WITH_MODEL
  if (strategies === undefined) return standard
  const known = DEFAULT_STRATEGIES.map(({ id }) => id)
  const ids = [...new Set(strategies.split(',').map((id) => id.trim()))]
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown === undefined) return ids
  throw new PrecisError('usage', `Unknown compaction strategy: ${JSON.stringify(unknown)}`, {
    where: '--strategies',
    hint: `Known strategies, with commas between them: ${known.join(',')}.`,
  })
}

function refuseFlags({ model, files, questions }: ExamFlags): void {
  const refuse = (message: string, where: string, hint: string) =>
    new PrecisError('usage', message, { where, hint })
  if (questions !== 'template' && questions !== 'model')
    throw refuse(
      `--questions: ${JSON.stringify(questions)} is not known`,
      '--questions',
      'Use template or model.',
    )
  if (model !== undefined && files !== undefined)
    throw refuse(
      '--model and --files exclude each other',
      '--files',
      'With --files, the reader of the prompts takes the place of the model.',
    )
  if (files?.trim() === '') throw refuse('--files names no directory', '--files', 'Name one.')
  if (questions === 'model' && model === undefined && files === undefined)
    throw refuse(
      '--questions model needs a model or files',
      '--questions',
      'Add --model NAME or --files DIR.',
    )
}

interface Exam {
  readonly session: Session
  readonly settings: Settings
  readonly targetTokens: number
  /** Undefined without a reader: then the context itself is searched. */
  readonly sitter: Sitter | undefined
  readonly model: string | undefined
  readonly byModel: boolean
  /** Prompts without an answer. */
  readonly waiting: string[]
  readonly errors: PrecisError[]
  say(message: string): void
}

function chooseSitter({ composed }: Session, flags: ExamFlags, io: Io): Sitter | undefined {
  if (flags.files !== undefined) return fileSitter(flags.files, io)
  return flags.model === undefined ? undefined : modelSitter(composed.model, flags.model)
}

/** Undefined if they are still to be written. */
async function readQuestions(exam: Exam): Promise<readonly Question[] | undefined> {
  const { session, sitter, byModel } = exam
  const { events } = await loadThread(session.composed, session.threadId)
  if (sitter && byModel) {
    const record = await writeText(session, session.threadId)
    return waited(exam, async () => questionsIn(await sitter('questions', questionsPrompt(record))))
  }
  const digest = events.reduce(digestReducer.step, digestReducer.init())
  const questions = templateQuestions(digest, events)
  if (questions.length > 0) return questions
  throw new PrecisError('invalid-input', 'The session has nothing to ask about.', {
    where: readName(session.target),
    hint: 'Choose a session in which something was said and done.',
  })
}

/** Undefined if a file waits for its answer, which is recorded. */
async function waited<T>(exam: Exam, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (thrown) {
    const file = waitingFile(thrown)
    if (file === undefined) throw thrown
    exam.waiting.push(file)
    return undefined
  }
}

interface Seat {
  readonly id: string
  readonly number: number
}

async function sit(exam: Exam, seat: Seat, questions: readonly Question[]): Promise<Arm> {
  const { id } = seat
  try {
    const made = await waited(exam, () => compacted(exam, seat))
    if (!made) return { id }
    const answered = await waited(exam, () => marksFor(exam, seat, made.text, questions))
    const notes = made.notes.length > 0 && { notes: made.notes }
    return { id, tokens: made.tokens, ...(answered && { marks: answered }), ...notes }
  } catch (thrown) {
    if (!PrecisError.is(thrown) || thrown.code === 'usage') throw thrown
    const error = inWordsOfCommand(thrown, id)
    exam.errors.push(error)
    return { id, failed: error.message }
  }
}

/** Works on a copy. A fresh session's context is the new session. */
async function compacted({ session, settings, ...exam }: Exam, { id, number }: Seat) {
  const { composed, threadId } = session
  const { threads } = composed
  const copy = await threads.fork(threadId)
  const isByFiles = exam.sitter !== undefined && exam.model === undefined
  const provider: ModelPort | undefined =
    isByFiles && exam.sitter
      ? portOver(exam.sitter, `summary-${number}`)
      : exam.model === undefined
        ? undefined
        : composed.model
  const notes: string[] = []
  const outcome = await threads.compact(copy, id, {
    trigger: 'command',
    onWarning: (message) => notes.push(message),
    targetTokens: exam.targetTokens,
    minTokens: settings.gate.minTokens,
    pinning: { detect: settings.pinning.detect ?? true },
    ...(provider && { provider }),
    ...(exam.model !== undefined && { model: exam.model }),
    ...(isByFiles && { form: 'apart' as const }),
  })
  if (!outcome.committed) throw new PrecisError('gate-refused', outcome.refusal.message)
  const resultId = outcome.fresh?.threadId ?? copy
  const tokens = weightOf(await threads.context(resultId))
  const { fresh, report } = outcome
  notes.push(...(fresh ? freshCaveats(fresh) : replacedLines(report)))
  return { tokens, text: await writeText(session, resultId), notes }
}

async function writeText({ composed }: Session, threadId: string): Promise<string> {
  const { messages } = await composed.threads.messages(threadId)
  return messages
    .map(({ role, parts }) => `${role}: ${parts.map(partInWords).filter(Boolean).join('\n')}`)
    .join('\n\n')
}

async function marksFor(
  { sitter, byModel }: Exam,
  { number }: Seat,
  text: string,
  questions: readonly Question[],
): Promise<number[] | undefined> {
  if (questions.length === 0) return undefined
  if (!sitter) return questions.map((question) => markAnswer(question, text))
  const answered = await sitter(`answers-${number}`, examPrompt(text, questions))
  const answers = answersIn(answered, questions.length)
  requireAnswers(answers)
  if (!byModel) return questions.map((question, at) => markAnswer(question, answers[at] ?? ''))
  return marksIn(await sitter(`marks-${number}`, gradePrompt(questions, answers)), questions.length)
}
