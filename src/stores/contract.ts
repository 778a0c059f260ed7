// The test suite every store must pass.
import { describe } from 'vitest'
import { appendContract } from './contract/append.ts'
import { contentContract } from './contract/content.ts'
import { followContract } from './contract/follow.ts'
import { forkContract } from './contract/fork.ts'
import { leaseContract } from './contract/lease.ts'
import { listContract } from './contract/list.ts'
import type { StoreFactory } from './contract/place.ts'
import { randomContract } from './contract/random.ts'
import { readContract } from './contract/read.ts'
import { closeContract, reopenContract } from './contract/reopen.ts'
import { searchContract } from './contract/search.ts'
import { searchScopeContract } from './contract/search-scope.ts'
import { snapshotContract } from './contract/snapshot.ts'

export function storeContract(name: string, factory: StoreFactory): void {
  describe(`${name}: the contract of stores`, () => {
    appendContract(factory)
    readContract(factory)
    contentContract(factory)
    snapshotContract(factory)
    listContract(factory)
    forkContract(factory)
    followContract(factory)
    leaseContract(factory)
    searchContract(factory)
    searchScopeContract(factory)
    randomContract(factory)
    closeContract(factory)
    if (factory.durable) reopenContract(factory)
  })
}
