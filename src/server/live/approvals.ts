// Pending approvals: the agent asks, an interface answers
import type { ApprovalQuestion, Approver } from '../../agent/ports.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Approval } from '../../protocol/client.ts'

type Decision = 'allow' | 'deny'

interface Pending {
  readonly question: ApprovalQuestion
  readonly settle: (decision: Decision) => void
}

export class Approvals {
  readonly #pending = new Set<Pending>()

  /** For the agent. What nobody answers before the turn is stopped is a no. */
  readonly approver: Approver = (question) =>
    new Promise((resolve) => {
      const { signal } = question
      const deny = () => pending.settle('deny')
      const pending: Pending = {
        question,
        settle: (decision) => {
          signal.removeEventListener('abort', deny)
          this.#pending.delete(pending)
          resolve(decision)
        },
      }
      this.#pending.add(pending)
      signal.addEventListener('abort', deny)
      if (signal.aborted) deny()
    })

  /** What waits for an answer, the oldest first. */
  all(): (Approval & { readonly threadId: string })[] {
    return [...this.#pending].map(({ question }) => {
      const { threadId, callId, name, subject, reason } = question
      return { threadId, callId, name, subject, reason }
    })
  }

  of(threadId: string): Approval[] {
    return this.all()
      .filter((each) => each.threadId === threadId)
      .map(({ threadId: _, ...approval }) => approval)
  }

  decide(threadId: string, callId: string, decision: Decision): void {
    const pending = [...this.#pending].find(
      ({ question }) => question.threadId === threadId && question.callId === callId,
    )
    if (!pending)
      throw new PrecisError('not-found', `No call ${callId} waits for an answer.`, {
        where: callId,
        hint: 'It was already answered, or the turn has ended.',
      })
    pending.settle(decision)
  }
}
