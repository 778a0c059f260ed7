// Questions asked over the screen, one above the other.
import type { Component, TUI } from '@earendil-works/pi-tui'
import type { Dialogs } from '../dialogs/dialogs.ts'
import { ChoiceBox, EditBox, TextBox } from './boxes.ts'
import type { Theme } from './theme.ts'

export function screenDialogs(tui: TUI, theme: Theme): Dialogs {
  /** Shows what `make` makes until it calls `done`, or the question is undone. */
  const over = <T>(
    make: (done: (value: T | undefined) => void) => Component,
    signal?: AbortSignal,
  ): Promise<T | undefined> =>
    new Promise((resolve) => {
      const settle = (value: T | undefined) => {
        signal?.removeEventListener('abort', takeBack)
        handle.hide()
        resolve(value)
      }
      const takeBack = () => settle(undefined)
      const handle = tui.showOverlay(make(settle), {
        width: '94%',
        maxHeight: '100%',
        anchor: 'bottom-center',
      })
      signal?.addEventListener('abort', takeBack, { once: true })
    })
  return {
    choose: (title, choices, signal) =>
      over<string>((done) => new ChoiceBox({ tui, theme, title }, choices, done), signal),
    async show(title, text, form = 'plain') {
      await over<void>(
        (done) => new TextBox({ tui, theme, title }, text, form, () => done(undefined)),
      )
    },
    edit: (title, text, form = 'text') =>
      over<string>((done) => new EditBox({ tui, theme, title }, text, form, done)),
  }
}
