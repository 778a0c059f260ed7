// The rules of Responses: each broken alone, each kept, none of them throwing.
import { describe, it } from 'vitest'
import type { Json } from '../../core/text/json.ts'
import { createSuite } from '../openai-chat/contract.ts'
import type { Exchange } from '../rule.ts'
import { OPENAI_RESPONSES_RULES } from './index.ts'

const suite = createSuite(OPENAI_RESPONSES_RULES, {
  wire: 'openai-responses',
  preservedThinking: false,
  prefill: false,
  strict: false,
})

const user = { role: 'user', content: [{ type: 'input_text', text: 'look at a.txt' }] }
const said = (id?: string) => ({
  type: 'message',
  role: 'assistant',
  ...(id !== undefined && { id }),
  content: [{ type: 'output_text', text: 'done' }],
})
const thought = (id: string, more: object = {}) => ({ type: 'reasoning', id, summary: [], ...more })
const call = (callId: Json, more: object = {}) => ({
  type: 'function_call',
  call_id: callId,
  name: 'read',
  arguments: '{}',
  ...more,
})
const output = (callId: Json, more: object = {}) => ({
  type: 'function_call_output',
  call_id: callId,
  output: 'text',
  ...more,
})
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'abc' }
const ask = (...input: readonly Json[]) => ({ model: 'm', input })
const follow = (id: string, ...input: readonly Json[]) => ({
  ...ask(...input),
  previous_response_id: id,
})
const exchange = (request: Json, id: string, ...items: readonly Json[]): Exchange => ({
  request,
  answer: { id, output: items },
})

describe('calls and outputs of Responses', () => {
  it('finds the call of every output, in the input or in the chain [VALID-R1]', () => {
    const earlier = [exchange(ask(user), 'resp_1', call('c'))]
    const linked = [...earlier, exchange(follow('resp_1', output('c')), 'resp_2', said())]
    suite.prove('VALID-R1', {
      broken: [
        { request: ask(user, output('c')), where: 'input[1].call_id' },
        { request: ask(user, call('c'), output('c'), output('c')), where: 'input[3].call_id' },
        { request: ask(user, output(null)), where: 'input[1].call_id' },
        { request: follow('resp_9', output(null)), where: 'input[0].call_id' },
        // The call must be of the same kind.
        {
          request: ask(user, { type: 'custom_tool_call_output', call_id: 'c', output: '' }),
          where: 'input[1].call_id',
        },
        {
          request: ask(user, { type: 'mcp_approval_response', approval_request_id: 'mcpr_1' }),
          where: 'input[1].approval_request_id',
        },
        { request: follow('resp_1', output('d'), output('c')), earlier, where: 'input[0].call_id' },
        // Answered already, one response ago.
        { request: follow('resp_2', output('c')), earlier: linked, where: 'input[0].call_id' },
      ],
      kept: [
        { request: ask(user, call('c'), output('c'), call('c'), output('c')) },
        ...['local_shell_call', 'shell_call', 'apply_patch_call', 'computer_call'].map((type) => ({
          request: ask(user, { type, call_id: 'c' }, { type: `${type}_output`, call_id: 'c' }),
        })),
        {
          request: ask(
            { type: 'local_shell_call', call_id: 'c' },
            { type: 'local_shell_call_output', id: 'c' },
          ),
        },
        {
          request: ask(
            thought('rs_1'),
            { type: 'mcp_approval_request', id: 'mcpr_1' },
            { type: 'mcp_approval_response', approval_request_id: 'mcpr_1' },
          ),
        },
        { request: follow('resp_1', output('c')), earlier },
        { request: follow('resp_2', user), earlier: linked },
        // What the server alone knows cannot be judged.
        { request: follow('resp_9', output('c')) },
        { request: { ...ask(output('c')), conversation: 'conv_1' } },
        { request: ask({ type: 'item_reference', id: 'fc_1' }, output('c')) },
      ],
    })
  })

  it('finds the output of every call [VALID-R2]', () => {
    const earlier = [exchange(ask(user), 'resp_1', call('c'), call('d'))]
    suite.prove('VALID-R2', {
      broken: [
        { request: ask(user, call('c')), where: 'input[1].call_id' },
        { request: ask(user, call('c'), call('d'), output('c')), where: 'input[2].call_id' },
        { request: ask(user, call('c'), call('c'), output('c')), where: 'input[1].call_id' },
        { request: ask(user, call(null)), where: 'input[1].call_id' },
        {
          request: ask(user, { type: 'custom_tool_call', call_id: 'c', name: 'sh', input: '' }),
          where: 'input[1].call_id',
        },
        { request: follow('resp_1', output('d'), user), earlier, where: 'previous_response_id' },
      ],
      kept: [
        { request: ask(user, call('c'), call('d'), output('d'), output('c'), said()) },
        { request: follow('resp_1', output('d'), output('c')), earlier },
        // An answer without an id continues nothing.
        {
          request: { ...ask(user), previous_response_id: 7 },
          earlier: [{ request: ask(user), answer: { output: [call('c')] } }],
        },
        { request: ask(thought('rs_1'), { type: 'mcp_approval_request', id: 'mcpr_1' }, user) },
      ],
    })
  })
})

