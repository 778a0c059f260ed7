// The story of the sample session as text: steps that start with `@@`, each with its lines.

export interface Step {
  readonly kind: string
  readonly argument: string
  readonly failed: boolean // `bash!`: the command ended with an error
  readonly lines: string
}

export function readSteps(text: string): Step[] {
  return text
    .split(/^@@ /m)
    .slice(1)
    .map((block) => {
      const end = block.indexOf('\n')
      const [word = '', ...rest] = block.slice(0, end).split(' ')
      return {
        kind: word.replace('!', ''),
        argument: rest.join(' '),
        failed: word.endsWith('!'),
        lines: block.slice(end + 1).replace(/\n$/, ''),
      }
    })
}

/** `<<<<`, the old lines, `====`, the new lines, `>>>>`. */
export function readEdit({ argument, lines }: Step): { path: string; old: string; new: string } {
  const parts = /^<<<<\n([\s\S]*?)\n====\n([\s\S]*)\n>>>>$/.exec(lines)
  if (!parts) throw new Error(`${argument}: not an edit`)
  return { path: argument, old: parts[1] ?? '', new: parts[2] ?? '' }
}

/** The files of the project at the beginning: `@@ path`, then the content. */
export function readProject(text: string): Map<string, string> {
  return new Map(
    text
      .split(/^@@ /m)
      .slice(1)
      .map((block) => {
        const end = block.indexOf('\n')
        return [block.slice(0, end), block.slice(end + 1)] as const
      }),
  )
}
