// `precis/validate`: what each provider accepts, checked on requests
export { PROFILES, validate } from '../validate/validate.ts'
export type { Exchange, Profile, Violation } from '../validate/walk.ts'
export { repairProfile } from '../wire/repair/profile.ts'
