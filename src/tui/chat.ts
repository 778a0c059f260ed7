// The chat without its drawing: input, results, and switching threads.
import {
  asPrecisError,
  type CommandOutcome,
  errorWords,
  isStandIn,
  markPasted,
  type StreamItem,
  type ThreadDetail,
  ThreadView,
  textOfUserContent,
  type ViewBlock,
  type ViewStatus,
} from '../protocol/index.ts'
import { Approvals } from './dialogs/approvals.ts'
import { buildChatCommand, unknownInChat } from './dialogs/commands.ts'
import { chooseModel, NO_MODEL_NOTICE, STAND_IN_NOTICE } from './dialogs/thread-settings.ts'
import type { ChatPorts, OpenChat } from './open-chat.ts'
import { ThreadSession } from './session.ts'

/** FRESH-24, however it was started. */
const FRESH = 'New session started with compacted context'
const STARTED = `${FRESH}; /undo goes back`
const COMPACTS = /^[/@]compact(?=\s|$)/

export class Chat implements OpenChat {
  readonly ports: ChatPorts
  readonly #approvals: Approvals
  #session: ThreadSession | undefined
  #view = new ThreadView()
  #turnEnds = 0
  #isStandIn = true

  constructor(ports: ChatPorts) {
    this.ports = ports
    this.#approvals = new Approvals(this, (error) => this.#sayError(error))
  }

  get blocks(): readonly ViewBlock[] {
    return this.#view.blocks
  }

  get status(): ViewStatus {
    return this.#view.status
  }

  get detail(): ThreadDetail | undefined {
    return this.#session?.detail
  }

  /** Whether compactions have the window's sizes. */
  get isMeasured(): boolean {
    return this.#view.isMeasured
  }

  async measure(): Promise<void> {
    await this.#session?.refresh()
  }

  get threadId(): string {
    return this.#session?.threadId ?? ''
  }

  /** Rejects if there is no such thread and changes nothing. */
  async open(threadId: string): Promise<void> {
    this.#isStandIn = true // the welcome says so
    await this.#switch(threadId, new ThreadView())
    await this.#welcome()
  }

  /** Runs a command or sends a message. Never rejects: errors are shown. */
  async submit(typed: string, pastes: readonly string[] = []): Promise<void> {
    const text = typed.trim()
    if (text === '') return
    const own = buildChatCommand(text)
    const unknown = own ? undefined : unknownInChat(text)
    if (unknown !== undefined) {
      this.say(unknown, 'warning', text)
      return
    }
    await this.attempt(async () => {
      if (own) await own.command.run(this, own.argument)
      else await this.send(text, pastes)
    })
  }