describe('reasoning of Responses', () => {
  it('keeps reasoning and what follows it together, or neither [VALID-R3]', () => {
    const bound = call('c', { id: 'fc_1' })
    const twin = call('d', { id: 'fc_2' })
    const earlier = [exchange(ask(user), 'resp_1', thought('rs_1'), bound, twin)]
    const steps = [thought('rs_1'), search, thought('rs_2'), thought('rs_3'), said('msg_1')]
    const stepwise = [exchange(ask(user), 'resp_1', ...steps)]
    const free = [exchange(ask(user), 'resp_1', said('msg_1'))]
    suite.prove('VALID-R3', {
      broken: [
        { request: ask(user, thought('rs_1')), where: 'input[1]' },
        { request: ask(thought('rs_1'), thought('rs_2'), user), where: ['input[0]', 'input[1]'] },
        // The call of the reasoning went into a summary, its output too.
        { request: ask(thought('rs_1'), user, said()), where: 'input[0]' },
        { request: ask(user, bound, output('c')), where: 'input[1]' },
        { request: ask(user, said('msg_1')), where: 'input[1]' },
        {
          request: ask(user, { type: 'item_reference', id: 'fc_1' }, said('msg_1')),
          where: 'input[2]',
        },
        // Known from the answer: another reasoning will not do.
        {
          request: ask(user, thought('rs_2'), bound, output('c'), twin, output('d')),
          earlier,
          where: ['input[2]', 'input[4]'],
        },
        { request: ask(user, ...steps.slice(3)), earlier: stepwise, where: 'input[2]' },
      ],
      kept: [
        { request: ask(user, thought('rs_1'), bound, output('c'), said('msg_1'), user) },
        { request: ask(user, thought('rs_1'), thought('rs_2'), said('msg_1')) },
        { request: ask(user, thought('rs_1'), bound, output('c'), twin, output('d')), earlier },
        { request: ask(user, call('c'), output('c'), said()) },
        { request: ask(user, said('msg_1')), profile: { thinkingEnabled: false } },
        { request: ask(user, said('msg_1')), earlier: free },
        { request: ask(user, ...steps.slice(2)), earlier: stepwise },
        { request: { ...ask(user, said('msg_1')), store: false } },
        { request: ask({ type: 'item_reference', id: 'rs_1' }, said('msg_1')) },
        { request: follow('resp_9', said('msg_1')) },
      ],
    })
  })

  it('wants encrypted reasoning where nothing is stored, and as it came [VALID-R5]', () => {
    const storeless = (...input: readonly Json[]) => ({ ...ask(...input), store: false })
    const sealed = thought('rs_1', { encrypted_content: 'abc' })
    const earlier = [exchange(ask(user), 'resp_1', sealed, said())]
    const forged = thought('rs_1', { encrypted_content: 'abd' })
    suite.prove('VALID-R5', {
      broken: [
        {
          request: storeless(user, thought('rs_1'), said()),
          where: 'input[1].encrypted_content',
        },
        {
          request: storeless(thought('rs_1', { encrypted_content: '' }), said()),
          where: 'input[0].encrypted_content',
        },
        {
          request: storeless({ type: 'item_reference', id: 'rs_1' }, said()),
          where: 'input[0]',
        },
        { request: ask(user, forged, said()), earlier, where: 'input[1].encrypted_content' },
      ],
      kept: [
        { request: storeless(user, sealed, said()), earlier },
        { request: ask(user, thought('rs_1'), said()), earlier },
        { request: ask(user, forged, said()) },
      ],
    })
  })

  it('keeps calls that the server ran with their reasoning [VALID-R9]', () => {
    const earlier = [exchange(ask(user), 'resp_1', thought('rs_1'), search)]
    suite.prove('VALID-R9', {
      broken: [
        { request: ask(user, search), where: 'input[1]' },
        { request: { ...ask(user, search), store: false }, where: 'input[1]' },
        { request: ask(thought('rs_1'), said(), user, search), where: 'input[3]' },
        { request: ask(user, thought('rs_2'), search), earlier, where: 'input[2]' },
        ...['file_search_call', 'code_interpreter_call', 'image_generation_call', 'mcp_call'].map(
          (type) => ({ request: ask(user, { type, id: 'x_1' }), where: 'input[1]' }),
        ),
      ],
      kept: [
        { request: ask(user, thought('rs_1'), search, said()), earlier },
        { request: ask(user, search), profile: { thinkingEnabled: false } },
        { request: ask(user, { type: 'web_search_call' }) },
      ],
    })
  })
})

