// How people start precis here.

/** In a checkout there is no `precis` to type: npm runs it. */
export function programName(): string {
  return process.env.npm_lifecycle_event === undefined ? 'precis' : 'npm run --silent precis --'
}
