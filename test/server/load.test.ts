// A small load on one server, in every run of the tests.
import { loadSuite } from './load-suite.ts'

loadSuite({ followers: 30, writers: 4, messagesEach: 4 })
