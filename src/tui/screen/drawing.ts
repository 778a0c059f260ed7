// The drawing options of a block
import type { Theme } from './theme.ts'

export interface Drawing {
  readonly width: number
  readonly theme: Theme
  readonly isOpen: boolean
}
