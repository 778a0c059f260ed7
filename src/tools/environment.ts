// The environment of a command: the user's own, without the keys that the agent itself uses.

export type Environment = Readonly<Record<string, string | undefined>>

/** How providers' keys are named; a command has no business with them. */
const PROVIDER_KEY = /_API_KEY$|^ANTHROPIC_AUTH_TOKEN$/i

/** Nobody is there to turn pages or to answer, and colours are noise. */
const FOR_NO_TERMINAL: Environment = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
}

/** `hidden` names further variables to leave out. */
export function commandEnvironment(
  environment: Environment,
  hidden: readonly string[] = [],
): Record<string, string | undefined> {
  const kept = Object.entries(environment).filter(
    ([name]) => !PROVIDER_KEY.test(name) && !hidden.includes(name),
  )
  return { ...Object.fromEntries(kept), ...FOR_NO_TERMINAL }
}
