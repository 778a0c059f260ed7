// Shared context of the routes: the ports of the app and its runtime state
import type { PageSessions } from './accounts/page-sessions.ts'
import type { Drain } from './http/drain.ts'
import type { Api } from './http/route.ts'
import type { Feeds } from './live/feeds.ts'
import type { AppLimits, AppPorts } from './ports.ts'
import type { Sender } from './send.ts'
import type { Previews } from './views/previews.ts'
import type { SessionPorts } from './views/session.ts'

export interface AppParts extends Omit<AppPorts, 'limits'>, SessionPorts {
  readonly limits: AppLimits
  readonly feeds: Feeds
  readonly sender: Sender
  readonly previews: Previews
  readonly drain: Drain
  readonly pageSessions: PageSessions
}

/** Adds the routes of one topic. */
export type AddRoutes = (api: Api, parts: AppParts) => void
