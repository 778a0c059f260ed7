// The door `precis/client`: the client of a server and the types of its answers.
export type * from './client.ts'
export { createClient, type Transport } from './http-client.ts'
