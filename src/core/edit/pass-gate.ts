// `passGate`: the gate for summaries that a model wrote, or anything else
import { isExcuse } from './excuse.ts'
import { type GateInput, type GateResult, passGateWith, type TextCheck } from './gate.ts'
import { checkWritten } from './gate-summary.ts'

export const checkText: TextCheck = (written) => checkWritten(written, isExcuse)

/** Checks a proposal against the context as it is now. Pure: the caller appends what it returns. */
export function passGate(input: GateInput): GateResult {
  return passGateWith(checkText, input)
}
