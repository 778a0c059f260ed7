// Problems that stop a script: a parse error, or a failed command.

/** The script is invalid. Nothing of it runs. */
export class ScriptProblem extends Error {
  /** Index in the script. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** A command failed on its file. Other files go on. */
export class FileProblem extends Error {}
