// The store in memory keeps the contract.
import { storeContract } from './contract.ts'
import { memoryStore } from './memory.ts'

storeContract('memory', {
  durable: false,
  create: async () => {
    const store = memoryStore()
    return { store, again: async () => store, remove: () => store.close() }
  },
})
