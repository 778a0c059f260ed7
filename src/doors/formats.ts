// `precis/formats`: the session files of other agents, read and written
export { SESSION_FORMATS } from '../formats/index.ts'
export { importSession } from '../formats/reading/import-session.ts'
export { ReadNotes } from '../formats/reading/notes.ts'
export { detectFormat, readSample } from '../formats/reading/sample.ts'
export type * from '../formats/session-format.ts'
