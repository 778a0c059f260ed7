// The door `precis/client`: what a program needs to ask a server, with the types of its answers.
export type * from './client.ts'
export { createClient, type Transport } from './http-client.ts'
