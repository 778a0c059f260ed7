// Calls and their results: each call answered once, right after it, before anything else is said.
import { type Rule, rule } from '../rule.ts'
import { textOf } from '../walk.ts'
import { blocksOfTurn, conversationOf, type Turn, turnsOf } from './conversation.ts'

const everyCallIsAnswered = rule('VALID-A4', (input, report) => {
  const turns = turnsOf(conversationOf(input))
  for (const [index, turn] of turns.entries()) {
    const calls = blocksOfTurn(turn, 'tool_use')
    if (turn.role === 'user') {
      for (const { place } of calls) report(place, 'only the assistant can call a tool')
    }
    if (turn.role !== 'assistant') continue
    const results = resultsAfter(turns, index)
    const answered = new Set<string>()
    const called = new Set(calls.flatMap(({ fields }) => textOf(fields.id) ?? []))
    for (const { fields, place } of results) {
      const id = textOf(fields.tool_use_id)
      if (id === undefined || !called.has(id)) continue
      if (answered.has(id)) report(place, `${id} is answered a second time`)
      answered.add(id)
    }
    for (const { fields, place } of calls) {
      const id = textOf(fields.id)
      if (id !== undefined && !answered.has(id)) {
        report(place, `the next message has no result of the call ${id}`)
      }
    }
  }
})

const everyResultHasItsCall = rule('VALID-A5', (input, report) => {
  const turns = turnsOf(conversationOf(input))
  for (const [index, turn] of turns.entries()) {
    const results = blocksOfTurn(turn, 'tool_result')
    if (results.length === 0) continue
    const called = new Set(callsBefore(turns, index).map(({ fields }) => textOf(fields.id)))
    for (const { fields, place } of results) {
      const id = textOf(fields.tool_use_id)
      if (turn.role === 'assistant') report(place, 'only the user can send the result of a call')
      else if (id === undefined) report(`${place}.tool_use_id`, 'the result names no call')
      else if (!called.has(id)) {
        report(`${place}.tool_use_id`, `the message before has no call ${id}`)
      }
    }
  }
})

const resultsComeFirst = rule('VALID-A6', (input, report) => {
  for (const turn of turnsOf(conversationOf(input))) {
    if (turn.role !== 'user') continue
    let hasOthers = false
    for (const { type, place } of blocksOfTurn(turn)) {
      if (type !== 'tool_result') hasOthers = true
      else if (hasOthers) report(place, 'a result stands behind other content')
    }
  }
})

export const TOOL_ROUND_RULES: readonly Rule[] = [
  everyCallIsAnswered,
  everyResultHasItsCall,
  resultsComeFirst,
]

function resultsAfter(turns: readonly Turn[], index: number) {
  const next = turns[index + 1]
  return next?.role === 'user' ? blocksOfTurn(next, 'tool_result') : []
}

function callsBefore(turns: readonly Turn[], index: number) {
  const before = turns[index - 1]
  return before?.role === 'assistant' ? blocksOfTurn(before, 'tool_use') : []
}
