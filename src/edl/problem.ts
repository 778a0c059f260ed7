// What stops a script: a place in it that cannot be read, or a command that one file does not allow.

/** The script cannot be read. Nothing of it runs. */
export class ScriptProblem extends Error {
  /** Where in the script, as an index. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** A command failed on its file. Other files go on. */
export class FileProblem extends Error {}
