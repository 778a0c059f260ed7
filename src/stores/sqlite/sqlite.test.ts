// The store on SQLite keeps the contract.
import { sqlitePlace } from '../contract/sqlite-place.ts'
import { storeContract } from '../contract.ts'

storeContract('SQLite', { durable: true, create: sqlitePlace })