describe('ids, names and content of Responses', () => {
  it('holds ids to their form, and to one item each [VALID-R4]', () => {
    const round = (id: Json) => ask(user, thought('rs_1'), call('c', { id }), output('c'))
    const outputs = [output('c', { id: 'o' }), output('d', { id: 'o' })]
    const long = 'x'.repeat(65)
    const earlier = [exchange(ask(user), 'resp_1', thought('rs_1'), said('msg_1'))]
    suite.prove('VALID-R4', {
      broken: [
        { request: round('call_1'), where: 'input[2].id' },
        { request: round('fc_a|b'), where: 'input[2].id' },
        { request: round(`fc_${'x'.repeat(62)}`), where: 'input[2].id' },
        { request: round(7), where: 'input[2].id' },
        { request: ask(thought('x_1'), said()), where: 'input[0].id' },
        { request: ask(thought('rs_1'), said('m_1')), where: 'input[1].id' },
        { request: ask(thought('rs_1'), { ...search, id: 'search_1' }), where: 'input[1].id' },
        {
          request: ask(thought('rs_1'), said(), thought('rs_1'), said()),
          where: 'input[2].id',
        },
        { request: ask(user, call('c'), call('d'), ...outputs), where: 'input[4].id' },
        {
          request: ask(user, call(long), output(long)),
          where: ['input[1].call_id', 'input[2].call_id'],
        },
        // The chain has the item already.
        { request: follow('resp_1', thought('rs_1'), said()), earlier, where: 'input[0].id' },
      ],
      kept: [
        { request: round('fc_1') },
        { request: round(null) },
        { request: ask(user, call('x'.repeat(64)), output('x'.repeat(64))) },
        // Only its length counts.
        { request: ask(user, call('functions.read:0'), output('functions.read:0')) },
      ],
    })
  })

  it('holds names to 64 characters and arguments to text [VALID-R10]', () => {
    const round = (more: object) => ask(user, call('c', more), output('c'))
    const custom = (input: Json, name: string) =>
      ask(
        { type: 'custom_tool_call', call_id: 'c', name, input },
        { type: 'custom_tool_call_output', call_id: 'c', output: '' },
      )
    suite.prove('VALID-R10', {
      broken: [
        { request: round({ name: 'x'.repeat(65) }), where: 'input[1].name' },
        { request: round({ name: 'a b' }), where: 'input[1].name' },
        { request: round({ arguments: {} }), where: 'input[1].arguments' },
        { request: custom(null, 'sh'), where: 'input[0].input' },
        { request: custom('', ''), where: 'input[0].name' },
        { request: { ...ask(user), tools: [{ type: 'function' }] }, where: 'tools[0].name' },
      ],
      kept: [
        { request: round({ name: 'x'.repeat(64), arguments: '' }) },
        { request: custom('ls', 'sh') },
        {
          request: { ...ask(user), tools: [{ type: 'web_search' }, { type: 'custom', name: 'a' }] },
        },
      ],
    })
  })

  it('gives each role its own kinds of parts [VALID-R6]', () => {
    const says = (role: Json, ...types: readonly string[]) => ({
      role,
      content: types.map((type) => ({ type, text: 'a' })),
    })
    suite.prove('VALID-R6', {
      broken: [
        { request: ask(says('assistant', 'input_text')), where: 'input[0].content[0]' },
        { request: ask(says('user', 'input_text', 'output_text')), where: 'input[0].content[1]' },
        { request: ask(says('developer', 'refusal')), where: 'input[0].content[0]' },
        { request: ask(says('tool', 'input_text')), where: 'input[0].role' },
        { request: ask({ role: 'user', content: null }), where: 'input[0].content' },
        { request: ask({ role: 'user', content: '' }), where: 'input[0].content' },
        { request: ask(user, { role: 'assistant', content: [] }), where: 'input[1].content' },
        {
          request: ask({ role: 'user', content: [{ type: 'input_text', text: '' }] }),
          where: 'input[0].content',
        },
        { request: ask(), where: 'input' },
        { request: { input: '' }, where: 'input' },
        { request: ask(user, 'hello'), where: 'input[1]' },
        ...[null, [], 'text', 7, {}].map((request) => ({ request, where: 'input' })),
      ],
      kept: [
        { request: ask(says('system', 'input_text'), says('user', 'input_image', 'input_file')) },
        { request: ask(user, says('assistant', 'output_text', 'refusal')) },
        { request: ask({ role: 'assistant', content: 'done' }) },
        { request: { input: 'hello' } },
        { request: { previous_response_id: 'resp_1' } },
        { request: follow('resp_1') },
        { request: ask(user, call('a'), output('a', { output: '' })) },
      ],
    })
  })

  it('has no half characters [VALID-A21]', () => {
    suite.prove('VALID-A21', {
      broken: [
        { request: { input: 'half \ud83d' }, where: 'input' },
        {
          request: ask(user, call('a'), output('a', { output: '\ude00' })),
          where: 'input[2].output',
        },
      ],
      kept: [{ request: { input: 'whole \ud83d\ude00' } }],
    })
  })

  it('sends a compaction back as it came, alone, and asks for one last [VALID-R7]', () => {
    const trigger = { type: 'compaction_trigger' }
    const earlier = [exchange(ask(user), 'resp_1', compaction)]
    const forged = { ...compaction, encrypted_content: 'abd' }
    const second = { type: 'compaction', encrypted_content: 'def' }
    suite.prove('VALID-R7', {
      broken: [
        { request: ask(user, said(), compaction, user), where: 'input[1]' },
        { request: ask(compaction, said(), second, user), where: 'input[1]' },
        { request: ask(user, compaction), profile: { strict: true }, where: 'input[0]' },
        { request: ask(trigger, user), where: 'input[0]' },
        { request: ask(user, trigger, trigger), where: 'input[1]' },
        {
          request: ask({ type: 'compaction', summary: 'a' }, user),
          where: 'input[0].encrypted_content',
        },
        { request: ask(forged, user), earlier, where: 'input[0].encrypted_content' },
        { request: follow('resp_1', compaction), where: 'previous_response_id' },
      ],
      kept: [
        { request: ask(compaction, user, said()), earlier, profile: { strict: true } },
        { request: ask(user, compaction, second, user) },
        { request: ask(user, trigger) },
        { request: follow('resp_1', user, trigger) },
      ],
    })
  })
})

