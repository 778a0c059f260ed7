// The files that a script sees: a port, so that a script can work on a disk, in memory, or on anything.

export interface FileIO {
  /** Rejects if there is no such file. */
  readFile(path: string): Promise<string>
  writeFile(path: string, text: string): Promise<void>
  fileExists(path: string): Promise<boolean>
  /** Makes a folder and those above it; one that is there already is no failure. */
  mkdir(path: string): Promise<void>
}
