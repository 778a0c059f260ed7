// A separate process that takes leases: ADDRESS OWNER. Each input line is `TTL NAME…`; it prints the ones it
// got.
import { createInterface } from 'node:readline'
import { openStore } from '../index.ts'

const [address = '', owner = ''] = process.argv.slice(2)
const store = await openStore(address)
process.stdout.write('ready\n')
for await (const line of createInterface(process.stdin)) {
  const [ttl, ...names] = line.split(' ')
  const got: string[] = []
  for (const name of names) if (await store.takeLease(name, owner, Number(ttl))) got.push(name)
  process.stdout.write(`${got.join(' ')}\n`)
}
