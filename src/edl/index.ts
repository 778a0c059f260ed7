// EDL, the edit description language, for `precis/edl`: usable on its own, and pure.
export {
  createRegisters,
  type EdlRegisters,
  type FileStat,
  InMemoryFileIO,
  type InMemoryOptions,
  type Range,
  type SavedText,
} from './document.ts'
export type { Counts } from './mutate.ts'
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
