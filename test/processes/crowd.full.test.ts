// Eight processes on one store, for seconds or longer.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { scaled } from '../scale.ts'
import { crowdSuite } from './crowd-suite.ts'
import { postgresCrowd, sqliteCrowd } from './places.ts'

const { available, notice } = requirement('postgres')
const SECONDS = scaled(3)

describe('several processes', () => crowdSuite(sqliteCrowd, SECONDS))

describe.skipIf(!available)(`several processes ${notice}`, () => crowdSuite(postgresCrowd, SECONDS))
