// Decides whether a prompt leaves its provider, so that secrets must be removed
import type { ModelRef } from '../core/view/content.ts'

/** `others`: prompts to another provider than that of the conversation, or where that is unknown. */
export type RedactionPolicy = 'others' | 'always' | 'never'

export interface Destination {
  /** Who has seen the conversation: the model of its latest answer. Absent: nobody knows. */
  readonly conversation?: ModelRef | undefined
  readonly target: ModelRef
  readonly policy?: RedactionPolicy | undefined
}

/** True if secrets are to be taken out of what is sent to `target`. */
export function redactFor({ conversation, target, policy = 'others' }: Destination): boolean {
  if (policy !== 'others') return policy === 'always'
  return conversation === undefined || providerOf(conversation) !== providerOf(target)
}

function providerOf(model: ModelRef): string {
  return model.slice(0, model.indexOf('/'))
}
