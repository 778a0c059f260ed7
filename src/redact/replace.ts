// What stands in the place of a secret.

/** Gives the placeholder for one secret, and counts it. */
export type Replace = (kind: string) => string
