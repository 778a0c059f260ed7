// Compactions of open threads: strategies by id; proposals made, judged and applied.
import { type Strategy, unknownStrategy } from '../core/edit/strategy.ts'
import { applyCompaction, judgeProposal } from './commit.ts'
import type { Moving, Proposals } from './compact-thread.ts'
import type { EditableThread, OpenThread } from './editable-thread.ts'
import type { Committed, CompactionPlan, ProposalRecord, Refused } from './plan.ts'
import { proposeCompaction } from './propose.ts'

export interface ProposalPorts {
  get(threadId: string): Promise<EditableThread>
  readonly open: OpenThread
  newId(prefix: string): string
}

export interface ThreadProposals extends Proposals {
  /** Proposes and applies. A registered strategy can be given by id. */
  compact(
    threadId: string,
    strategy: string | Strategy,
    options?: Partial<CompactionPlan>,
  ): Promise<Committed | Refused>
  register(strategy: Strategy): void
  strategyIds(): string[]
}

export function createProposals(
  ports: ProposalPorts,
  strategies: Iterable<Strategy>,
): ThreadProposals {
  const known = new Map<string, Strategy>()
  for (const strategy of strategies) known.set(strategy.id, strategy)
  const find = (strategy: string | Strategy): Strategy => {
    const found = typeof strategy === 'string' ? known.get(strategy) : strategy
    if (found) return found
    throw unknownStrategy(String(strategy), [...known.keys()])
  }
  const prepare: Proposals['prepare'] = async (threadId, strategy, options, tab) => {
    const found = find(strategy)
    return proposeCompaction(await ports.get(threadId), found, ports.newId('run'), options, tab)
  }
  const apply = async (threadId: string, record: ProposalRecord, more: Moving = {}) =>
    applyCompaction(await ports.get(threadId), record, { ...ports, ...more })
  return {
    prepare,
    apply,
    judge: async (threadId, record) => judgeProposal(await ports.get(threadId), record),
    compact: async (threadId, strategy, options) =>
      apply(threadId, await prepare(threadId, strategy, options)),
    register: (strategy) => void known.set(strategy.id, strategy),
    strategyIds: () => [...known.keys()],
  }
}
