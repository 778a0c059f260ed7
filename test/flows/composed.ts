// Threads and models as a program has them, with the stand-in in the place of every provider.
import { type Composed, type ComposeOptions, compose } from '../../src/compose.ts'
import type { DevModel } from '../../src/dev-model/index.ts'

export function composedWith(
  server: DevModel,
  settings: Omit<NonNullable<ComposeOptions['settings']>, 'models'> = {},
  options: Pick<ComposeOptions, 'store'> = {},
): Composed {
  const v1 = { baseUrl: `${server.url}/v1` }
  return compose({
    ...options,
    settings: {
      models: {},
      providers: {
        anthropic: { baseUrl: server.url },
        openai: v1,
        'openai-chat': v1,
        ollama: { baseUrl: server.url },
      },
      ...settings,
    },
    environment: { ANTHROPIC_API_KEY: 'test', OPENAI_API_KEY: 'test' },
  })
}
