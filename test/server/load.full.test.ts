// Followers and writers on one server; the load that it is to bear is that of the long tier.
import { scaled } from '../scale.ts'
import { loadSuite } from './load-suite.ts'

loadSuite({ followers: scaled(30, 10), writers: scaled(4, 2), messagesEach: 4 })
