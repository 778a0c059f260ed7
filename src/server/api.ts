// Shared context of the routes: the ports of the app and its runtime state
import type { Drain } from './drain.ts'
import type { Feeds } from './feeds.ts'
import type { PageSessions } from './page-sessions.ts'
import type { AppLimits, AppPorts } from './ports.ts'
import type { Previews } from './previews.ts'
import type { Api } from './route.ts'
import type { Sender } from './send.ts'
import type { SessionPorts } from './session.ts'

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
