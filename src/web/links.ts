// Links between the two sides of a thread: an entry of the log, and what stands for it in the model's view.
import { createContext, useContext } from 'react'
import type { EntryPlace } from '../protocol/index.ts'

/** The transcript, or the model's view: which one to see where there is room for one. */
export type Side = 'told' | 'seen'

export interface Links {
  /** What became of an entry, once that is known. */
  placeOf(ref: string): EntryPlace | undefined
  /** Asks what became of an entry that is not in sight. */
  wantPlace(ref: string): void
  /** Shows an entry on both sides, wherever it is now. */
  show(ref: string, side: Side): void
  /** Puts a removed entry back into the context, alone; all that a text stands for, by the name of that text. */
  bringBack(ref: string): void
  /** The entry that was shown last. */
  readonly shown: string | undefined
}

const NOWHERE: Links = {
  placeOf: () => undefined,
  wantPlace: () => undefined,
  show: () => undefined,
  bringBack: () => undefined,
  shown: undefined,
}

export const LinksContext = createContext<Links>(NOWHERE)

export function useLinks(): Links {
  return useContext(LinksContext)
}

/** As summaries and markers write them. */
export const REF_IN_TEXT = /\[ref:\s*((?:[\w-]+:)?(?:e\d+|c\d+\.\d+))\]/g
