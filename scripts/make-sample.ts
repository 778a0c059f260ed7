// Writes the sample sessions from the story in scripts/sample/: as messages, and as Claude Code has it.
import { writeFileSync } from 'node:fs'
import { claudeCodeText } from './sample/claude-code.ts'
import { sampleText } from './sample/session.ts'

writeFileSync(new URL('../samples/session.json', import.meta.url), sampleText())
writeFileSync(new URL('../samples/session.jsonl', import.meta.url), claudeCodeText())
