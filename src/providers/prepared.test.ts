// What is asked of every provider before anything is sent.
import { expect, it } from 'vitest'
import { collectAnswer, type ModelRequest, type Provider } from '../core/model.ts'
import { PROFILES } from '../validate/validate.ts'
import { preparing } from './checked-provider.ts'

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'an answer of %s tokens is asked of nobody',
  async (maxOutputTokens) => {
    const sent: ModelRequest[] = []
    const provider: Provider = {
      id: 'anthropic',
      async *stream(request) {
        sent.push(request)
        yield { type: 'end', stopReason: 'end' }
      },
    }
    const request: ModelRequest = {
      model: 'm',
      system: [],
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }],
      tools: [],
      toolChoice: 'auto',
      maxOutputTokens: 1,
      cache: false,
    }
    const { stream } = preparing(provider, () => PROFILES.anthropic)
    const ask = (more: Partial<ModelRequest>) =>
      collectAnswer('anthropic/m', stream({ ...request, ...more }))
    await expect(ask({ maxOutputTokens })).rejects.toMatchObject({
      code: 'usage',
      where: 'maxOutputTokens',
    })
    expect(sent).toEqual([])
    await ask({})
    expect(sent).toHaveLength(1)
  },
)
