// The file formats, under their ids.
import { aiSdk } from './ai-sdk/index.ts'
import { aider } from './aider.ts'
import { anthropicSession } from './anthropic-session.ts'
import { claudeCode } from './claude-code/index.ts'
import { cline } from './cline.ts'
import { codex } from './codex/index.ts'
import { copilotCli } from './copilot-cli.ts'
import { geminiCli } from './gemini-cli.ts'
import { openAiChat } from './openai/chat.ts'
import { openAiResponses } from './openai/responses.ts'
import { openCode } from './opencode/index.ts'
import { openHands } from './openhands.ts'
import { ohMyPi, pi } from './pi/index.ts'
import type { SessionFormat } from './session-format.ts'
import { sweAgent } from './swe-agent.ts'

/** Formats of session files, the more particular ones first: detection takes the first that fits. */
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
