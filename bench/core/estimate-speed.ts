// How fast tokens are estimated in prose, code and CJK, beside an exact tokenizer and a division by four.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { charsOverFour } from '../../src/core/window/tokens/counter.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { loadO200k } from '../../src/providers/o200k.ts'
import { Random } from '../../test/generate/random.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, microsEach, use } from '../measure.ts'
import { progress } from './place.ts'
import type { Settings } from './settings.ts'

/** The fast ones go over the text several times, so that a round is long enough for the clock. */
const PASSES = { estimate: 5, exact: 1, division: 200 }

export async function estimateSpeed(settings: Settings): Promise<Answered[]> {
  const { seed, estimateChars, estimateRounds } = settings
  const o200k = await loadO200k()
  const figures: Answered[] = []
  for (const text of texts(new Random(seed), estimateChars)) {
    progress(`estimate: ${text.kind}, ${text.megabytes.toFixed(1)} MB`)
    const series = await interleave(
      {
        estimate: () => speed(text, PASSES.estimate, estimateTokens),
        exact: () => speed(text, PASSES.exact, o200k.count),
        division: () => speed(text, PASSES.division, charsOverFour),
      },
      { rounds: estimateRounds, warmUps: 2 },
    )
    const question = { unit: 'MB/s', subject: `the estimate, ${text.kind}` } as const
    figures.push(
      compare(
        { ...question, id: `estimate-${text.kind}-exact`, reference: 'o200k, exact' },
        series.estimate,
        series.exact,
      ),
      compare(
        { ...question, id: `estimate-${text.kind}-chars4`, reference: 'characters / 4' },
        series.estimate,
        series.division,
      ),
    )
  }
  return figures
}

/** MB of UTF-8 in a second. */
function speed(
  { pieces, megabytes }: Text,
  passes: number,
  count: (text: string) => number,
): number {
  const micros = microsEach(passes, () => {
    let sum = 0
    for (const piece of pieces) sum += count(piece)
    use(sum)
  })
  return megabytes / (micros / 1e6)
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** About as long as what stands in an event. */
const PIECE_CHARS = 2_000

export interface Text {
  readonly kind: 'prose' | 'code' | 'cjk'
  readonly pieces: readonly string[]
  readonly megabytes: number // as UTF-8
}

/** Prose and code are the project's own, so they are those of the commit that a row names. */
export function texts(random: Random, chars: number): Text[] {
  return [
    cut('prose', ascii(filesOf('docs/spec/*.md')), chars),
    cut('code', ascii(filesOf('src/**/*.ts')), chars),
    cut('cjk', cjk(random, chars), chars),
  ]
}

function filesOf(pattern: string): string {
  return globSync(pattern, { cwd: ROOT })
    .toSorted()
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n')
}

function ascii(text: string): string {
  return text.replaceAll(/\P{ASCII}+/gu, '')
}

/** So many characters of the text, from its beginning again where it is shorter. */
function cut(kind: Text['kind'], text: string, chars: number): Text {
  const pieces: string[] = []
  for (let at = 0; at < chars; at += PIECE_CHARS) {
    const from = at % Math.max(1, text.length - PIECE_CHARS)
    // Through a buffer: a slice would only point into the whole text.
    pieces.push(Buffer.from(text.slice(from, from + PIECE_CHARS)).toString('utf8'))
  }
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  return { kind, pieces, megabytes: bytes / 1e6 }
}

const CHINESE =
  '我们 需要 检查 文件 系统 数据 用户 问题 运行 测试 结果 错误 修改 函数 返回 请求 服务 时间 内容 消息 可以 已经 因为 所以 如果 没有 这个 那个 然后 现在'
const JAPANESE =
  '設定 ファイル を 読み込む テスト 実行 した 結果 エラー が 発生 しました 関数 の 値 は 変更 する 必要 あります サーバー 要求 時間 内容 から まで ください'
const KOREAN =
  '설정 파일을 다시 읽어 테스트 결과 오류가 발생했습니다 함수 값을 변경해야 합니다 서버 요청 시간 내용 그리고 하지만 지금 사용자 데이터 문제를 확인해'

/** Clauses of random words: a tokenizer that remembers pieces has met few of them before. */
function cjk(random: Random, chars: number): string {
  const languages = [
    { words: CHINESE.split(' '), between: '', end: ['，', '。', '：'] },
    { words: JAPANESE.split(' '), between: '', end: ['、', '。'] },
    { words: KOREAN.split(' '), between: ' ', end: [', ', '. '] },
  ]
  const clauses: string[] = []
  for (let length = 0; length < chars; ) {
    const { words, between, end } = random.pick(languages)
    const clause = Array.from({ length: random.int(3, 9) }, () => random.pick(words))
    const text = clause.join(between) + random.pick(end)
    clauses.push(text)
    length += text.length
  }
  return clauses.join('')
}
