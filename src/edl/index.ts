// EDL, the edit description language, for `precis/edl`: usable on its own, and pure.
export type { Range } from './document.ts'
export { type FileStat, InMemoryFileIO, type InMemoryOptions } from './in-memory-file-io.ts'
export type { Counts } from './mutate.ts'
export { createRegisters, type EdlRegisters, type SavedText } from './registers.ts'
export type {
  EdlDone,
  EdlRefused,
  EdlResult,
  FileError,
  Selection,
  WrittenFile,
} from './result.ts'
export { type RunOptions, runScript } from './run.ts'
export { DEFAULT_LIMITS, type EdlLimits, type FileIO } from './script.ts'
