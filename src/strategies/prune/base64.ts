// `base64`: bytes in the middle of a result, which no model reads.
import { foldBase64 } from '../../core/text/fold-base64.ts'
import { asRef } from '../elision.ts'
import { type Prune, withText } from './prune-kind.ts'

export const base64: Prune = {
  name: 'base64',
  isSingle: true,
  find({ uses, until }) {
    return uses.flatMap((use) => {
      if (use.at >= until || use.isElided) return []
      const { text, folded } = foldBase64(use.text, use.ref)
      return folded.length === 0 ? [] : [withText(use, `${text}\n[The whole: ${asRef(use.ref)}]`)]
    })
  },
}
