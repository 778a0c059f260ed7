// The panels next to the transcript, one at a time; on a phone the conversation is one of them.
import {
  CircleDollarSign,
  Eye,
  type LucideIcon,
  MessageSquare,
  PanelsTopLeft,
  Pin,
  Search,
  Settings,
  Shrink,
} from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'

export const PANELS = [
  'Model’s view',
  'Compactions',
  'Window',
  'Cost',
  'Pins',
  'Recall',
  'Settings',
] as const
export type Panel = (typeof PANELS)[number]
export const CONVERSATION = 'Chat'
type Tab = Panel | typeof CONVERSATION

const ICONS: Readonly<Record<Tab, LucideIcon>> = {
  Chat: MessageSquare,
  'Model’s view': Eye,
  Compactions: Shrink,
  Window: PanelsTopLeft,
  Cost: CircleDollarSign,
  Pins: Pin,
  Recall: Search,
  Settings,
}

/** With the mouse or the standard tab keys. */
export function PanelTabs({
  chosen,
  isPhone,
  onChoose,
}: {
  readonly chosen: Tab
  readonly isPhone: boolean
  readonly onChoose: (tab: Tab) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  const names: readonly Tab[] = isPhone ? [CONVERSATION, ...PANELS] : PANELS
  const pressed = (event: KeyboardEvent) => {
    const at = names.indexOf(chosen)
    const target = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: names.length - 1,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    const next = (target + names.length) % names.length
    const name = names[next]
    if (name === undefined) return
    onChoose(name)
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus()
  }
  return (
    <div ref={list} role="tablist" aria-label="Look into the thread" onKeyDown={pressed}>
      {names.map((name) => {
        const Icon = ICONS[name]
        return (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls={name === CONVERSATION ? 'conversation' : 'panel'}
            aria-label={name}
            title={name}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            <Icon size={16} aria-hidden />{' '}
            <span>{isPhone ? name.replace('’s view', '') : name}</span>
          </button>
        )
      })}
    </div>
  )
}
