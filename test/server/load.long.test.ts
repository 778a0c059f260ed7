// The load that one server is to bear on the loopback.
import { loadSuite } from './load-suite.ts'

loadSuite({ followers: 200, writers: 20, messagesEach: 20 })
loadSuite({ followers: 260, writers: 20, messagesEach: 4 })
