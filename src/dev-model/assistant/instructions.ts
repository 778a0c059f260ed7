// What a user's text asks the assistant to do, line by line: read, edit, run.

export type Instruction =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: 'run'; readonly command: string }

const MAX_INSTRUCTIONS = 50
/** Where one instruction ends and the next begins on one line. */
const NEXT = /[,;]? {1,4}then {1,4}(?=(?:read|edit|run) )/i

/**
 * Only lines that begin with the verb count: a summary that quotes a request in a list, or a
 * transcript, asks for nothing.
 */
export function instructionsIn(text: string): readonly Instruction[] {
  return text
    .split('\n')
    .flatMap((line) => line.split(NEXT))
    .flatMap((line) => instructionOf(line.trim()) ?? [])
    .slice(0, MAX_INSTRUCTIONS)
}

function instructionOf(line: string): Instruction | undefined {
  const edit = /^edit (\S+): (.*?) -> (.*)$/i.exec(line)
  if (edit !== null) {
    const [, path = '', from = '', to = ''] = edit
    return { kind: 'edit', path, from, to }
  }
  const read = /^read (\S+)$/i.exec(line)?.[1]
  if (read !== undefined) return { kind: 'read', path: read }
  const command = /^run (\S.*)$/i.exec(line)?.[1]
  return command === undefined ? undefined : { kind: 'run', command }
}

/** What stands next to each other and only reads is read at once. */
export function groupsOf(
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
      return `read ${instruction.path}`
    case 'edit':
      return `edit ${instruction.path}`
    case 'run':
      return `run ${instruction.command}`
  }
}
