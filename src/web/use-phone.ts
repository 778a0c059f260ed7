// Whether there is room for one column only, as in the styles.
import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 60rem)'

export function usePhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(NARROW)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => window.matchMedia(NARROW).matches,
  )
}
