// Links between the two sides of a thread: an entry of the log, and what stands for it in the model's view.
import { createContext, useContext } from 'react'
import type { EntryPlace } from '../protocol/index.ts'

/** The transcript or the model's view: which one to show on a narrow screen. */
export type Side = 'told' | 'seen'

export interface Links {
  /** Where an entry is now, once known. */
  placeOf(ref: string): EntryPlace | undefined
  /** Requests the place of an entry that is not visible. */
  wantPlace(ref: string): void
  /** Shows an entry on both sides, wherever it is now. */
  show(ref: string, side: Side): void
  /** Restores a removed entry alone, or everything a text stands for if given that text's ref. */
  bringBack(ref: string): void
  /** The last shown entry. */
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

/** As summaries and markers write refs. */
export const REF_IN_TEXT = /\[ref:\s*((?:[\w-]+:)?(?:e\d+|c\d+\.\d+))\]/g
