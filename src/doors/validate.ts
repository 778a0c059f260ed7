// `precis/validate`: what each provider accepts, checked on requests

export type { Exchange, Profile, Violation } from '../validate/rule.ts'
export { PROFILES, validate } from '../validate/validate.ts'
export { repairProfile } from '../wire/repair/profile.ts'
