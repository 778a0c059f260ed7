// Cues for nine languages besides English, as data.

/**
 * `binds` are expressions of what must, must not or should always be; `frees` are uses of the same words that
 * bind nobody; `words` are frequent words that identify the language.
 */
export interface Cues {
  readonly words: RegExp
  /** Words that bind in an order but not in a statement. */
  readonly weak?: RegExp
  /** The start of a clause that is a statement. */
  readonly subject?: RegExp
  readonly binds: readonly RegExp[]
  readonly frees: readonly RegExp[]
}

const BEFORE = String.raw`(?:^|[,;:(—–]\s*|\s-\s|\b(?:and|but|so|then|also|because|just|though|still|btw|und|aber|please|pls|plz)\s+)`
const GREETING = String.raw`(?:(?:ok|okay|also|oh|hey|yes|yeah|and|but|so|btw|note|important|reminder|fyi|ps|please|pls|just|bitte)\b[\s,:.!-]*){0,3}`

/** Matches at the start of a sentence or clause. */
export function clause(source: string): RegExp {
  return new RegExp(`${BEFORE}${GREETING}(?:${source})(?![\\p{L}])`, 'iu')
}

const GERMAN_ACTS =
  '(?:fass|änder|lösch|rühr|berühr|push|überschreib|installier|verschieb|entfern|committ|deploy|ersetz|umbenenn)e?'
/** Up to a negation, without words that open a relative clause with its own negation. */
const germanObject = (word: string) =>
  String.raw`(?:(?:mir |uns |mal |ja |jetzt |hier )*(?:die|das|der|den|dem) )?(?:(?!(?<!(?<!\p{L})(?:an|in|auf|bei|mit|von|zu|aus|vor|nach|über|für|durch|und|oder) )(?:die|das|der|was|wo|wenn|weil|welche[rsmn]?|falls|sofern|deren|dessen|denen|dass|ob)[\s,])${word} ){0,6}`
/** “nicht benötigte Dateien” describes files of a one-off request. */
const NOT_OF_A_NOUN = String.raw`(?![\p{L}])(?! (?:mehr |länger )?(?:(?:ge|be|ver|ent|er|zer|unter)\p{L}+(?:te|ene)|\p{L}+(?:ierte|ende|bare|tige))[nrsm]? )`

