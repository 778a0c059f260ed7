// Processes that work on a SQLite file are killed at random moments.
import { killSuite } from './kill-suite.ts'
import { sqliteKillPlace } from './places.ts'

killSuite('SQLite', 40, sqliteKillPlace)
