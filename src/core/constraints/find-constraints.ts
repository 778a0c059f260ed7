// Finds what a user wants observed from now on: prohibitions, rules, limits, corrections.
import { SAID_BY, TELLS, withApostrophes } from './attributed.ts'
import { type Cues, clause, LANGUAGES } from './languages.ts'
import { withoutMaterial } from './material.ts'
import { findSentences, readLines, sentencesIn } from './sentences.ts'

const NUMBER = '(?:\\d|one|two|three|four|five|six|ten|a (?:dozen|hundred|second|minute)|half|zero)'

/** English cues: imperatives, modals, rules, wishes, limits, corrections, and false friends. */
const ENGLISH: Cues = {
  words:
    /(?<!\p{L})(?:the|is|are|and|to|of|in|it|this|that|you|we|i|not|please|for|on|with|be|don't|do|never|always|only|use|no|our|my|a|an|me|per|was|have|has|at|or|so|your|what|how|why|from|by|as|if|wait|every|each|max|all|any|when|but|they|their|there|than|should|must|can|without|through|into)(?!\p{L})/giu,
  binds: [
    clause(
      '(?:never|do not|do n.t|don.?t|avoid|refrain|(?:stop|quit) \\w+ing|no more|always|stick (?:to|with)|make sure|be sure|ensure|prefer|favou?r|remember|keep in mind|bear in mind|assume|treat|hands off|stay|keep away|(?:steer|keep|stay) clear|under no circumstances|on no account|let.?s (?:go with|stick|keep|not|avoid|use|leave|make it|stay))',
    ),
    clause(
      '(?:keep|leave|hold|limit|cap) [^,;]{1,60}\\b(?:alone|as (?:it is|they are|is)|the way (?:it is|they are)|intact|unchanged|untouched|under|below|within|at most|max|minimal|small|short|shorter|out of|in place|around|to (?:a|one|two|\\d)|compatible|private|working|green|in (?:english|german|french|spanish|sync))',
    ),
    clause(
      '(?:use|write|answer|reply|respond|commit|name|run|format|target|deploy|test|log|call|put|check|ask|tell|show|confirm|wait|work|give|split|sign|tag|document) [^;]{0,80}\\b(?:only|not|instead|rather than|never|always|everywhere|throughout|by default|every|each|before|(?<!the )first|unless|until|for (?:all|any|every|everything|new|those|that)|from now|at most|in (?:english|german|french|spanish|italian|japanese|chinese|your))\\b',
    ),
    clause(
      '(?:no|zero|nothing) (?!errors?|output|response|logs?|change|difference|sign|trace|results?|effect|warnings?|messages?|users?|data|one|matter|problems?|issues?|no\b)(?:(?:new|any|external|extra|more|third.party|default|force|newer|from|outside)\\b|[\\w./-]+ (?:statements?|in|on|with|without|unless|for|at|outside|please|from|here|anywhere|allowed|until|above|below|beyond|after|newer|older|whatsoever)\\b|[\\w.-]+(?: [\\w.-]+s)?[.!]?$)',
    ),
    clause(
      '[\\w./-]+ only (?:on|in|at|for|with|from|via|through|as|inside|under|after|by)\\b|\\w+ (?:is|are) (?:out|off the table|mine|mine to \\w+|ours)(?=[,.]|$| )',
    ),
    clause(
      '(?:limit|restrict|confine) (?:yourself|it|this|changes)\\b|(?:for|in|with) (?:the (?:remaining|rest|other|next)|all|every|each|any) [^,]{2,60} (?:please|follow|use|keep|stick|do the same)',
    ),
    clause(
      '(?:after|before|when|whenever|if|once|every time|each time|in case) [^,]{3,80},? (?:also |then |first )?(?<!\\b(?:the|an?|this|that|every|each|last|next|first|my|our|your|they|it|he|she|i|we|you|who|to) )(?:stop|ask|tell|give|run|check|wait|show|use|do|don.?t|always|never|please|make|write|update|add|leave|keep|let me)\\b',
    ),
    clause(
      "whatever (?:you do|happens),? [^?]{8,}|i(?:'d| would) be (?:unhappy|sad|annoyed|upset|disappointed) (?:to see|if|with) [^?]{4,}|(?:tests?|builds?|code|scripts?|we|nothing) (?:can't|cannot) (?:rely|depend|count) on",
    ),
    /\b(?:stays?|remains?) (?:out of|away from|outside|clear of)\b|\bis (?:the|our) (?:floor|ceiling|lower bound|upper bound)\b/i,
    /^[Oo]nly (?:\p{Lu}\p{L}+|(?:the|our|my) (?:[\p{L}-]+ ){0,2}[\p{L}-]+) (?:merges?|deploys?|push(?:es)?|releases?|approves?|touch(?:es)?|edits?|changes?|writes? to)\b/u,
    // Stated decisions.
    clause(
      '(?:decision|decided|settled|policy|requirement)\\s*[:—–-]|(?:target|require|pin) [\\w.-]+ v?\\d[\\w.]*|(?:one|two|three|\\d+) [\\w-]+ (?:per|for each|for every) [\\w-]+|cap [^,;]{2,60} (?:at|to) \\W?\\d[\\w.]*|let.?s agree|leave [^,;]{1,60} (?:be|to (?!(?:it|that|this|tomorrow|later)\\b)[\\w.-]+)',
    ),
    /^(?!the\b|it\b|this\b|that\b|my\b|there\b|please\b)(?:[\w-]+ ){1,3}(?:go(?! on (?:with|until|as)\b)|live|belong) (?:to|in|into|under|through|on|behind)\b(?!.*\b(?:fail|wrong|lost|nowhere|spam)\b)|\bcomes? first\b/i,
    /\b(?:off the table|(?:not|isn't|aren't) an option|(?:is|are|stays?) frozen|belongs to (?:something|someone|somebody) else|(?:was|is|has been) agreed|preference for|preferably|so (?:no|at most|never|only|nothing(?! (?:works?|worked|happens?|happened|runs?|shows?|loads?)\b)|please|keep|prefer|avoid|stay|stick|make (?:small|short|sure))\b)/i,
    /\bi (?:already told you|told you(?: that)? (?:already|before|twice)|already said|was wrong when|told you wrong|misspoke)\b|\b(?:as|like) i (?:already )?said\b|\bis called (?!it\b)[\w./@-]+, /i,
    /\bmatters? more than\b|\bmore important (?:to me |for us )?than\b|\btakes? precedence\b|\bi(?:'m| am) (?:fine|ok|okay|happy) with (?!(?:it|that|this|both|either|whatever)\b)\w+|^(?:please )?(?:talk|speak|write) to me (?:like|as if|as though)\b|^(?:whatever|whoever) \w+ [^?]{2,60}\b(?:gets?|needs?|must|goes|should)\b|\bwe(?:'ll)? stay (?:on|with|at)\b/i,
    // Of things in general.
    /\b(?:is|are|stays?) (?:mandatory|compulsory|obligatory|non-optional)\b|\b(?:is|are) (?:not acceptable|unacceptable|not welcome)\b|\b(?:is|are) (?:on|under) (?:a )?(?:code |feature )?freeze\b|\b(?:forbids?|prohibits?|disallows?|rules? out)\b|\bthe (?:only|single) (?:source|place|owner) (?:of|for|where)\b|\bto (?:a|the) (?:bare |strict )?minimum\b|^if (?:you're|you are) (?:unsure|stuck|not sure|in doubt),? |^when in doubt,? |^all (?:[\w-]+ ){0,2}[\w-]+s (?:target|use|follow|live|belong|run on|extend|inherit)\b|\bstays? (?:as (?:it|they) (?:is|are)|the way (?:it|they) (?:is|are)|put)\b|\bwithout exceptions?[.!]*$|[,;] keep (?:it|them|things) (?:that|this) way\b/i,
    /^(?!(?:the|this|that|these|those|my|your|it|its|there|his|her|they|we|you|he|she|tests?|things|errors?)\b)(?:[\w/-]+ ){0,3}[\w/-]+s (?:should|must) (?:read|look|sound|follow|be named|start|end)\b|^(?!(?:the|this|these|those|they|as|what)\b)(?:[\w/-]+ ){0,2}[\w/-]+s follow (?!up\b)(?:the |our )?\w+/i,
    // Of a kind: how all of it is made, named or marked.
    /^(?!(?:the|this|these|those|they|we|you|both|some|most|many|my|your|there|as|his|her)\b)(?:[\w-]+ ){0,2}[\w-]+s are (?:always |only |never )?(?:named|called|written|sorted|stored|kept|prefixed|suffixed|formatted|versioned|signed|squashed|returned|thrown|validated|tagged|generated|pinned|capitali[sz]ed) (?!(?:wrong|twice|incorrectly|but|too|correctly|again|now)\b)/i,
    /^(?!(?:the|this|these|those|they|we|you|both|some|most|many|my|your|there|as|his|her|two|three|\d+)\b)(?:(?:public|private|new|internal|external|exported|shared) [\w-]+s (?:need|get|carry|require|take)|[\w-]+s that [^,]{3,40} (?:get|carry|go)) (?!(?:stuck|lost|worse|slower|an? error|to )\b)/i,
    /^(?!(?:the|this|that|it|he|she|who|what|there|everything|something|nothing|my|your|here|why|how|where|so|and|but)\b)[\w-]+(?: [\w-]+){0,4} (?:is|are) always (?:an? \w+ (?:number|string|value|integer|list|in)|in|stored|written|given|kept|sent|measured)\b/i,
    /\b(?:can't|cannot|can not|must not|may not|mustn't) [^?]{2,60}\b(?:anything|any|more|other)\b[^?]{0,30} (?:except|but|other than|besides)\b/i,
    /^max(?:imum)?\.? [\w -]{2,30} is \W?\d|\b(?:minimum|maximum|lowest|highest|oldest|newest) (?:supported|allowed|accepted|permitted) [\w. -]{2,30} is\b/i,
    /^(?!can|could|would|will|update|fix|check|look|change|add|use|show|run)[\p{L} -]{3,40} (?:in|for|on) (?:all|every|each|any) [^,?]{2,50},? please[.!]*$/iu,
    /^(?!(?:the|this|that|these|those|my|your|it|its|tests? (?:should|must|have|need|are)|things|there|his|her)\b)(?:[\w/-]+ ){0,3}[\w/-]+s (?:should|must|have to|need to|are to) (?!work|pass|run|be (?:fine|ok|there|done|working|green))\w+(?!.*\b(?:now|again|already|by now|but)\b)/i,
    // Permissions.
    /\byou (?:can|may|could) (?:just |also |safely |simply )?(?:skip|ignore|drop|disregard|omit|leave out|leave off|forget) (?!(?:it|that|this|me|the (?:previous|last|first))\b)\S+/i,
    /\b(?:is|are|be|it's|that's) (?:totally |perfectly |completely |also )?(?:fine|ok|okay|alright|allowed|acceptable) (?:to|for|if|when|as long)\b|\bfeel free to\b|\byou (?:can|may|could) (?:\S+ ){1,12}(?:without (?:asking|me)|on your own|whenever|any ?time|freely|as long as|directly)\b|\b(?:have|with) my (?:permission|blessing)\b|\bno need to (?!worry|apologi|thank|rush|hurry|panic|explain|shout|be\b)\w+|\b(?:are|is) fine only\b|^go ahead and .{2,60}\b(?:whenever|every time|without)\b/i,
    // Someone or something must, may not, should.
    /\b(?:must|shall|should|ought to|may|can) ?(?:not|never|n't|only|always)\b|\bcan't (?:go|leave|contain|have|use|end|ship|land|be)\b|\bwe (?:can't|cannot) (?:break|drop|rename|remove|afford|lose|depend|rely|expose|leak|store)\b/i,
    /\b(?:mustn't|shouldn't|cannot be|isn't allowed|aren't allowed|not allowed|not (?:supposed|permitted|meant) to|not to be|off.?limits|(?<!\d )forbidden|prohibited|out of bounds|no.go|read.?only (?:for|to) (?:you|us|everyone|all)|(?:is|are|stays?) read.?only|taboo|nowhere else|but not the|must still|may [\w ]{2,30} but not|(?:has|have|needs?) to stop)\b/i,
    /\b(?:nobody|no one|none of (?:it|them|that|this|those|these|our|the)|nothing|neither) (?:\S+ ){0,4}(?:may|should|must|can|is|are|gets?|goes|leaves?|runs?|belongs?|touch(?:es)?|pushes|ends?|lands?|ships?)\b/i,
    /\b(?:(?:has|have|needs?|ought) to|must) (?:stay|remain|be|keep|go|pass|work|support|run|match|end|start|fit|live|come|carry|survive|build|compile|hold|handle|include|contain|accept|respect|follow)\b/i,
    /\b(?:every|each|all|any|new|anything|everything) (?!(?:they|i|we|it|of a sudden)\b)(?:[\w-]+ ){0,5}(?:needs?|must|gets?|should|ha(?:s|ve) to|goes|go|ends?|starts?|requires?|carr(?:y|ies))\b/i,
    /\bdo(?:es)? ?(?:not|n't) belong\b/i,
    // What others rely on, what matters, and what would go wrong.
    /^(?:the|our|these|those|this|all|any|existing) (?:[\w./-]+ ){1,5}(?:can't|cannot|can not) (?:change|move|break|grow|differ|shrink|disappear)\b/i,
    /\b(?:(?:it's|it is|it matters|matters|important|crucial|essential|vital) (?:very |really |so )?(?:important |crucial |essential |vital )?(?:to (?:me|us) |for (?:me|us) )?that (?:the|our|every|each|all|any|no|nothing|you|we|users?)\b|(?:always|never|only|must|has to|have to)\b[^?]*,? (?:otherwise|or else)\b)/i,
    /(?<!\bi )\bmust (?!not\b|have\b|be\b|admit|say|confess|know)[a-z]{2,}|\b(?:you|we)(?: are|'re) not to \w+/i,
    /\bunless (?:i|we|you|told|asked|necessary|absolutely)\b|^only (?:i|we) (?!know|have|see|had|saw|get|got|need)\w+/i,
    // Decisions, and what to do whenever something is the case.
    /\b(?:we|i)(?:'ve| have)? (?:settled on|opted (?:for|against)|chose|went with|decided (?:on|for|against|not to|to (?:keep|use|drop|stay|go)))\b/i,
    // What to do with anything of a kind; “when the build is green, merge it” happens once.
    /^(?:if|when|whenever|in case) (?:an?|any|anything|something|someone) [^,?]{3,80}, (?:then |just |please |always )*(?!(?:he|she|it|we|they|you|i|who|what|why|how|nothing|which)\b)[a-z-]{2,}(?<!s)(?: back| out| up| off)? (?:it|them|that|this|the|an?|its|their|your|me|us|all|every|only|to|with|before|instead)\b/i,
    /^use (?!(?:it|that|this|them|those|these|both|all|one|mine|yours|either|caution|case)\b)[\w@/.+#-]+(?: (?:and|or) [\w@/.+#-]+)?[.!]*$/i,
    /^if (?:an?|any|anything|something|there|you) [^,?]{3,80}, (?:then )?(?:just |please )?(?:install|ask|skip|stop|use|add|create|leave|tell|ignore|retry|fall back)\b/i,
    /^(?:please )?keep (?:the|our|using) (?!(?:changes?|good|work)\b)\w+/i,
    // In general, from now on.
    /\b(?:from (?:now|here) on|going forward|in (?:the )?future|for the (?:rest|remainder) of|at all times|as a rule|by convention|(?:house|company|team|project|our|my|ground) (?:rules?|polic(?:y|ies)|conventions?|style)(?!\.\w)|standing (?:rule|order|instruction)|(?:every|each|any) time you|whenever you|the rule (?:is|here)|non.?negotiable|under no circumstances)\b/i,
    /\b(?:before|without|until) (?:you |i |me )?(?:ask|commit|push|merg|delet|deploy|releas|instal|touch|chang|edit|remov|renam|tell|check|appl|run|my |ok|approv|say|sign|review|confirm)\w*/i,
    /\b(?:ask|check with|tell|ping|warn|confirm with|run it by|show) me (?:first|before|when|if)\b|\b(?:ask|check|stop and ask) first\b|\bstop and ask\b|\bmy (?:ok|okay|approval|permission|go.?ahead|say.?so|sign.?off)\b/i,
    /\bwe(?:'re|'ve| are)? (?:(?:all |still |strictly |deliberately )?(?:always|never|only|don't|do not|no longer|avoid|tend to|stick|standardi[sz]ed|agreed|use|keep|keeping|follow|target|support|deploy|run on|stuck on|staying)) (?!had|got|saw|knew|found|thought|figured|understood|noticed|know|see|think|understand|have\b|it\b|need)\w+/i,
    // Wishes of the user.
    /\bi(?:'d| would|'ll)? (?:much |really |strongly |generally |also )?(?:prefer|rather|insist|appreciate|favou?r|want (?:you to|all|every|each|no|only|to (?:keep|stay|avoid|be asked|approve|see))|need you to|expect you to|like (?:you to|it (?:if|when|better)|to (?:keep|stay|avoid|be asked)|[\w -]{2,40} (?:better|more) than)|hate|can't stand|don't (?:want|like|allow|accept))\b/i,
    /\b(?:my|our) preference\b|\bnot a (?:big )?fan of\b|\b(?:nicer|better|great|easier|happier) if you\b|\b(?:reads?|works?|looks?) better\b|\bover (?:cleverness|clever|speed|performance|brevity)\b/i,
    /\bplease,? (?:no|none|only|always|never|keep|avoid|stick|don't|do not|make sure|not|stay|use)\b|\bno more of (?:that|this|it|those)\b|^(?!yes|no |yeah|sure|ok|undo|redo|add|run|fix|show|check|try|open|make|write|go|look|explain|do|send|give|tell|start|stop|continue|delete|remove|create|update|move|rename|list|print|build|test|help|find|read|again|next)[\w.+ -]{3,40},? (?:only|please)[.!]?$|\b\w+ only\b(?=[,.!]|$| please| (?:in|for|here|on)\b)/i,
    /\b(?:work|commit|push|write|read|change|edit|touch|run|use|deploy|test|look|stay|go|log|import|talk) only\b|\bonly (?:ever )?(?:use|touch|change|edit|work|write|commit|push|read|run|deploy|test|import|add|fix|modify|install|call)\b/i,
    /\b(?:use|using|we|prefer|always|want|commit|deploy|edit|change|put|write|run|call|keep|go with)\b[^.]{0,60}\b(?:instead(?: of)?|rather than|in favou?r of|as opposed to)\b/i,
    /\bwithout (?:restarting|touching|changing|breaking|editing|modifying|adding|removing|renaming|bumping|rewriting|installing|asking|telling)\b|\b(?:everywhere|nowhere)\b|\b(?:keeps?|kept) (?:its|their|the same)\b|\b(?:in|for) (?:each|every) [\w ]{2,30} you (?:write|add|make|create|touch)\b/i,
    // Softly stated wishes, and whom to ask.
    /\b(?:run|clear) [^.,]{2,40} (?:by|with) me\b|\bi want [^.,?]{2,40} to (?:stay|remain|keep)\b|\byou (?:don't|do not|needn't) (?:need|have) to (?!worry|apologi|thank|rush|hurry|panic|explain|shout|be\b)\w+|\b(?:i(?:'d| would) (?:be (?:happier|more comfortable)|feel better) (?:with|if|without)|(?:would|'d) be (?:nice|great|good|better|best|ideal|helpful) if (?:every|each|all|any|no|nothing|new|we (?:kept|stayed|didn't|had|always|never)|you (?:kept|stayed|didn't|asked|always|never)))\b|^(?:write|phrase|word|name|design|structure|format) [^.]{2,60} so that\b/i,
    // Polite questions that are orders.
    /\b(?:could|can|would|will) you (?:please |maybe |also )*(?:keep|stop|not|avoid|stick|always|only|leave|mind (?:not|\w+ing))\b/i,
    // Requested limits.
    new RegExp(
      String.raw`\b(?:keep|stay|remain|must|should|may|limit|cap|never|not|max|please|make|use|allow|give|want|need|ha(?:s|ve) to|no) (?:[^.]{0,60} )?(?:at most|no more than|not more than|more than|up to|max(?:imum)?|exceed|under|below|within|at least|min(?:imum)?|less than) \W{0,2}${NUMBER}`,
      'i',
    ),
    new RegExp(
      String.raw`^(?:at most|no more than|max(?:imum)?|up to|under|at least) \W{0,2}${NUMBER}|\bmax\.? \d+ \w`,
      'i',
    ),
    new RegExp(
      String.raw`\b${NUMBER}[\w.]*(?: [\w-]+){0,2},? (?:max|maximum|tops|at most|or less|or fewer|at least|minimum)\b`,
      'i',
    ),
    new RegExp(
      String.raw`\b(?:the|our) (?:\w+ )?(?:budget|limit|maximum|minimum|cap|threshold)(?: for [\w ]{2,30})? is (?:now )?\W?${NUMBER}|^\W?\d[\w.%]*(?: \w+)? is the (?:\w+ )?(?:budget|limit|maximum|minimum|cap|threshold)\b|\b(?:stays?|remains?) (?:at |on )?\W?\d`,
      'i',
    ),
    /^(?:tests?|docs?|specs?|types|plan|design) first\b/i,
    // Corrections.
    /^(?:no|nope|nah|wrong|actually|wait,? no|wait|correction|careful|hold on|hmm?,? no)\b[\s,.:;!—–-]+(?:the|it's|its|use|we|that's the|not|call|put|i (?:said|meant|want)|make|keep|amounts?|[\w./-]+ (?:is|are|should|goes|lives|uses))\b[^.]{4,}/i,
    /\b(?:that's|it's|that is|this is) (?:wrong|incorrect|not (?:right|correct|what i (?:want|asked|said|meant|had)|how we))\b|\bi (?:said|meant) [\w./-]+/i,
    // A bare name corrects what was meant.
    /\bi mean (?!(?:it|that|this|these|those|them|him|her|you|me|us|both|all|none|any|some|something|anything|nothing|everything|everyone|yes|yeah|no|nope|ok|okay|sure|well|now|then|here|there|why|what|how|when|who|wow|maybe|business|\w+ly)\b)[\w@][\w@./:-]+[.!]*$/i,
    /\bnot [\w@./:-]+[,;—–-]+ ?(?:but )?[\w@./:-]+|[\w@./:-]+(?: [\w@./:-]+)?, not (?:the |a |an )?[\w@./:-]+/i,
    /\b(?:is|are|should be|was|meant) [^,.]{1,40},? (?:and|but) not\b/i,
    /\byou keep \w+ing\b|\bforget what i said\b|\b(?:is|are) (?:dead|deprecated|retired|gone for good)\b|\bis supposed to be\b|\bthe (?:right|correct|real|actual) (?:one|name|port|path|branch|url|value|file|version|endpoint) is\b/i,
  ],
  frees: [
    /^(?:so |and |but |hm+,? |oh,? )?(?:it |that |this )?(?:just |also )?(?:looks|seems|sounds|appears|turns out) (?:like|as if|as though|that|to me|to be)\b/i,
    /^(?:so |and |but )?it (?:seems|looks|appears|turns out)\b(?! (?:better|nicer|best)\b)/i,
    /^(?:[\w-]+ ){1,3}(?:expects?|asserts?|verif(?:y|ies)|checks) that\b|^[\w.]+\(.*\)[;,]?$/i,
    /^no[,:] (?:the|that|this) (?:other|first|second|third|last|next|previous|left|right|wrong)(?: \w+)?[.!]*$/i,
    /^never (?:saw|seen|had|heard|knew|thought|been|tried|used)\b|^(?:so )?(?:we|you|there|he|she|i) must be \w+/i,
    // Measurements and assumptions.
    /^(?:so |and |now )?(?:assume|suppose|imagine|let's (?:say|assume|suppose|pretend|imagine)|say) (?:for (?:a|the|one) |that |the |we |you |all )/i,
    /\b(?:took|takes|got|gets|returned|returns|shows?|showed|gave|gives|prints?|was|were|came|ran) (?:[^.]{1,40} )?(?:instead of|rather than)\b/i,
    /\b(?:needs?|takes?|requires?) (?:about |around |roughly |some |almost |over |under )?(?:\d[\d.,]*|a|an|two|three|four|five|ten|half an?) ?(?:(?:more|few|full) )?(?:ms|seconds?|minutes?|hours?|days?|[KMG]B)\b/i,
    /\b(?:can't|cannot) [^.]{2,60} (?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening))\b/i,
    // Observations, and code comments.
    /\b(?:(?<!\b(?:important|essential|crucial|vital|sure|ensure)(?: that)? )(?:the|these|those|this|that) (?:(?!\b(?:must|should|shall|may|can|will)\b)[\w' -]){2,60} never \w+s|not everything \w+s|\w+s only change|(?<!\b(?:make sure|ensure|be sure)\b.{0,60})(?:doesn't|does not|didn't) (?:change|work|update|load|show|appear|render|adhere|happen|remember|match))\b|(?:^|\s)# +\w/i,
    /\b(?:have|has|must|got) to be (?:a |some |more )?(?:bugs?|problems?|errors?|mistakes?|issues?)\b|\bthat i need you to\b|^no,? that's not it\b|^(?:don't|do not) do (?:that|this|it)\b|^(?:so |and )?(?:that|this|it)(?:'s| is) what \w+.{0,80}right\?$/i,
    /(?:^|[,;] )(?:that|this|it) (?:should|must)(?:n't| not| never) (?:happen|occur)[.!]*$/i,
    /\b(?:colleagues?|boss|friend|manager|reviewer|somebody|someone|guys?|he|she|they) (?:\w+ly )?(?:thinks?|thought|believes?|feels?|wonders?|guess(?:es)?)\b/i,
    /\bi prefer to (?:look|see|start|begin|wait|go|talk)\b/i,
    /\bthey (?:only|always|never) \w+/i,
    /\b(?:don't|do not|dont) (?:worry|bother(?! \w+ing\b)|know|think|see|get|understand|care|remember|have|recall|mind|panic|blame|mention|sweat|say|be (?:offended|shy|afraid|sorry|mad|surprised))\b|\bnever ?mind\b|\bno (?:idea|problem|worries|rush|hurry|need(?! to (?!worry|apologi|thank|rush|hurry|panic|explain|shout|be\b))|clue|wonder|luck|thanks|big deal|offen[cs]e|joke|pressure|way|difference)\b/i,
    /\b(?:i|we|they|he|she|it|that|this|which|who|there|someone|developer|team|guy) (?:\w+ly |had |have |has |would |could |can |just |still )?(?:never|only|always) (?:\w+ed|\w+s|understood|knew|saw|got|had|have|found|thought|been|seen|heard|want|wanted|forget|meant|felt|did|went|wrote|made)\b/i,
    /\b(?:must|should|may|might|could) (?:not )?have (?:been|\w+ed|\w+en|had|got|run|come)\b|\bmust be (?:a|an|the|some|something|because|what|why|how|where|who|due|missing|nice|my|your|fun|new|wrong)\b|\bhas to be (?:a|the|some|something|because)\b|\bcan't be (?:right|real|true|that|serious|the|sure|bothered)\b|\bshould be (?:fine|ok|okay|good|easy|enough|quick|done|simple|there|able)\b/i,
    /^(?:no|nope|wait|actually|ok|okay|yes|wrong)\b[\s,.:;!—–-]*(?:no,? |that'?s |it'?s |this is |all |i'?m |that |(?:everything|all)(?:'s| is) )*(?:fine|ok|okay|good|great|perfect|right|works|cool|thanks|thank|done|nice|correct|better|pretty|quite|really|makes|never ?mind|sorry|let me|window|ignore|i (?:was|see|think|found|had|got|just|misread|have|haven't|didn't|don't|can't|tried))/i,
    /\b(?:docs?|tutorial|manual|article|readme|wiki|blog|post|book|paper|linter|compiler|error|message|log|stack ?overflow|somebody|someone|colleague|he|she|they) (?:\w+ )?(?:says?|said|insists?|recommends?|claims?|claimed|wrote|told|suggests?|complains?)\b|\b(?:i (?:heard|read)|used to|apparently|according to)\b/i,
    /\b(?:not sure|not only|if only|the only|(?:fails?|happens?|works?|breaks?|crashes|occurs?|runs?|shows?) only|only (?:when|if|after|happens|fails|works|one|just|seems|took|the(?! (?:[\w-]+ ){1,3}(?:merge|deploy|edit|touch|change|push|approve|release)(?:e?s)?\b)|thing|then|have|has)|as (?:always|usual)|like always|not always)\b/i,
  ],
}

const ALL: readonly Cues[] = [ENGLISH, ...LANGUAGES]
const QUESTION = /[?？]["')\]]*$|[吗呢][。]?$/u
/** A tag question that only asks for confirmation. */
const TAG =
  /,? (?:ok|okay|right|alright|tá|certo|vale|va bene|d'accord|verstanden|ладно|хорошо)\?$/iu
/** Asked as a question but meant as an order. */
const POLITE =
  /^(?!.*\b(?:which|what|who|how|why|where|when)\b.*\byou\b).*\b(?:could|can|would|will) you (?:please |maybe |also )*(?:keep|stop|not|avoid|stick|always|only|leave|mind)\b/i
/** Lasts until the user is back or has looked. */
const HOLD =
  /\b(?:don't|do not|stop|wait)\b.*(?:\b(?:let me|i (?:need|want|have) to|i'll)\b.*\bfirst\b|\buntil i(?:'m| am| have| 've)? ?(?:back|done|return|finish|looked|checked)|\bfor a (?:moment|second|minute|sec)\b)/i
/** `yet` at the end or before a next step is temporary; with a reason it binds. */
const NOT_YET =
  /\b(?:don't|do not)(?:(?!\b(?:not|that|which|who|until|because|since|if)\b|n't)[^,;:—–])*\byet(?:,? (?:please|ok(?:ay)?|thanks?))?(?:[.!?]*$|(?:[,;:—–]| -) ?(?:(?:but|and|please|just) )*(?:first|let me|i'll|i(?:'m| am) still|(?:there(?:'s| is) )?more (?:is coming|to come|follows)|i (?:want|need|have) to|show|tell|explain|please)\b)/i
const LASTING_RULE = /\b(?:never|always|every|each|any|from now on|whenever)\b/i
const CLAUSES =
  /[,;:—–，；、]\s*|\s-\s|\s(?:but|though|mais|aber|pero|mas|ma|но)\s|(?:但是|ただ|하지만|지만)/iu

/** “Not Redux. Zustand.” is one correction. */
const NOT_THIS_THAT = /^(?:no, )?not [\w@./+-]{1,40}[.,;!] +[\w@./+-]{1,40}[.!]?$/i

/** The binding sentences, each once, as typed, in order. */
export function findConstraints(text: string): string[] {
  if (NOT_THIS_THAT.test(text.trim())) return [text.trim()]
  const lines = withoutMaterial(text, readLines(text), isBinding)
  return [...new Set(sentencesIn(lines))].filter(isBinding)
}

const ACKNOWLEDGES =
  /^(?:ok(?:ay)?|yes|yep|yeah|no|nope|great|nice|good|perfect|cool|thanks?|thank you|thx|awesome|done|works?|lgtm|continue|go on|hi|hello|hey)\b[^\p{L}]*(?:\p{L}+[^\p{L}]*){0,2}$/iu

/** Sentences that state something: no questions, one-off requests, or mere consent. */
export function findStatements(text: string): string[] {
  return [...new Set(findSentences(text))].filter(
    (each) => !QUESTION.test(each) && !isOneOff(each) && !ACKNOWLEDGES.test(each),
  )
}

/**
 * A binding part may be a small part of a sentence, so the sentence is checked as a whole and by clauses.
 * What frees one clause does not free the others.
 */
function isBinding(sentence: string): boolean {
  const plain = withApostrophes(sentence).replace(/^(?:@[\w./-]+ +)+/, '')
  const cues = listLanguages(plain)
  const clauses = withoutRest(plain.split(CLAUSES).map((each) => each.trim()))
  if (QUESTION.test(plain) && !TAG.test(plain)) return POLITE.test(plain)
  if (SAID_BY.test(plain) || TELLS.test(plain)) return false
  const held = LASTING_RULE.test(plain) ? null : (HOLD.exec(plain) ?? NOT_YET.exec(plain))
  if (held) return held.index > 0 && isBinding(plain.slice(0, held.index).trim())
  return [plain, ...clauses.filter((each) => each.length >= 3)].some((unit) =>
    cues.some((each) => binds(each, unit) && !matches(each.frees, unit) && !isOneOff(unit)),
  )
}

/** Observations; and additions of place or time. */
const HAPPENS =
  /(?<![\p{L}])(?:fails?|failed|works?|worked|happens?|happened|breaks?|crashe[sd]|occurs?|schlägt|schlagen|läuft|klappt|passiert|scheitert|funktioniert|bricht|échoue|marche|fonctionne|plante|falla|funciona|ocurre)(?![\p{L}])/iu
const ONLY_THERE = /^(?:only|nur|seulement|uniquement|solo|sólo|solamente) (?!\S+[.!]*$)/iu

/** “It works here, only the build of Windows fails” asks for nothing, nor does its last clause alone. */
function withoutRest([first = '', ...rest]: readonly string[]): string[] {
  return [first, ...(HAPPENS.test(first) ? rest.filter((each) => !ONLY_THERE.test(each)) : rest)]
}

/** A one-off request: starts with what to do, and nothing in it lasts. */
const OPENER =
  "^(?:(?:ok|okay|yes|yep|yeah|great|nice|good|now|then|and|also|so|please|just|next|first|finally|can you|could you|would you|will you|i want you to|i need you to|i'd like you to|we need to|let's)[,.:!]? +)*"
const LOOKING = new RegExp(
  `${OPENER}(?:look|read|check|review|comment|propose|suggest|explain|tell|show|describe|analy[sz]e|investigate|research|find|compare|list|summari[sz]e|think|do an? (?:\\w+ )?(?:review|analysis))\\b`,
  'i',
)
const ACTING = new RegExp(
  `${OPENER}(?:commit(?! messages?\\b)|push|merge|open|close|create|add|remove|delete|run|rerun|fix|split|rename|move|update|implement|build|rebuild|revert|undo|redo|continue|proceed|go ahead|try|release|install|generate|refactor|improve|rebase|bump|publish|start|restart|apply|finish|do (?:it|that|this|both|all))\\b`,
  'i',
)
/** Making something work now is done once. */
const SEEING_TO = new RegExp(
  `${OPENER}(?:make sure|be sure|ensure)(?: that)? (?!(?:every|each|all|any|new|no|nothing)\\b)[^,;]{1,60}\\b(?:runs?|works?|builds?|compiles?|loads?|starts?|(?:is|are|gets?) (?:also |now |still |actually )?(?:used|updated|fixed|included|there|shown|added|wired|covered|done|working|running))(?: (?:now|again|too|fine|here|properly|correctly|as expected|please))*(?:,? (?:and |then )+(?:tell|show|commit|push|report|let me|open|go|look|try|check|run|start|send|click|reload)\\b.*)?[.!]*$`,
  'i',
)
/** “Rerun the failing job only” limits a one-off request. */
const THIS_ONLY = new RegExp(
  `${OPENER}(?:rerun|run|build|rebuild|revert|retry|restart|merge|push|fix|delete|remove) (?:the|this|that|those|these) [^,;]{1,50} only[.!]*$`,
  'i',
)
const LASTING =
  /\b(?:never|always|don't|do not|must(?:n't| not)?|from now on|henceforth|whenever|every time|each time)\b/i
const NARROWED =
  /\b(?:only|unless|until|without|instead|rather|at most|no more|max(?:imum)?|every|each|any new|all new|keep|before|after|when|if|by me)\b/i
const BRANCH = /^if (?:yes|so|not|no)\b/i

export function isOneOff(unit: string): boolean {
  if (LASTING.test(unit) || VERBLESS.test(unit)) return false
  if (THIS_ONLY.test(unit)) return true
  if (SEEING_TO.test(unit) && !NARROWED.test(unit)) return true
  return LOOKING.test(unit) || BRANCH.test(unit) || (ACTING.test(unit) && !NARROWED.test(unit))
}

/** A rule without a verb: “Comments always in English”, “commit messages in imperative mood”. */
const VERBLESS =
  /^(?!.*(?<![\p{L}])(?:is|are|was|were|has|have|had|seems?|runs?|ends?|fails?|stays?|ist|sind|war|waren|läuft|steht|bleibt|est|sont|était|es|son|está|están|era|é|são|estava)(?![\p{L}]))(?:[\p{L}/-]+ ){1,5}(?:(?:en (?:minuscules|majuscules|minúsculas|mayúsculas)|em (?:minúsculas|maiúsculas)|in (?:minuscolo|maiuscolo|kleinbuchstaben|großbuchstaben)|(?:always|immer|toujours|siempre|sempre|всегда) (?:in|as|with|auf|als|mit|en|à|como|con|em|com|на|с) [\p{L}\d_ -]{2,30}|in (?:the )?(?:imperative|present tense|past tense|lower ?case|upper ?case|title case|snake_case|camelcase|kebab-case)(?: mood)?))(?:,? (?:please|pls|bitte))?[.!]*$/iu

/** “Comments in English”, “комментарии на английском”: the language of a kind of text. */
const IN_LANGUAGE =
  /^(?!.*(?<![\p{L}])(?:is|are|was|were|ist|sind|war|waren|est|sont|es|son|está|están|è|são|already|schon)(?![\p{L}]))(?:(?:the|all|die|alle|les|los|las|le|i|os|as|gli|la|a) )?(?:comments?|commits?|commit messages?|messages?|docs?|documentation|docstrings?|names?|identifiers?|variables?|answers?|replies|labels?|texts?|strings?|logs?|errors?|changelog|titles?|everything|kommentare?|nachrichten|doku(?:mentation)?|namen|bezeichner|\p{L}*(?:namen|meldungen|texte)|antworten|alles|commentaires?|noms?|réponses?|tout|comentarios|nombres|mensajes|respuestas|documentación|todo|comentários|nomes|mensagens|respostas|documentação|tudo|commenti|nomi|messaggi|risposte|documentazione|tutto|комментарии|имена|сообщения|ответы|документаци\p{L}|всё)(?: \p{L}+){0,4} (?:in (?:english|german|french|spanish|italian|portuguese|russian|japanese|chinese|korean|inglese|italiano|tedesco)|auf (?:deutsch|englisch|französisch|spanisch)|en (?:français|anglais|español|inglés)|em (?:inglês|português)|на (?:русском|английском))(?![\p{L}])/iu

function binds({ binds: strong, weak, subject }: Cues, unit: string): boolean {
  if (VERBLESS.test(unit) || IN_LANGUAGE.test(unit)) return true
  return matches(strong, unit) || ((weak?.test(unit) ?? false) && !subject?.test(unit))
}

/** The languages whose frequent words occur most; all if none is recognised. */
function listLanguages(sentence: string): readonly Cues[] {
  const counts = ALL.map(({ words }) => sentence.match(words)?.length ?? 0)
  const most = Math.max(...counts)
  return most === 0 ? ALL : ALL.filter((_, at) => counts[at] === most)
}

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text))
}