describe('any request to Responses', () => {
  it('is judged without throwing, at places that exist', () => {
    const items = [
      user,
      thought('rs_1', { encrypted_content: 'abc' }),
      call('c', { id: 'fc_1' }),
      output('c'),
      thought('rs_2'),
      search,
      said('msg_1'),
      { type: 'custom_tool_call', call_id: 'd', name: 'sh', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'd', output: '' },
      { type: 'mcp_approval_request', id: 'mcpr_1' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1' },
      { type: 'item_reference', id: 'rs_3' },
      { type: 'compaction_trigger' },
    ]
    const tools = [{ type: 'function', name: 'read' }]
    suite.surviveAnything([
      { ...ask(...items), tools, store: false },
      ask(compaction, ...items),
      follow('resp_1', call('c'), output('c'), user),
      { id: 'resp_1', previous_response_id: 'resp_1', input: items, output: items },
    ])
  })

  it('ends where a chain of responses bites its tail', () => {
    const earlier = [
      exchange(follow('resp_2', user), 'resp_1', said()),
      exchange(follow('resp_1', user), 'resp_2', said()),
    ]
    suite.prove('VALID-R2', { broken: [], kept: [{ request: follow('resp_2', user), earlier }] })
  })

  it('is read in proportion to its length', () => {
    suite.readInProportion((size) =>
      ask(...Array.from({ length: size }, () => [user, call('c'), output('c'), said()]).flat()),
    )
    suite.readInProportion((size) => ask(...Array.from({ length: size }, () => call('c'))))
  })
})
