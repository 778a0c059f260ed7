// The strict stand-in for model providers: what other folders and users of the library may know of it.
export type { Asked, AskedPart, AskedTurn, OfferedTool, ToolChoice, WireId } from './asked.ts'
export type { Fault, FaultKind, FaultOrder } from './faults.ts'
export type { AnswerCall, Ending, ScriptedAnswer, ScriptedPart } from './reply.ts'
export type { Outcome, RecordedRequest, Script, ScriptFunction, ScriptStep } from './responder.ts'
export { type DevModel, type DevModelOptions, startDevModel } from './server.ts'
export type { TurnUsage } from './wire-format.ts'
