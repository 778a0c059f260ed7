// Eight processes on one store, for half a minute; runs with PRECIS_LONG=1.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { crowdSuite } from './crowd-suite.ts'
import { postgresCrowd, sqliteCrowd } from './places.ts'

const { available, notice } = requirement('postgres')
const SECONDS = 30

describe('several processes', () => crowdSuite(sqliteCrowd, SECONDS))

describe.skipIf(!available)(`several processes ${notice}`, () => crowdSuite(postgresCrowd, SECONDS))
