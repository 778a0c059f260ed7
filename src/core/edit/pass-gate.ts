// `passGate`: the gate for summaries that a model wrote, or anything else
import { isExcuse } from './excuse.ts'
import { type GateInput, type GateResult, passGateWith } from './gate.ts'

/** Checks a proposal against the context as it is now. Pure: the caller appends what it returns. */
export function passGate(input: GateInput): GateResult {
  return passGateWith(isExcuse, input)
}
