// JSON as a type: what may stand in a log row; and objects of JSON.

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }
