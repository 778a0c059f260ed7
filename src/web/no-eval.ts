// Runs before any schema is created: the page's policy forbids eval, and an attempt would be reported.
import { config } from 'zod'

config({ jitless: true })
