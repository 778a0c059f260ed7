// The messages of Vercel's AI SDK.
import { ROOT } from '../reading/json-items.ts'
import { readItems } from '../reading/record-reader.ts'
import type { SessionFormat } from '../session-format.ts'
import { AI_SDK, isAiSdk, MessageReader } from './read.ts'
import { AI_SDK_LOSSES, writeAiSdk } from './write.ts'

export const aiSdk: SessionFormat = {
  id: AI_SDK,
  title: 'AI SDK messages',
  losses: AI_SDK_LOSSES,
  detect: isAiSdk,
  read: (source, notes) =>
    readItems(source, ['messages', ROOT], notes, new MessageReader(AI_SDK, notes)),
  write: writeAiSdk,
}
