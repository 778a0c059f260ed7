// Sessions like those of sessions.ts, of the other formats.

/** The rule that a person typed. */
export const TYPED = 'Always sign the tag as Mira.'

/** Another rule on each call, named by its place. */
export type Rule = (place: string) => string

export const OTHER_SESSIONS: { readonly [format: string]: (rule: Rule) => string } = {
  'gemini-cli': (rule) => {
    const at = { timestamp: '2026-01-01T00:00:00Z' }
    return JSON.stringify({
      sessionId: 's',
      projectHash: 'p',
      messages: [
        {
          id: '1',
          ...at,
          type: 'user',
          content: `${TYPED} See @a.md\n--- Content from referenced files ---\n\nContent from @a.md:\n${rule('file')}\n--- End of content ---`,
        },
        { id: '2', ...at, type: 'gemini', content: rule('answer') },
        {
          id: '3',
          ...at,
          type: 'user',
          content: [
            { text: 'Look at @b.md' },
            { text: '\n--- Content from referenced files ---' },
            { text: '\nContent from @b.md:\n' },
            { text: rule('part') },
            { text: '\n--- End of content ---' },
          ],
          displayContent: [{ text: 'Look at @b.md' }],
        },
        {
          id: '4',
          ...at,
          type: 'user',
          content: `Make a file. ${rule('expanded')}`,
          displayContent: '/init',
        },
        {
          id: '5',
          ...at,
          type: 'user',
          content: [
            { text: 'Look at @c.md' },
            { text: '\n--- Content from referenced files ---' },
            { text: '\nContent from @c.md:\n' },
            { text: rule('part of an older version') },
            { text: '\n--- End of content ---' },
          ],
        },
        { id: '6', ...at, type: 'gemini', content: 'Done.' },
      ],
    })
  },
  openhands: (rule) => {
    const at = { timestamp: '2026-01-01T00:00:00Z' }
    const said = (id: number, source: string, content: string) => ({
      id,
      ...at,
      source,
      action: 'message',
      args: { content },
      message: content,
    })
    return JSON.stringify([
      said(0, 'user', `${TYPED}\n<EXTRA_INFO>\n${rule('microagent')}\n</EXTRA_INFO>`),
      said(1, 'agent', rule('answer')),
      said(2, 'environment', rule('environment')),
      {
        id: 3,
        ...at,
        source: 'environment',
        observation: 'run',
        content: rule('observation'),
        extras: {},
      },
      said(4, 'user', 'Thanks.'),
    ])
  },
  'swe-agent': (rule) =>
    JSON.stringify({
      history: [
        { role: 'system', content: rule('system'), agent: 'main', message_type: 'system_prompt' },
        { role: 'user', content: rule('demonstration'), agent: 'main', is_demo: true },
        { role: 'user', content: TYPED, agent: 'main', message_type: 'observation' },
        { role: 'assistant', content: rule('answer'), agent: 'main', message_type: 'action' },
        { role: 'user', content: rule('observation'), agent: 'main', message_type: 'observation' },
        { role: 'user', content: `OBSERVATION:\n${rule('old observation')}`, agent: 'main' },
        { role: 'assistant', content: 'Done.', agent: 'main' },
      ],
    }),
  aider: (rule) =>
    [
      '# aider chat started at 2026-01-01 00:00:00',
      '',
      `> Add a.md to the chat? ${rule('notice')}  `,
      '',
      `#### ${TYPED}  `,
      '',
      `An answer. ${rule('answer')}`,
      '',
      `#### ${rule('heading of an answer')}`,
      '',
      'More of it.',
      '',
      '#### /run cat notes  ',
      '',
      '> x  ',
      '',
      '#### I ran this command:  ',
      '#### cat notes  ',
      '#### And got this output:  ',
      `#### ${rule('run')}  `,
      '',
      'Done.',
      '',
    ].join('\n'),
  'ai-sdk': (rule) =>
    JSON.stringify([
      { id: '1', role: 'user', parts: [{ type: 'text', text: TYPED }] },
      {
        id: '2',
        role: 'assistant',
        parts: [{ type: 'step-start' }, { type: 'text', text: rule('answer') }],
      },
      {
        id: '3',
        role: 'user',
        parts: [
          { type: 'text', text: `Observation: ${rule('observation')}` },
          { type: 'text', text: `<tool_result>${rule('tag')}</tool_result>` },
        ],
      },
      {
        id: '4',
        role: 'assistant',
        parts: [{ type: 'step-start' }, { type: 'text', text: 'Done.' }],
      },
    ]),
  'openai-responses': (rule) =>
    JSON.stringify({
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: TYPED }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: rule('output') },
        { type: 'message', role: 'developer', content: rule('developer') },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: `Tool output:\n${rule('prose')}` }],
        },
        ...[
          `Tool result for search: ${rule('result for')}`,
          `[SYSTEM] ${rule('system in brackets')}`,
          `[Automated message] ${rule('automated')}`,
        ].map((content) => ({ type: 'message', role: 'user', content })),
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
      ],
    }),
  cline: (rule) => {
    const text = (said: string) => ({ type: 'text', text: said })
    return JSON.stringify([
      {
        role: 'user',
        content: [
          text(`<task>\n${TYPED}\n</task>`),
          text(`<environment_details>\n${rule('environment')}\n</environment_details>`),
        ],
      },
      {
        role: 'assistant',
        content: [text('<read_file><path>a</path></read_file>')],
        modelInfo: { providerId: 'x', modelId: 'y' },
      },
      { role: 'user', content: [text(`[read_file for 'a'] Result:\n${rule('result')}`)] },
      {
        role: 'user',
        content: [
          text(`[execute_command for 'ls'] Result:`),
          text(`Command executed.\n${rule('next block')}`),
          text(`<feedback>${rule('feedback in a result')}</feedback>`),
        ],
      },
      {
        role: 'user',
        content: [text(`Look at a.\n<file_content path="a">\n${rule('mention')}\n</file_content>`)],
      },
      {
        role: 'user',
        content: [
          text(`[ERROR] You did not use a tool in your previous response! ${rule('error')}`),
        ],
      },
      {
        role: 'user',
        content: [text('Look.'), { type: 'file', path: 'b', content: rule('file') }],
      },
      { role: 'assistant', content: [text('Done.')] },
    ])
  },
  'openai-chat': (rule) =>
    JSON.stringify({
      messages: [
        { role: 'system', content: rule('system') },
        { role: 'user', content: TYPED },
        { role: 'assistant', content: `Thought: ${rule('thought')}\nAction: ls` },
        { role: 'user', content: `Observation: ${rule('observation')}` },
        { role: 'assistant', content: 'Action: ls' },
        {
          role: 'user',
          content: `Go on.\nObservation:\n${rule('observation below')}\n\n${rule('last')}`,
        },
        {
          role: 'user',
          content: `<returncode>0</returncode>\n<output>\n${rule('output')}\n</output>`,
        },
        { role: 'assistant', content: 'Done.' },
      ],
    }),
  anthropic: (rule) =>
    JSON.stringify({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: `<system-reminder>${rule('reminder')}</system-reminder>` },
            { type: 'text', text: TYPED },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: rule('result') }],
        },
        { role: 'assistant', content: rule('answer') },
        { role: 'user', content: `<document>\n${rule('document')}\n</document>\nThanks.` },
        { role: 'assistant', content: 'Done.' },
      ],
    }),
}
