// Writes samples/session.json from the story in scripts/sample/.
import { writeFileSync } from 'node:fs'
import { sampleText } from './sample/session.ts'

writeFileSync(new URL('../samples/session.json', import.meta.url), sampleText())