export const LANGUAGES: readonly Cues[] = [
  {
    // German
    words:
      /(?<![\p{L}])(?:der|die|das|und|ist|nicht|ich|wir|du|bitte|ein|eine|zu|für|mit|auf|den|im|nur|nie|immer|kein|keine|es|auch|noch|mal|hier|nein|nee|statt|was|mich|bevor|wird|werden|sind|hat|wenn|dann|aber|als|von|dem|nutze|verwende|ausschließlich|niemals|fasse?|ändere?|lösche?|rühre?|alle|jede[rsn]?|neue[rsn]?|beim|vom|zum|zur|ins|oder|wie|man|sich|dass|damit|sein|müssen|muss|dürfen|darf|sollen|soll|kann|ohne|über|nach|aus|bei|diese[rsn]?)(?![\p{L}])/giu,
    binds: [
      clause(
        '(?:bitte |also )?(?:niemals|nie|auf keinen fall|keinesfalls|immer|nur|ausschließlich|lieber|vermeide|achte|denk|stell sicher|lass|halte? (?:dich|euch) an|finger weg|kein(?:e|en|er)?)',
      ),
      // Imperatives in -e: “Ändere niemals …”, “Behalte immer …”.
      /^(?!(?:heute|habe|hatte|hätte|wäre|werde|würde|wurde|könnte|möchte|sollte|musste|konnte|wollte|gerade|beide|alle|viele|manche|einige|\p{L}?eine|diese|unsere|eure|bitte)(?!\p{L}))\p{L}{3,}e (?:bitte )?(?:niemals|nie|immer) (?!noch|wieder|mehr|so|nur)\p{L}/iu,
      /^(?:nutze|verwende|benutze|nimm|schreibe?) (?:\S+ ){0,3}(?:nur|nie|niemals|immer|ausschließlich|kein\w*)(?![\p{L}])/iu,
      new RegExp(
        `^${GERMAN_ACTS} (?:bitte )?${germanObject('[^\\s,;]+')}(?:nie|niemals|nichts?)${NOT_OF_A_NOUN}`,
        'iu',
      ),
      new RegExp(
        `\\bbitte (?:\\p{L}+(?:(?<![ns])|(?<=fass)|(?<=lass)) )?${germanObject('\\S+')}(?:nichts?|nie|niemals|kein\\w*)${NOT_OF_A_NOUN}`,
        'iu',
      ),
      /\bbitte (?:\S+ ){0,6}(?:immer|nur|erst|vorher|ausschließlich)(?![\p{L}])/iu,
      /(?<![\p{L}])bleib(?:t|en)(?:,? (?:genau )?(?:so,? )?wie| so(?![\p{L}])| unverändert| bestehen)/iu,
      // Statements about things in general.
      /^(?:neue[rsn]?|jede[rsn]?|alle|sämtliche) (?!die(?![\p{L}]))[^?,]{3,60}(?<![\p{L}])(?:braucht|brauchen|bekommt|bekommen|erhält|erhalten|gehört|gehören|kommt in|kommen in)(?![\p{L}])/iu,
      /(?<![\p{L}])(?:darf|darfst|dürfen|soll|sollst|sollen|sollte|sollten|muss|müssen|musst|braucht)(?![\p{L}]) [^?]*(?:nicht|kein|nur|nie|immer|bleiben|sein|werden|unter|höchstens|erst|ohne)/iu,
      /(?<![\p{L}])(?:ab (?:jetzt|sofort|heute)|von nun an|künftig|zukünftig|in zukunft|grundsätzlich|generell|verboten|tabu|wird (?:hier )?(?:nichts|nie|kein\p{L}*)|(?:schreiben|nennen|benennen) wir|du (?:darfst|kannst) [^?]*(?:jederzeit|immer|ohne)|höchstens|maximal|mindestens|nicht mehr als|statt|anstatt|anstelle|sondern|bevorzug\w*|am liebsten|lieber|nicht anfassen|nicht ändern|unangetastet|in ruhe|ohne (?:meine|mein|rückfrage|zu fragen|\p{L}+ (?:zu \p{L}+|neu\p{L}+))|finger (?:weg|von)|und nicht|mach(?:e)? ich (?:selber|selbst)|frag mich|vorher fragen|mein(?:e[nr]?)? (?:okay|ok|freigabe|zustimmung|erlaubnis|einverständnis)|bevor du|wir (?:verwenden|benutzen|nutzen|arbeiten|machen|deployen|nehmen) (?:hier )?(?:nur|nie|immer|kein\w*|ausschließlich)|ich (?:will|möchte) (?:kein\w*|nicht|nur|dass|immer|lieber))(?![\p{L}])/iu,
      /(?<![\p{L}])\p{L}*[\p{L}\d.]+(?: \p{L}+)?, nicht \p{L}*[\p{L}\d.]+(?=[,.!]|$)|(?<![\p{L}])(?:pro|je) \p{Lu}\p{L}+ (?:nur |höchstens )?(?:ein|zwei|\d)/u,
      /^(?:nein|nee|nö|falsch|stimmt nicht|doch nicht|eigentlich|moment)[,.:! ]+\S[^?]{8,}/iu,
      /(?<![\p{L}])(?:wichtig(?: ist)?(?: mir)?|(?:mir|uns) ist (?:es )?(?:sehr )?wichtig),? dass(?![\p{L}])|(?<![\p{L}])(?:immer|nie|nur)(?![\p{L}])[^?]*, sonst(?![\p{L}])|(?<![\p{L}])bleib(?:t|en) (?:bei |auf )?\W?[\d]|(?<![\p{L}])(?:wir bleiben (?:bei|auf|mit)|wichtiger als|ich (?:hätte gern|wünsche mir|fände es (?:gut|besser|schön))|wird nicht mehr (?:deployt|gepusht|gemergt|geändert|angefasst|committet|gelöscht|veröffentlicht))(?![\p{L}])|\bbitte (?:\S+ ){0,5}(?:so,? dass|halten|vermeiden|weglassen|beibehalten|einhalten|beachten)(?![\p{L}])|^(?!(?:das|es|dies|er|sie|der|die)(?![\p{L}]))\S+(?: \S+){0,3} gehör(?:t|en) (?:nicht|nie|niemals|nur|immer|in|ins|auf|unter)(?![\p{L}])|^(?:erst|zuerst) (?:die )?(?:tests?|doku|plan|spec)(?![\p{L}])|(?<![\p{L}])(?:nehmen|nutzen|verwenden|benutzen|schreiben) wir (?:hier )?(?:nur|immer|nie|niemals|ausschließlich)(?![\p{L}])|(?<![\p{L}])(?:jedes mal,? wenn|immer wenn|wann immer) (?:du|ihr)(?![\p{L}])/iu,
    ],
    frees: [
      /[?？]$/,
      /(?<![\p{L}])(?:muss irgendwo|müsste|keine (?:sorge|ahnung|eile|frage)|macht nichts|nicht so (?:wichtig|schlimm)|nicht nur|weiß (?:\p{L}+ )?nicht|verstehe (?:\p{L}+ )?(?:nicht|nie))(?![\p{L}])/iu,
      /(?<![\p{L}])(?:muss|müssen|soll|sollen|sollte) (?:\S+ ){0,3}noch (?:\S+ ){0,3}(?:gepusht|gemacht|erledigt|getestet|geprüft|behoben|ergänzt|angepasst|committet|gemergt|deployt) werden/iu,
      /^(?:ich|es|das|er|sie|der test|die tests|der build|(?:der|die|das|mein|meine|unser|unsere) [\p{L}\d.-]+(?= (?:schlägt|schlagen|läuft|laufen|klappt|geht|passiert|scheitert|funktioniert|bricht|tritt|kommt|dauert|liefert|zeigt|wirft|stürzt)(?![\p{L}])))(?![\p{L}]) (?!möchte|will|darf|muss|soll)[^,]*(?<![\p{L}])(?:nie|immer|nur|nicht)(?![\p{L}])(?!.*(?:bitte|darf|soll|muss|, sonst))/iu,
      /(?:^|[,;:] )(?:immer|nie|nur) (?:kommt|kommen|ist|sind|wird|gibt|steht|passiert|geht|läuft|fehlt|hängt|bricht|schlägt|muss ich|bekomme ich|sehe ich)(?![\p{L}])/iu,
    ],
  },
  {
    // French
    weak: /(?<![\p{L}])(?:(?:ne |n['’])(?:\p{L}+ ){1,3}(?:jamais|pas|plus|rien|que)|jamais|toujours|uniquement|seulement|exclusivement)(?![\p{L}])/iu,
    subject:
      /^(?:et |mais |alors |donc )?(?:l['’e]|la|les|il|elle|ils|elles|je|j['’]|tu (?:as|es)|ça|c['’]|ce|cette|mon|ma|mes|un|une|depuis|hier|aujourd|quand|parfois|là)(?![\p{L}])/iu,
    words:
      /(?<![\p{L}])(?:le|la|les|un|une|des|et|est|pas|ne|je|tu|on|nous|pour|dans|sur|que|qui|avec|plus|du|de|il|toujours|jamais|non|mais|en|ce|ça|merci|sans|à|au|aux|cette|vous|moi|quand|avant|uniquement|exclusivement|utilise|chaque|nouvelle|nouveau|doit|doivent|par|être|tous|toutes|faut|rien)(?![\p{L}])/giu,
    binds: [
      /(?<![\p{L}])(?:désormais|dorénavant|à partir de maintenant|à l['’]avenir|interdit\w*|interdiction|surtout pas|tu peux [^?]*(?:si (?:tu veux|besoin|nécessaire)|sans|toujours)|pas de|sans (?:me )?demander|(?:mon|sans) (?:accord|feu vert|autorisation)|ma permission|demande[sz]?[- ]moi|avant de|plutôt|au lieu de|à la place|je préfère|je veux|je ne veux|(?:on reste|nous restons) (?:sur|à|en|avec)|(?:doit|doivent) (?:avoir|inclure|contenir|utiliser|rester|être|passer|tenir|toujours|jamais|pas|garder|finir|se )|ne (?:doit|doivent|peut|faut)|il faut|faut pas|maximum|au plus|au maximum|au moins|pas plus de|moins de \d|évite[rsz]?|assure[- ]toi|pense[sz]? à|n['’]oublie|touche[sz]? pas|laisse[sz]?|garde[sz]?|on (?:n['’])?utilise|limite[rsz]?|et (?:non )?pas (?:d|le|la|les|un|à|en|\d)\p{L}*|sans (?:toucher|casser|modifier|redémarrer|changer|ajouter|installer|supprimer|utiliser))(?![\p{L}])/iu,
      /^(?:\p{L}+ )?ne (?:pas|jamais|rien) (?:\p{L}['’]|se )?\p{L}+(?:er|ir|re)(?![\p{L}])/iu,
      /^(?:non|en fait|faux|attends?|erreur)[,.:! ]+\S[^?]{8,}/iu,
      /[\p{L}\d./-]+, (?:et )?pas (?:le |la |les |de |en |à )?[\p{L}\d./-]+[.!]*$|(?<![\p{L}])ne s[e'’] ?(?:versionne|commite?|modifie|touche|discute|pushe?|supprime|édite|change)(?:nt)? (?:pas|jamais)(?![\p{L}])/iu,
      /(?<![\p{L}])(?:(?:à )?chaque fois|toutes les fois) (?:que (?:tu|vous)|qu['’]on)(?![\p{L}])|(?<![\p{L}])(?:important|essentiel|primordial)(?: pour (?:moi|nous))? (?:que|de (?:ne|garder))(?![\p{L}])/iu,
    ],
    frees: [
      /[?？]\s*$/,
      /(?<![\p{L}])(?:il (?:ne )?(?:faut|fallait|faudra) que (?:je|j['’]\p{L}+)|pas de (?:souci|problème|panique|chance)|ne t['’]inquiète|t['’]inquiète|je (?:ne |n['’])?(?:sais|comprends|vois|pense|crois|suis|ai|peux|trouve|m['’])|j['’](?:ai|avais|étais)|c['’]est|ce n['’]est|il doit y avoir|doit être(?! \p{L}+(?:ée?s?|ies?|ues?)(?![\p{L}]))|ça (?:ne )?(?:marche|échoue|fonctionne|plante|renvoie|arrive)|non,? (?:merci|c['’]est bon|ça va)|il (?:ne )?(?:plante|échoue|marche|renvoie|y a)|merci|pas seulement)(?![\p{L}])(?!.*(?:s['’]il te pla|stp|svp|il faut|doi(?:t|vent)|désormais))/iu,
    ],
  },
  {
    // Spanish
    weak: /(?<![\p{L}])(?:nunca|jamás|siempre|solo|sólo|solamente|únicamente)(?![\p{L}])/iu,
    subject:
      /^(?:y |pero |así que )?(?:el|la|los|las|él|ella|yo|me|se|es|está|esto|eso|este|esta|mi|un|una|ayer|hoy|cuando|desde|a veces|creo)(?![\p{L}])/iu,
    words:
      /(?<![\p{L}])(?:el|la|los|las|un|una|y|es|no|que|en|de|por|para|con|lo|se|yo|del|al|pero|más|solo|nunca|siempre|favor|antes|está|hay|gracias|nada|había|ese|este|esto|así|te|tu|mi|ahora|cada|su|partir|nueva|nuevo|usar|preferiría|función|sin|todos|todas)(?![\p{L}])/giu,
    binds: [
      /^(?:todo|toda|todos|todas|cada) [^?,]{3,60}(?<![\p{L}])(?:(?:pasa|pasan|va|van|debe|deben|necesita|necesitan) (?:por|en|a|con|un|una)|llevan?)(?![\p{L}])/iu,
      /(?<![\p{L}])(?:nada de|nadie (?:puede|debe|toca)|no (?:lo|la|los|las|me|le) \p{L}+|prohibido|prohibid\w+|no (?:toques|toquéis|uses|utilices|modifiques|elimines|emplees|ejecutes|pongas|escribas|publiques|despliegues|olvides|hagas|subas|cambies|borres|añadas|agregues|metas|commitees|pushees|instales|quiero|se (?:puede|debe|toca|permite)|debe\w*|puede\w*|hay que|más)|evita\w*|a partir de ahora|de ahora en adelante|en adelante|en el futuro|puedes [^?]*(?:si (?:hace falta|quieres|es necesario)|sin|siempre)|cada vez que|antes de|sin (?:preguntar\w*|permiso|avisar\w*|mi)|mi (?:permiso|aprobación|visto bueno|autorización)|pregúnta\w*|avísa\w*|prefiero|preferiría|quiero que|mejor (?:usa|con)|en (?:vez|lugar) de|como (?:máximo|mucho)|máximo|mínimo|al menos|no más de|menos de \d|debe\w*|tiene\w* que|hay que|asegúrate|recuerda|deja|mantén|usamos|limita\w*|y no (?:la|el|a|en|\d|\p{L}+$)|sin (?:tocar|romper|cambiar|reiniciar|modificar))(?![\p{L}])/iu,
      /^(?:no|te equivocaste|en realidad|espera|error|mal)[,.:! ]+\S[^?]{8,}/iu,
      /(?<![\p{L}])(?:importante|esencial)(?: para (?:mí|nosotros))? que(?![\p{L}])|(?<![\p{L}])nos quedamos (?:con|en)(?![\p{L}])|[\p{L}\d./-]+, no (?:el |la |los |las |en |de )?[\p{L}\d./-]+[.!]*$/iu,
    ],
    frees: [
      /[?？]\s*$|^¿/,
      /(?<![\p{L}])(?:no te preocupes|no pasa nada|no (?:sé|entiendo|funciona|veo|recuerdo|creo|tengo|sabía)|nunca (?:entendí|he|había|vi|supe)|siempre (?:falla|devuelve|pasa|me|he|da)|solo (?:falla|pasa|ocurre|funciona|quería|es)|sólo (?:falla|pasa|ocurre|funciona|quería)|debe (?:de )?(?:ser|haber|estar)|no,? (?:gracias|está bien|así está)|gracias|no solo)(?![\p{L}])(?!.*(?:por favor|hay que|a partir))/iu,
    ],
  },
  {
    // Portuguese
    weak: /(?<![\p{L}])(?:nunca|jamais|sempre|só|somente|apenas)(?![\p{L}])/iu,
    subject:
      /^(?:e |mas |então )?(?:o|a|os|as|ele|ela|eu|me|é|está|tá|isso|isto|este|esse|essa|meu|minha|um|uma|ontem|hoje|quando|desde|às vezes|acho)(?![\p{L}])/iu,
    words:
      /(?<![\p{L}])(?:o|a|os|as|um|uma|e|é|não|que|em|de|do|da|no|na|por|para|pra|com|se|eu|mas|mais|só|nunca|sempre|antes|tá|gente|isso|você|obrigado|obrigada|aqui|sem|máximo|ao|mesmo|isso|pelo|muito)(?![\p{L}])/giu,
    binds: [
      /(?<![\p{L}])(?:nada de|ninguém (?:pode|deve|mexe)|não (?:altera|altere|muda|apaga|roda|instala|deleta|remove|commita|me)|a gente (?:só|não|nunca|sempre)|proibid\w+|não (?:mexa|mexe|toque|use|usa|faça|faz|suba|mude|apague|adicione|commite|instale|quero|pode\w*|deve\w*|é (?:para|permitido)|mais)|evite|evita|a partir de agora|tod[oa]s (?:os|as) [^.?]{2,60} precisam|pode [^?]*(?:se (?:quiser|precisar)|sem perguntar)|daqui (?:pra|para a) frente|de agora em diante|no futuro|toda vez que|sempre que|antes de|sem (?:perguntar|me|permissão|avisar|minha)|me (?:pergunt\w+|avis\w+)|pergunt[ae]|prefiro|quero que|melhor usar|em vez de|ao invés de|no (?:máximo|mínimo)|máximo|pelo menos|não mais (?:de|que)|menos de \d|deve\w*|tem que|têm que|precisa\w* (?:ficar|ser|passar|continuar)|certifique|lembre\w*|deixe|deixa|mantenha|mantém|usamos|limite|e não (?:a|o|em|\d|\p{L}+$)|sem (?:mexer|quebrar|mudar|reiniciar))(?![\p{L}])/iu,
      /^(?:não|na verdade|na real|espera|errado)[,.:! ]+\S[^?]{8,}/iu,
      /(?<![\p{L}])(?:importante|essencial)(?: para (?:mim|nós))? que(?![\p{L}])|(?<![\p{L}])ficamos (?:com|na|no|em)(?![\p{L}])|[\p{L}\d./-]+, não (?:o |a |os |as |em |de )?[\p{L}\d./-]+[.!]*$/iu,
    ],
    frees: [
      /[?？]\s*$/,
      /(?<![\p{L}])(?:não se preocup\w+|não tem problema|não precisa|não (?:consegui|consigo|achei|sei|entendo|entendi|funciona|vejo|lembro|acho|tenho|sabia)|nunca (?:entendi|vi|soube|tinha)|sempre (?:falha|retorna|dá|quis|me)|só (?:falha|acontece|funciona|queria|dá)|deve (?:ser|ter|estar)|não,? (?:obrigad\w|tudo bem|está bom)|obrigad\w|não só)(?![\p{L}])(?!.*(?:por favor|tem que|a partir))/iu,
    ],
  },
  {
    // Italian
    weak: /(?<![\p{L}])(?:mai|sempre|solo|soltanto|esclusivamente)(?![\p{L}])/iu,
    subject:
      /^(?:e |ma |quindi )?(?:il|lo|la|i|gli|le|l['’]|io|mi|si|è|questo|quello|questa|mio|mia|un|una|ieri|oggi|quando|da quando|a volte|forse|sembra)(?![\p{L}])/iu,
    words:
      /(?<![\p{L}])(?:il|lo|la|i|gli|le|un|una|e|è|non|che|di|del|della|in|per|con|si|ma|più|solo|mai|sempre|prima|grazie|questo|qui|da|ho|al|poi|ora|usa|niente|soltanto|nel|alla|sono|anche|puoi|serve)(?![\p{L}])/giu,
    binds: [
      /(?<![\p{L}])(?:vietato|vietat\w|non (?:toccare|usare|fare|modificare|cancellare|aggiungere|pushare|committare|installare|voglio|si (?:può|deve|tocca)|deve\w*|può|possono|devono|più)|evita\w*|niente|nessuno (?:può|deve|tocchi)|d['’]ora in (?:poi|avanti)|da (?:adesso|ora|oggi) in (?:poi|avanti)|in futuro|puoi [^?]*senza|se (?:serve|vuoi),? puoi|ogni volta|prima di|senza (?:chieder\w*|permesso|avvisar\w*|il mio)|chiedi\w*|avvisa\w*|preferisco|preferirei|voglio che|meglio|invece (?:di|che)|al posto di|al massimo|massimo|almeno|minimo|non più di|meno di \d|(?:deve|devono) (?:restare|rimanere|stare|passare|usare|sempre|avere|finire|essere (?:sempre|approvat|firmat))|bisogna|assicurati|ricorda\w*|lascia|mantieni|tieni|usiamo|limita|e non (?:a|il|la|in|\d|\p{L}+$)|tienine conto|senza (?:toccare|rompere|cambiare|riavviare))(?![\p{L}])/iu,
      /^(?:no|in realtà|aspetta|sbagliato|anzi)[,.:! ]+\S[^?]{8,}/iu,
      /(?<![\p{L}])(?:importante|essenziale)(?: per (?:me|noi))? che(?![\p{L}])|(?<![\p{L}])restiamo (?:su|con|a)(?![\p{L}])|[\p{L}\d./-]+, non (?:il |la |lo |i |le |in |di )?[\p{L}\d./-]+[.!]*$/iu,
    ],
    frees: [
      /[?？]\s*$/,
      /(?<![\p{L}])(?:non ti preoccupare|non preoccuparti|c'è fretta|non importa|non (?:trovo|riesco|so|capisco|ho|funziona|vedo|ricordo|credo|sapevo)|mai (?:capito|visto|saputo)|sempre (?:null|fallisce|voluto|lo stesso)|solo (?:fallisce|quando|se|il|di)|(?:fallisce|succede|funziona) (?:solo|sempre)|restituisce sempre|deve (?:essere|esserci|aver\w*)|no,? (?:grazie|va bene)|grazie|non solo)(?![\p{L}])(?!.*(?:per favore|bisogna|d['’]ora))/iu,
    ],
  },
  {
    // Russian
    weak: /(?<![\p{L}])(?:никогда|только|исключительно|всегда)(?![\p{L}])/iu,
    subject:
      /^(?:и |но |а )?(?:я|он|она|оно|они|это|эта|этот|мой|моя|вчера|сегодня|когда|иногда|\p{L}+ (?:падает|отвечает|работает|возвращает|происходит|запускается|виснет|ломается))(?![\p{L}])/iu,
    words: /\p{Script=Cyrillic}+/gu,
    binds: [
      /(?<![\p{L}])(?:нельзя|запрещ\p{L}+|обязательно|впредь|отныне|с этого момента|теперь всегда|в будущем|каждый раз|перед (?:тем|каждым|коммитом|пушем|удалением|мержем)|прежде чем|сначала (?:спрос|спрашивай|запус|прогони|покажи)\p{L}*|спрашивай|спроси|без (?:спроса|разрешения|моего|согласования)|лучше|предпочита\p{L}+|хочу,? чтобы|вместо|максимум|минимум|не (?:более|больше|менее|меньше|дольше)|должн\p{L}+|надо|нужно чтобы|следи|помни|оставь|не (?:трогай|пушь|меняй|используй|удаляй|добавляй|коммить|лезь|делай|надо|нужно|стоит|ставь|пиши|переименовывай)\p{L}*|больше нравит\p{L}+|давай(?:те)? (?:с|без|использовать)|хватит|избегай|мы (?:не |всегда |только )?(?:используем|пишем|деплоим|работаем))(?![\p{L}])/iu,
      /^(?:нет|неверно|неправильно|вообще-то|стоп|на самом деле)[,.:! ]+\S[^?]{8,}/iu,
      /(?<![\p{L}])(?:важно,? чтобы|оста[её]мся на|важнее чем)(?![\p{L}])|^сначала (?:тест|план|спек|док|дизайн)\p{L}*(?![\p{L}])/iu,
      /(?<![\p{L}])не [^,?]{1,40}, а (?!то)/iu,
    ],
    frees: [
      /[?？]\s*$/,
      /(?<![\p{L}])(?:не (?:волнуйся|переживай|знаю|понимаю|помню|вижу|уверен|работает|важно)|никогда не (?:понимал|видел|знал)\p{L}*|всегда (?:возвращает|падает|хотел)\p{L}*|только (?:что|по|если|когда|иногда)|(?:падает|ломается|происходит) только|должно быть|нет,? (?:спасибо|всё|все) |спасибо|не только)(?![\p{L}])(?!.*(?:пожалуйста|нельзя|впредь))/iu,
    ],
  },
  {
    // Chinese
    words: /\p{Script=Han}/gu,
    binds: [
      /不要|别再|别(?!人|的|担心|急|名)|切勿|请勿|不得|不准|不许|不允许|不可以|禁止|千万|严禁|必须|务必|一律|不要再|一定要|只(?:能|用|准|许|要用|支持|在)|以后|从现在(?:开始|起)|从今|今后|每次|记得|记住|先问|不用问|可以直接|随时可以|先(?:跟|和)我|经过我|我(?:的)?(?:同意|批准|许可)|尽量|优先|最好|宁可|最多|最少|至少|不(?:能|要)?超过|不得超过|控制在|以内|不是.*(?:而是|，是|，用)|是[^，。]{1,20}，(?:而)?不是|应该(?:用|改)|改用|统一|保持|不对|更喜欢|谁都不|偏好|不能(?:清|改|删|提交|出现|放|写|用|碰|推|有)|(?:注释|文档|提交|信息|日志|变量名|回答|回复|消息)[^，。]{0,8}用(?:中文|英文|英语|日文|日语)(?!.*一下)|我们(?:都|只|从不|不)|动都|别动/u,
    ],
    frees: [
      /[吗呢么][？?]?$|[？?]$|为什么|怎么(?!都)|不要紧|不用担心|别担心|没关系|不用(?:了|管|谢)|谢谢|不对劲|掉不下来|一直(?!用|保持)|应该是我|总是(?:返回|失败|报)|只(?:是|在.*(?:失败|报错|出现|发生))|从来没|应该(?:是|没|就|可以)(?:.{0,6}(?:问题|了|吧))/u,
    ],
  },
  {
    // Japanese
    words: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    binds: [
      /[うくぐすつぬぶむる]こと[。！]?$|ないで|しないこと|ないこと|するな|触るな|(?:使|書|消|変え|触|入れ)(?:わ|か|さ|ら|れ)?な(?:い(?:で|よう|こと|ルール)|よう)|禁止|厳禁|必ず|絶対に|ない方向|ない(?:ように)?お願い|だけ(?:を|で|に|使|に)|のみ|今後|これから(?:は|も)|これ以降|以降は|毎回|たびに|前に(?:は)?(?:必ず|一度|まず|聞|確認|相談|実行)|勝手に|許可|ではなく|じゃなくて|じゃなく|いや、|違います|違う、|違って|以内|以下に|最大|まで(?:に(?:して|抑)|と)|超え(?:ない|て)|優先|[うくぐすつぬぶむ]ように(?:して|お願い)|承認|てほしい|できれば|事前に|なるべく|できるだけ|ほうがいい|方がいい|好み|ルール|常に|いつも.*(?:して|ください)|統一|てはいけ|ちゃだめ|^(?!これ|それ|この|その)[^。]{1,30}(?:は|を)(?:日本語|英語|中国語|韓国語)[でに]|ダメ|だめ|NG/u,
    ],
    frees: [
      /[か][？?。]?$|[？?]$|なぜ|どうして|心配しないで|気にしないで|大丈夫|いつも(?:null|失敗|返|落ち)|だけ(?:失敗|落ち|起き|です)|わからない|分からない|かもしれない|はず/u,
    ],
  },
  {
    // Korean
    words: /\p{Script=Hangul}+/gu,
    binds: [
      /(?:하|쓰|건드리|지우|바꾸|넣|올리|푸시하|커밋하|만지|고치|추가하|사용하)지 ?(?:마|말|않)|마세요|말아|말고|금지|절대|항상|반드시|꼭|(?:만|로만|에서만) (?:사용|쓰|써|해|작업|배포|커밋)|앞으로|이제부터|지금부터|매번|때마다|전에 (?:는 )?(?:항상|먼저|꼭|물어|확인|실행|저한테|나한테)|허락|먼저 물어|아니라|아니고|대신|이하|이내|최대|최소|넘지|넘으면|(?:하면|쓰면|건드리면|넣으면|바꾸면|지우면|면) 안 ?(?:됩|돼|되)|우선|선호|더 좋|좋겠|하는 게 (?:좋|낫)|되도록|가급적|^(?!이|그)[^.]{1,30}[은는] (?:한국어|영어|일본어)로|유지|통일|했으면 좋겠/u,
    ],
    frees: [
      /[까요니냐죠]\?$|\?$|왜|어떻게|걱정하지|괜찮|감사|고마|항상 (?:null|실패|반환|에러)|모르겠|것 같(?:아|습)/u,
    ],
  },
]
