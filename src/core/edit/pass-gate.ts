// `passGate`: the gate for all proposals, including summaries by a model.
import { isExcuse } from './excuse.ts'
import { type GateInput, type GateResult, passGateWith, type TextCheck } from './gate.ts'
import { checkWritten } from './gate-summary.ts'

export const checkText: TextCheck = (written) => checkWritten(written, isExcuse)

/** Checks a proposal against the current context. Pure: the caller appends the result. */
export function passGate(input: GateInput): GateResult {
  return passGateWith(checkText, input)
}
