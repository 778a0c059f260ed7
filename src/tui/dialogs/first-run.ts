// First run without a model: the choices, and how to get more
import type { Client, ModelInfo } from '../../protocol/index.ts'
import type { Dialogs } from './dialogs.ts'

const STAND_IN = 'dev'
export const STAND_IN_NOTICE =
  'The model is dev, a stand-in: a small program in this process that answers by fixed rules. It knows nothing; use it to try things out. /model chooses another.'

export const NO_MODEL_NOTICE = 'No model is set. Choose one with /model.'

const KEYS_HELP = `No model is configured. There are these ways to get one:

- Anthropic: set ANTHROPIC_API_KEY, then choose one with /model anthropic/…
- OpenAI: set OPENAI_API_KEY, then /model openai/…
- LM Studio or Ollama on this machine: start its server, then /model lmstudio/… or /model ollama/…
- dev: the stand-in, without a key, to try things out.

models.default in the settings keeps the choice: docs/configuration.md.`

const HELP = 'help'
const STAND_IN_CHOICE = {
  value: STAND_IN,
  label: STAND_IN,
  description: 'a stand-in: answers without a key',
}

export function usesStandIn(model: string | undefined): boolean {
  return model === STAND_IN || (model?.startsWith(`${STAND_IN}/`) ?? false)
}

/** Undefined if the user has chosen none. */
export async function chooseModel(client: Client, dialogs: Dialogs): Promise<string | undefined> {
  const models = await client.models()
  for (;;) {
    const chosen = await dialogs.choose('No model is configured. Which one?', [
      STAND_IN_CHOICE,
      { value: HELP, label: 'How to set a key', description: 'for Anthropic, OpenAI and others' },
      ...modelChoices(models.filter(({ isConfigured }) => isConfigured)).filter(
        ({ value }) => value !== STAND_IN,
      ),
    ])
    if (chosen !== HELP) return chosen
    await dialogs.show('Models', KEYS_HELP, 'markdown')
  }
}

export function modelChoices(models: readonly ModelInfo[]) {
  const rest = models.filter(({ ref }) => !usesStandIn(ref))
  return [
    ...rest.map(({ ref, windowTokens, isConfigured }) => ({
      value: ref,
      label: ref,
      description: [
        windowTokens === undefined ? '' : `${windowTokens.toLocaleString('en-US')} tokens`,
        isConfigured ? '' : 'no key or server',
      ]
        .filter((word) => word !== '')
        .join(', '),
    })),
    STAND_IN_CHOICE,
  ]
}
