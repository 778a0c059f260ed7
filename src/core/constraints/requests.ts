// Tells what a request points at: a text next to it, or something in the workspace.

const DEICTIC =
  /(?<!\p{L})(?:this|these|those|that|here|below|above|the following|attached|diese[rsnm]?|das(?= hier|\?|$)|dies|hier|folgende[rsn]?|unten|oben|ce|cet|cette|ces|ceci|ça|cela|ci-dessous|suivante?s?|esto|este|esta|estos|estas|eso|siguiente|abajo|isto|isso|essa|esse|abaixo|seguinte|questo|questa|questi|queste|seguente|sotto|это|этот|эту|эти|этого|ниже|следующ\p{L}+)(?!\p{L})|[这這此]|以下|下面|上面|これ|この|次の|それ|이 |이거|이것|아래|다음/iu
/** Persons not named before. */
const NAMELESS =
  /\b(?:she|he|her|his|him|they|their|them|sie|ihr|er|ihm|elle|ils?|ella|él)\b|他们|她|他|彼/iu
/** A text mentioned as if it were known. */
const KNOWN_TEXT =
  /\bthe (?:text|story|poem|passage|paragraph|excerpt|quote|statement|sign|notice|letter|author|speaker|writer|(?:first|second|third|fourth|last|\d\w\w) (?:sentence|line|paragraph|clause|item|point))\b(?!.*[\w)]\.\w|.*\/)/i
/** Work on a text as an object. */
const TEXT_WORK =
  /(?<!\p{L})(?:translat\w+|proofread|paraphrase|rephrase|reword|rewrite|summari[sz]e|sum up|tl;?dr|classify|transcribe|simplify|shorten|condense|correct|spell-?check|grammar|typos?|sentiment|tone|in plain (?:words|english)|key points|gist|headline|anonymi[sz]e|extract|continue|fact-?check|bullet points?|turn|group|format|übersetz\w*|zusammenfass\w*|fass\w*|korrigier\w*|vereinfach\w*|kürz\w*|tradui\w*|résum\w*|corrige\w*|reformule\w*|simplifie\w*|traduc\w*|traduz\w*|resum\w*|correg\w*|simplifi\w*|riassum\w*|traduci|correggi|перевед\w*|переведи\p{L}*|кратко|исправь\p{L}*|перескажи)(?!\p{L})|翻译|翻譯|总结|總結|概括|改写|润色|翻訳|要約|校正|添削|直して|英語に|日本語に|번역|요약/iu
/** A verb of such work without an object. */
const NO_OBJECT =
  /^(?:(?:please|can you|could you|bitte|kannst du|ok|now)[, ]+)*(?:(?:draft|write|suggest) (?:an? |the )?(?:\w+ )?(?:reply|answer|response)|translate|proofread|paraphrase|rephrase|rewrite|summari[sz]e|sum up|tl;?dr|simplify|shorten|correct|transcribe|explain|thoughts|opinions?|fact-?check|eli5|critique|grade|judge|rate|übersetzen?|zusammenfassen|korrigieren?|traduis|résume|corrige|traduce|resume|traduci|riassumi|переведи|翻译|翻訳|总结)(?: (?:in|to|into|for|as|please|with|ins?|auf|en|al|au|à|em|para|na|на|по)\b[^.\n]*)?\s*[?:.：？]?\s*$/iu
