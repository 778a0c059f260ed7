// Sampling and thinking as each Claude model takes them, in the API's own words.
import type { Fields } from '../../core/text/json.ts'
import { fieldsOf, isGiven } from '../../validate/walk.ts'
import type { Claude } from './claude.ts'

/** With thinking, only a mild cut of the tail of the choices is taken. */
const MIN_TOP_P_WITH_THINKING = 0.95

export function samplingProblems(body: Fields, claude: Claude): readonly string[] {
  return [
    ...outOfRange(body),
    ...(claude.refusesSampling ? refused(body) : []),
    ...(claude.oneSamplingField && isGiven(body.temperature) && isGiven(body.top_p)
      ? ['`temperature` and `top_p` cannot both be specified for this model. Please use only one.']
      : []),
    ...besideThinking(body),
    ...unknownThinking(body, claude),
  ]
}

function outOfRange({ temperature, top_p: topP }: Fields): readonly string[] {
  return [['temperature', temperature] as const, ['top_p', topP] as const].flatMap(
    ([name, value]) => {
      if (!isGiven(value)) return []
      if (typeof value !== 'number') return [`${name}: Input should be a valid number`]
      if (value < 0) return [`${name}: Input should be greater than or equal to 0`]
      return value > 1 ? [`${name}: Input should be less than or equal to 1`] : []
    },
  )
}

/** The default is taken for the sake of old clients. */
function refused({ temperature, top_p: topP, top_k: topK }: Fields): readonly string[] {
  const given = [
    ...(isGiven(temperature) && temperature !== 1 ? ['temperature'] : []),
    ...(isGiven(topP) && topP !== 1 ? ['top_p'] : []),
    ...(isGiven(topK) ? ['top_k'] : []),
  ]
  return given.map((name) => `\`${name}\` is deprecated for this model.`)
}

function besideThinking(body: Fields): readonly string[] {
  const { type } = fieldsOf(body.thinking)
  if (type !== 'enabled' && type !== 'adaptive') return []
  const { temperature, top_p: topP, top_k: topK } = body
  return [
    ...(isGiven(temperature) && temperature !== 1
      ? ['`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.']
      : []),
    ...(typeof topP === 'number' && topP < MIN_TOP_P_WITH_THINKING
      ? ['`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.']
      : []),
    ...(isGiven(topK) ? ['`top_k` must be unset when thinking is enabled.'] : []),
  ]
}

function unknownThinking({ thinking }: Fields, claude: Claude): readonly string[] {
  const { type } = fieldsOf(thinking)
  if (type === 'adaptive' && !claude.thinking.includes('adaptive'))
    return ['adaptive thinking is not supported on this model']
  if (type === 'enabled' && !claude.thinking.includes('enabled'))
    return [
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ]
  return []
}
