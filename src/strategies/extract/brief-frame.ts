// The frame of a brief: its opening and its headings

export const OPENING =
  '[Context note, not a request: what happened before, word for word from the log. Refs can be read again.]'

export const TITLES = [
  'Goal',
  'Constraints',
  'The user said',
  'State',
  'Decisions',
  'Excerpts',
  'Names',
] as const

export type Title = (typeof TITLES)[number]
