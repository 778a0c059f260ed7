// Writes a model request as the body of Gemini's generateContent; the model is in the URL
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import type { Fields, Json } from '../../core/text/json.ts'
import { WireNames } from '../openai-chat/names.ts'
import type { Note } from '../openai-chat/rounds.ts'
import { nativeFields, nativeObject, systemText, type Written } from '../openai-chat/write.ts'
import { wellFormed } from '../well-formed.ts'
import { geminiContents } from './contents.ts'
import type { GeminiProfile } from './profile.ts'

export function writeGemini(request: ModelRequest, profile: GeminiProfile, note: Note): Written {
  const names = new WireNames(note, { letterFirst: true })
  const functionDeclarations = request.tools.map((tool) => declaration(tool, names))
  const hasTools = functionDeclarations.length > 0
  const system = systemText(request.system)
  const body = {
    contents: geminiContents(request.messages, profile, names, note),
    ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
    ...(hasTools && { tools: [{ functionDeclarations }] }),
    ...(hasTools &&
      request.toolChoice === 'none' && { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }),
    ...nativeFields(request, profile.provider),
    generationConfig: {
      maxOutputTokens: request.maxOutputTokens,
      ...thinkingOf(request),
      ...nativeObject(request, profile.provider, 'generationConfig'),
    },
  }
  return { body: wellFormed(body, note), toolName: (wireName) => names.originalOf(wireName) }
}

/** As JSON Schema: the API's own `parameters` know only a part of it. */
function declaration({ name, description, inputSchema }: ToolSchema, names: WireNames): Json {
  return { name: names.of(name), description, parametersJsonSchema: inputSchema }
}

/** Newer models take a level, older ones a number; both at once are refused. */
function thinkingOf({ thinking }: ModelRequest): Fields {
  const { effort, budgetTokens } = thinking ?? {}
  if (effort !== undefined) return { thinkingConfig: { thinkingLevel: effort } }
  if (budgetTokens === undefined) return {}
  return { thinkingConfig: { thinkingBudget: budgetTokens } }
}
