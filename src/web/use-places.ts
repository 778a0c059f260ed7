// What became of the entries of the transcript, in pages, asked for as they come in sight.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client, EntryPlace } from '../protocol/index.ts'

const PAGE = 500

const ORIGINAL = /^e(\d+)$/

export interface Places {
  of(ref: string): EntryPlace | undefined
  /** Requests the place of an entry anywhere, and keeps it current. */
  want(ref: string): void
  /** The numbers of the visible events. */
  need(first: number, last: number): void
}

/** `changes` counts the context changes: after one, everything may have moved. */
export function usePlaces(
  client: Client,
  threadId: string,
  version: number,
  changes: number,
): Places {
  const [known, setKnown] = useState<ReadonlyMap<string, EntryPlace>>(new Map())
  const inSight = useRef<readonly [number, number]>([1, 0])
  const asked = useRef(new Map<number, string>())
  const wanted = useRef(new Set<number>())

  const ask = useCallback(
    (first: number, last: number) => {
      for (let page = Math.floor((first - 1) / PAGE); page * PAGE < last; page += 1) {
        const from = page * PAGE + 1
        // Events after a page's last one do not change it; a context change does.
        const state = `${changes}/${Math.min(version, from + PAGE - 1)}`
        if (asked.current.get(page) === state) continue
        asked.current.set(page, state)
        client.places(threadId, { from, limit: PAGE }).then(
          (items) =>
            setKnown((was) => new Map([...was, ...items.map((item) => [item.ref, item] as const)])),
          () => asked.current.delete(page), // requested again at the next look
        )
      }
    },
    [client, threadId, version, changes],
  )
  const latest = useRef(ask)
  latest.current = ask
  const need = useCallback((first: number, last: number) => {
    inSight.current = [first, last]
    latest.current(first, last)
  }, [])
  const want = useCallback((ref: string) => {
    const seq = ORIGINAL.exec(ref)?.[1]
    if (seq === undefined) return
    wanted.current.add(Number(seq))
    latest.current(Number(seq), Number(seq))
  }, [])
  useEffect(() => {
    ask(...inSight.current)
    for (const seq of wanted.current) ask(seq, seq)
  }, [ask])
  const of = useCallback((ref: string) => known.get(ref), [known])
  return { of, need, want }
}
