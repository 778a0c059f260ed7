// The store on SQLite keeps the contract.
import { sqlitePlace } from '../contract/place.ts'
import { storeContract } from '../contract.ts'

storeContract('SQLite', { durable: true, create: sqlitePlace })
