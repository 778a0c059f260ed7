// The store in memory keeps the contract; the one of values all but what only JSON text can keep.
import { describe } from 'vitest'
import { contentContract } from '../contract/content.ts'
import { followContract } from '../contract/follow.ts'
import { forkContract } from '../contract/fork.ts'
import { leaseContract } from '../contract/lease.ts'
import { listContract } from '../contract/list.ts'
import { randomContract } from '../contract/random.ts'
import { closeContract } from '../contract/reopen.ts'
import { searchContract } from '../contract/search.ts'
import { searchScopeContract } from '../contract/search-scope.ts'
import { snapshotContract } from '../contract/snapshot.ts'
import { storeContract } from '../contract.ts'
import { memoryStore, valueStore } from './memory.ts'

function factoryOf(open: typeof memoryStore) {
  const create = async () => {
    const store = open()
    return { store, again: async () => store, remove: () => store.close() }
  }
  return { durable: false, create }
}

storeContract('memory', factoryOf(memoryStore))

// Not those of appending and reading, which change what they gave and were given, and write what is too long.
const OF_VALUES = [
  contentContract,
  snapshotContract,
  listContract,
  forkContract,
  followContract,
  leaseContract,
  searchContract,
  searchScopeContract,
  randomContract,
  closeContract,
]

describe('values in memory: most of the contract of stores', () => {
  for (const contract of OF_VALUES) contract(factoryOf(valueStore))
})
