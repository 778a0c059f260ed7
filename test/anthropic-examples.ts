// What the tests of the Anthropic format are made of: short builders, and one document with every kind.

export const user = (content: unknown) => ({ role: 'user', content })
export const assistant = (content: unknown) => ({ role: 'assistant', content })
export const use = (id: string, input: unknown = {}) => ({
  type: 'tool_use',
  id,
  name: 'read',
  input,
})
export const result = (id: string, content: unknown = 'ok') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
export const text = (value: string) => ({ type: 'text', text: value })

/** One of each kind of block, in a document that keeps every rule. */
export const everyKind = {
  model: 'claude-opus-5',
  max_tokens: 4096,
  system: [text('You are careful.'), text('You are brief. 簡潔に ✂️')],
  metadata: { user_id: 'u1' },
  tools: [{ name: 'read', description: 'reads', input_schema: { type: 'object' } }],
  messages: [
    user([
      text('Look at these'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'a page' },
        title: 'Page',
        context: 'why',
        citations: { enabled: true },
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      },
      { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } },
      { type: 'document', source: { type: 'content', content: [text('nested')] } },
      { type: 'search_result', source: 's', title: 't', content: [text('found')] },
      text('<system-reminder>be kind</system-reminder>'),
    ]),
    assistant([
      { type: 'thinking', thinking: '', signature: 'c2ln+/==' },
      { type: 'redacted_thinking', data: 'b3BhcXVl' },
      { ...text('It says'), citations: [{ type: 'char_location', cited_text: 'a page' }] },
      use('toolu_1', { path: 'a', lines: [1, null] }),
      text('and also'),
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      use('toolu_2'),
      use('toolu_3'),
    ]),
    user([
      result('toolu_1', [
        text('one'),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
        { type: 'image', source: { type: 'url', url: 'https://example.org/b.png' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        },
      ]),
      { ...result('toolu_2', 'no such file'), is_error: true },
      { type: 'tool_result', tool_use_id: 'toolu_3' },
      text('continue'),
    ]),
    assistant('Done.'),
    user('Thanks 🙏'),
  ],
}
