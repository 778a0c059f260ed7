// Before any schema is made: the page's policy allows no code from texts, and trying it would be reported.
import { config } from 'zod'

config({ jitless: true })