/** Asks what something is, or for an opinion on it. */
const ASKS_ABOUT =
  /[?？]\s*$|^(?:(?:ok|hey|hi|please|can you|could you)[, ]+)*(?:what|who|why|where|which|when|how|is|are|was|does|do|did|should|would|thoughts|any|explain|tell me|look at|have a look|check|read|compare|see|judge|rate|answer|reply to|respond to|draft|write an? (?:reply|answer|response|review)|write the (?:reply|answer|changelog)|was|wer|warum|wie|ist|sind|soll|lies|schau|erklär|qu['e]|qui|pourquoi|est-ce|lis|explique|regarde|qué|quién|por qué|es|lee|explica|mira|o que|quem|leia|cosa|chi|perché|leggi|spiega|что|кто|почему|прочитай|объясни)(?!\p{L})|[吗呢什怎谁]|是什么|怎么|看看|[かの]$|何|どう/iu

const POINTERS =
  'this|these|those|that|here|diese[rsnm]?|ce|cet|cette|ces|este|esta|estos|estas|ese|esa|esos|esas|esse|essa|isto|quest[oaie]|quell[oa]|это[тй]?|эт[уиа]|этого|этих|deze|dit'
/** Nouns of the workspace, in languages that separate words, and what goes wrong with them. */
const THINGS =
  'repo(?:s|sitory|sitories)?|codebase|projects?|files?|folders?|director(?:y|ies)|functions?|methods?|class(?:es)?|modules?|components?|packages?|librar(?:y|ies)|code|tests?|specs?|fixtures?|branch(?:es)?|prs?|pull requests?|commits?|diff|merge|endpoints?|routes?|handlers?|hooks?|apis?|imports?|exports?|types?|interfaces?|variables?|constants?|helpers?|scripts?|workflows?|pipelines?|jobs?|builds?|migrations?|schemas?|tables?|quer(?:y|ies)|servers?|services?|apps?|apis?|cli|bugs?|features?|links?|configs?|settings|stylesheets?|loops?|lines? of code|dependenc(?:y|ies)|worktrees?|does|do|fails?|failing|crash(?:es|ing)?|hangs?|breaks?|works?|compiles?|slow|dateie?n?|ordner|verzeichnis|funktion(?:en)?|methoden?|klassen?|moduls?e?|komponenten?|projekte?|skripte?|zweige?|fichiers?|dossiers?|fonctions?|méthodes?|classes?|composants?|projets?|dépôts?|branches?|archivos?|carpetas?|funci[oó]n(?:es)?|métodos?|clases?|módulos?|componentes?|proyectos?|repositorios?|ramas?|código|pruebas?|consultas?|arquivos?|pastas?|funç(?:ão|ões)|classes|projetos?|repositórios?|testes?|cartell[ae]|funzion[ei]|metod[oi]|class[ei]|modul[oi]|component[ei]|progett[oi]|codice|ramo|файлы?|папк[уаи]|функци[юия]|методы?|класс(?:ы)?|модул[ьи]|компоненты?|проекты?|репозиторий|код|тесты?|ветк[уаи]'
const SIGNED_THINGS =
  '文件|函数|函數|代码|代碼|项目|仓库|模块|组件|类|分支|测试|目录|接口|ファイル|関数|コード|プロジェクト|リポジトリ|モジュール|コンポーネント|クラス|ブランチ|テスト|フォルダ|파일|함수|코드|프로젝트|저장소|모듈|컴포넌트|클래스|브랜치|테스트|폴더'
/** An explicitly named text. */
const TEXT =
  /(?<!\p{L})(?:texts?|(?:e-?)?mails?|letters?|articles?|posts?|messages?|tickets?|documents?|logs?|stor(?:y|ies)|poems?|quotes?|excerpts?|passages?|paragraphs?|sentences?|statements?|notices?|notes?|reviews?|comments?|prompts?|warnings?|instructions?|conduct|polic(?:y|ies)|terms|contracts?|clauses?|rules?|lists?|recipes?|answers?|tweets?|speech|leaflet|wording|textes?|courriel|lettre|fautes|phrases?|texto|correo|carta|frases?|mensa(?:je|gem|ggio)s?|testo|lettera|frase|brief|nachricht|artikel|absatz|satz|sätze|текст\p{L}*|письм\p{L}+|стать\p{L}+|сообщени\p{L}+|объявлени\p{L}+)(?!\p{L})|文章|邮件|通知|文書|文を|メール|記事|설명서|문장|메일|글을/iu
/** Work done only to texts. */
const ONLY_OF_TEXT =
  /(?<!\p{L})(?:translat\w+|proofread|paraphrase|rephrase|reword|summari[sz]e|sum up|tl;?dr|transcribe|spell-?check|grammar|typos?|sentiment|tone|gist|headline|bullet points?|key points|fact-?check|(?:more|less) (?:pushy|formal|polite|friendly|casual|wordy|aggressive|blunt)|übersetz\w*|zusammenfass\w*|fass|tradui\w*|résum\w*|reformule\w*|traduc\w*|traduz\w*|resum\w*|riassum\w*|перевед\p{L}*|перескажи)(?!\p{L})|翻译|翻譯|总结|總結|概括|润色|翻訳|要約|校正|英語に|日本語に|번역|요약/iu
const QUESTION =
  /[?？]\s*$|^(?:what|who|why|which|how|is|are|does|do you|was|were|did|thoughts|any)(?!\p{L})/iu
/** A polite request is work, too. */
const REQUEST =
  /^(?:(?:ok|hey|hi|please|so|now)[, ]+)*(?:(?:can|could|would|will) (?:you|we)|(?:kannst|könntest|magst) du|können sie|(?:tu )?peux(?:-tu| tu)?|tu pou\w+|(?:vous )?pou[vr]\w+(?:-| )?vous|¿?(?:puedes?|podrías)|(?:você )?pod(?:e|eria)|puoi|potresti|можешь|можете)(?!\p{L})/iu

/** “Here is how I want it:” */
const OWN_WORDS =
  /\b(?:what|how) (?:i|we) (?!got\b|get\b|see\b|saw\b|found\b|received\b|read\b|copied\b)|\bwas (?:ich|wir)\b|\bce que je\b|\blo que quiero\b/iu
/** Things in the workspace, not in the message: “this function”, “these two branches”, “this fails”. */
const OF_WORKSPACE = new RegExp(
  `(?<!\\p{L})(?:${POINTERS})(?: (?!(?:from|of|in|on|for|to|by|with|about|is|are|as|the|our|your|my)(?!\\p{L}))\\p{L}+){0,2}? (?:${THINGS})(?!\\p{L})|(?<!\\p{L})(?:run|install|debug|deploy|start|build|implement|refactor|compile) (?:this|these|that)(?= *[?.]|$)|(?:[这這此]个?些?|この|その|これらの|이 |그 )(?:\\p{L}{0,4}?)(?:${SIGNED_THINGS})`,
  'giu',
)
/** A file, folder or URL: “this” in its sentence refers to it. */
const PLACE =
  /(?:^|[\s(:`'"])(?:@?[\w.-]*\/[\w./-]+|@[\w.-]+|[\w-]+\.[a-z]{1,4}|https?:\S+)(?=$|[\s).,:;?!`'"])/i

/** How strongly a sentence points at text next to it. */
export function pointsIn(sentence: string): number {
  const said = sentence.trim()
  if (OWN_WORDS.test(said)) return 0
  if (NO_OBJECT.test(said)) return 3
  const points = pointsBeside(said)
  if (points && TEXT_WORK.test(said)) return 3
  if (ASKS_ABOUT.test(said)) return points || NAMELESS.test(said) ? 2 : 0
  return points && /[:：]$/.test(said) ? 2 : points ? 1 : 0
}

function pointsBeside(said: string): boolean {
  const outside = said.replaceAll(OF_WORKSPACE, '_')
  const other = TEXT.test(outside) ? said : outside
  return (
    (DEICTIC.test(other) && (/[:：]$/.test(said) || !PLACE.test(said))) || KNOWN_TEXT.test(said)
  )
}

/**
 * The same next to orders, which the user probably gives: then the sentence must name a text, introduce it
 * with a colon, or ask something about it.
 */
export function pointsAtOrders(sentence: string): number {
  const said = sentence.trim()
  const points = pointsIn(said)
  const isOfText =
    TEXT.test(said) ||
    ONLY_OF_TEXT.test(said) ||
    NO_OBJECT.test(said) ||
    /[:：]$/.test(said) ||
    (QUESTION.test(said) && !REQUEST.test(said))
  return isOfText ? points : 0
}
