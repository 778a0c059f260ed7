// Parses instructions in a user's text, line by line: read, write, edit, list, search, run, recall, compact.

export type Order =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: 'list'; readonly path?: string }
  | { readonly kind: 'search'; readonly query: string; readonly path?: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'recall'; readonly query: string }
  | { readonly kind: 'compact'; readonly words: string }

export type Instruction = Order & {
  /** The line itself. */
  readonly said: string
}

/** Matches a line and returns the order; the first match counts. */
type Form = readonly [line: RegExp, order: (...found: readonly string[]) => Order]

const FORMS: readonly Form[] = [
  [
    /^edit (\S+): (.*?) -> (.*)$/i,
    (path = '', from = '', to = '') => ({ kind: 'edit', path, from, to }),
  ],
  [
    // In quotation marks the replaced text may contain any words.
    /^replace (".*?"|'.*?'|`.*?`|“.*?”|.+?) (?:by|with) (.*) in (\S+)$/i,
    (from = '', to = '', path = '') => ({
      kind: 'edit',
      path,
      from: unquoted(from),
      to: unquoted(to),
    }),
  ],
  [/^read (\S+)$/i, (path = '') => ({ kind: 'read', path })],
  [
    /^write (\S+?): (.*)$/i,
    (path = '', content = '') => ({ kind: 'write', path, content: `${unescaped(content)}\n` }),
  ],
  [/^list(?: (\S+))?$/i, (path) => ({ kind: 'list', ...(path && { path }) })],
  [
    /^search (?:for )?(.+?)(?: in (\S+))?$/i,
    (query = '', path) => ({ kind: 'search', query: unquoted(query), ...(path && { path }) }),
  ],
  [/^run (\S.*)$/i, (command = '') => ({ kind: 'run', command })],
  [/^recall (\S.*)$/i, (query = '') => ({ kind: 'recall', query: unquoted(query) })],
  [/^compact\b(.*)$/i, (words = '') => ({ kind: 'compact', words })],
]

const MAX_INSTRUCTIONS = 50
/** Separates instructions on one line. */
const NEXT =
  /[,;]? {1,4}then {1,4}(?=(?:read|write|edit|replace|list|search|run|recall|compact)\b)/i
const FENCE = /^```/

/**
 * Only lines that start with the verb count, so a summary or transcript that quotes a request asks for
 * nothing.
 */
export function instructionsIn(text: string): readonly Instruction[] {
  const found: Instruction[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length && found.length < MAX_INSTRUCTIONS; at += 1) {
    const line = (lines[at] ?? '').trim()
    const path = /^write (\S+?):$/i.exec(line)?.[1]
    const end = path === undefined ? -1 : endOfBlock(lines, at + 1)
    if (path === undefined || end === -1) found.push(...ordersIn(line))
    else {
      const block = lines.slice(at + 1, end + 1)
      const content = `${block.slice(1, -1).join('\n')}\n`
      found.push({ kind: 'write', path, content, said: [line, ...block].join('\n') })
      at = end
    }
  }
  return found.slice(0, MAX_INSTRUCTIONS)
}

/** The line that closes the block opened at `start`; -1 if none opens there. */
function endOfBlock(lines: readonly string[], start: number): number {
  if (!FENCE.test(lines[start] ?? '')) return -1
  return lines.findIndex((line, index) => index > start && FENCE.test(line))
}

function ordersIn(line: string): readonly Instruction[] {
  return line.split(NEXT).flatMap((part) => {
    const said = part.trim()
    for (const [form, order] of FORMS) {
      const found = form.exec(said)
      if (found !== null) return [{ ...order(...found.slice(1)), said }]
    }
    return []
  })
}

function unquoted(text: string): string {
  return /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? /^“(.*)”$/s.exec(text)?.[1] ?? text
}

/** `\n` stands for a line break, so one line can order a file of several lines. */
function unescaped(text: string): string {
  return unquoted(text).replaceAll('\\n', '\n')
}

/** Adjacent instructions that only read run together. */
export function findGroups(
  instructions: readonly Instruction[],
  isParallel: boolean,
): readonly (readonly Instruction[])[] {
  const groups: Instruction[][] = []
  for (const instruction of instructions) {
    const last = groups.at(-1)
    const joins = isParallel && instruction.kind === 'read' && last?.[0]?.kind === 'read'
    if (joins) last?.push(instruction)
    else groups.push([instruction])
  }
  return groups
}

export function inWords(instruction: Instruction): string {
  switch (instruction.kind) {
    case 'read':
    case 'write':
    case 'edit':
      return `${instruction.kind} ${instruction.path}`
    case 'list':
      return `list ${instruction.path ?? 'the files'}`
    case 'search':
      return `search for ${instruction.query}`
    case 'run':
      return `run ${instruction.command}`
    case 'recall':
      return `recall ${instruction.query}`
    case 'compact':
      return 'compact the conversation'
  }
}
