// The file formats by id.
import { aiSdk } from './ai-sdk/write.ts'
import { anthropicSession } from './anthropic.ts'
import { claudeCode } from './claude-code/write.ts'
import { codex } from './codex/write.ts'
import { openAiChat, openAiResponses } from './openai/openai.ts'
import { openCode } from './opencode/write.ts'
import { ohMyPi, pi } from './pi/write.ts'
import type { SessionFormat } from './session-format.ts'
import { aider } from './tools/aider.ts'
import { cline } from './tools/cline.ts'
import { copilotCli } from './tools/copilot-cli.ts'
import { geminiCli } from './tools/gemini-cli.ts'
import { openHands } from './tools/openhands.ts'
import { sweAgent } from './tools/swe-agent.ts'

/** Session file formats, specific ones first: detection takes the first match. */
export const SESSION_FORMATS: readonly SessionFormat[] = [
  claudeCode,
  codex,
  ohMyPi,
  pi,
  copilotCli,
  openCode,
  geminiCli,
  openHands,
  sweAgent,
  aider,
  aiSdk,
  openAiResponses,
  cline,
  openAiChat,
  anthropicSession,
]
