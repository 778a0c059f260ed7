// What the drawing of a block depends on, besides the block.
import type { Theme } from './theme.ts'

export interface Drawing {
  readonly width: number
  readonly theme: Theme
  readonly isOpen: boolean
}