  /** Never rejects: errors are shown. */
  async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      this.#sayError(asPrecisError(thrown))
    }
    this.ports.onChange()
  }

  /** Sends the text to the agent and shows the outcome. */
  async send(text: string, pastes: readonly string[] = []): Promise<void> {
    const ended = this.#turnEnds
    const { threadId } = this
    // Its progress is shown as it runs, so the command goes above.
    const isAbove = COMPACTS.test(text)
    if (isAbove) this.say('', 'info', text)
    const reply = await this.ports.client.send(threadId, markPasted(text, pastes))
    if (reply.status === 'command') await this.settle(threadId, reply, isAbove ? undefined : text)
    else if (threadId !== this.threadId) return
    else if (reply.status === 'started' && reply.threadId !== undefined)
      await this.#continueIn(reply.threadId)
    // Frames arrive separately: a started turn may not be visible yet, or be over already.
    else if (reply.status === 'started' && ended === this.#turnEnds)
      this.#view.assume({ isWorking: true, approvals: this.status.approvals })
  }

  /** Shows what a command did to a thread. */
  async settle(from: string, outcome: CommandOutcome, command?: string): Promise<void> {
    const { ok, text, threadId, compaction, returned } = outcome
    if (returned !== undefined) this.ports.onReturned(returned, 'command')
    if (from !== this.threadId) {
      const { fresh } = compaction ?? {}
      // If this chat has followed to the new thread already, the words report the command's outcome.
      const isHere = fresh === undefined || fresh.threadId === this.threadId
      this.say(isHere ? text : `${from} continues in ${fresh.threadId}.`)
      return
    }
    if (compaction) this.#showCompaction(outcome)
    if (threadId !== undefined && threadId !== this.threadId) {
      // FRESH-19a: the summary appears before the new session.
      if (compaction?.fresh) await this.#continueIn(threadId)
      else await this.#switch(threadId, new ThreadView())
    }
    // The divider reports a compaction, and so does the thread if it stays here.
    if (compaction && !compaction.fresh) return
    const words = text.replace(FRESH, STARTED)
    this.say(words, ok ? 'reply' : 'warning', command)
  }

  say(
    text: string,
    level: 'info' | 'warning' | 'error' | 'reply' = 'info',
    command?: string,
  ): void {
    this.#view.say({ level, text, ...(command !== undefined && { command }) })
    this.ports.onChange()
  }

  async abort(): Promise<void> {
    await this.ports.client.abort(this.threadId)
  }

  /** Whether something can be stopped. */
  get isBusy(): boolean {
    return this.status.isWorking || this.status.compaction !== undefined
  }

  /** Clears the display; the thread is unchanged. */
  clear(): void {
    this.#view.clear()
    this.ports.onChange()
  }

  /** Returns how many blocks were added in front. */
  async loadEarlier(): Promise<number> {
    return (await this.#session?.loadEarlier()) ?? 0
  }

  get earlierEvents(): number {
    return this.#session?.earlier ?? 0
  }

  close(): void {
    this.#session?.stop()
    this.#approvals.close()
  }

  /** Keeps the display and continues with the other thread below it. */
  async #continueIn(threadId: string): Promise<void> {
    if (threadId === this.threadId) return
    this.#view.continueElsewhere()
    await this.#switch(threadId, this.#view)
  }

  async #switch(threadId: string, view: ThreadView): Promise<void> {
    const session = new ThreadSession(
      this.ports.client,
      threadId,
      {
        onChange: () => this.#changed(),
        onItem: (item) => this.#heard(item),
        onError: (error) => this.#sayError(error),
      },
      view,
    )
    const before = this.#session
    await session.start()
    before?.stop()
    this.#session = session
    this.#view = view
    this.#changed()
  }

  async #welcome(): Promise<void> {
    const { client, dialogs } = this.ports
    const { defaultModel } = await client.hello()
    if (this.detail?.model === undefined && defaultModel === undefined) {
      const model = await chooseModel(client, dialogs)
      if (model !== undefined) await client.change(this.threadId, { model })
      else this.say(NO_MODEL_NOTICE)
      await this.#session?.refresh()
    }
    this.#isStandIn = false
    this.#noteStandIn(this.detail?.model ?? defaultModel)
    this.#changed()
  }

  /** Says so whenever the stand-in takes over, so it is not mistaken for a model. */
  #noteStandIn(model: string | undefined): void {
    const wasStandIn = this.#isStandIn
    this.#isStandIn = isStandIn(model)
    if (this.#isStandIn && !wasStandIn) this.say(STAND_IN_NOTICE)
  }

  #showCompaction({ compaction }: CommandOutcome): void {
    if (!compaction) return
    const frame = {
      type: 'COMPACTION_COMPLETE' as const,
      threadId: this.threadId,
      timestamp: new Date(),
      ...compaction,
    }
    // Frames may come after the reply, or not at all.
    this.#view.apply({ kind: 'frame', frame })
    this.ports.onChange()
  }

  #heard(item: StreamItem): void {
    if (item.kind === 'frame' && item.frame.type === 'turn-end') this.#turnEnds += 1
    if (item.kind === 'frame' && item.frame.type === 'messages-returned')
      this.ports.onReturned(item.frame.messages.map(textOfUserContent).join('\n\n'), 'queue')
    this.ports.onItem?.(item)
  }

  #changed(): void {
    const model = this.detail?.model
    if (model !== undefined) this.#noteStandIn(model)
    this.#approvals.follow(this.threadId, this.status.approvals)
    this.ports.onChange()
  }

  #sayError(error: Error): void {
    this.say(errorWords(error), 'error')
  }
}
