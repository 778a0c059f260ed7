// Excuses of models for not writing a summary, in languages other than English.

export interface RefusalPhrases {
  /** What precedes the excuse; alone it says nothing. */
  readonly openings: readonly string[]
  /** «But», between opening and excuse. */
  readonly but: string
  /** That it is not done, from its first word. */
  readonly said: readonly string[]
  /** That there is nothing to summarise, or a request to send it. */
  readonly missing: readonly string[]
}

/** A reason reports on the work, so only a sentence that ends here is an excuse. */
const STOP = '(?=[.!]|$)'
const END = '(?=[-–—,.!;:)]|$)'

/** Lower case, on one line, with plain apostrophes and English commas and full stops. */
export const EXCUSES_ELSEWHERE: readonly RefusalPhrases[] = [
  german(),
  french(),
  spanish(),
  portuguese(),
  italian(),
  russian(),
  chinese(),
  japanese(),
  korean(),
]

function german(): RefusalPhrases {
  const thing =
    '(?:anfrage|bitte|aufgabe|unterhaltung|konversation|wunsch|gespräch|text|inhalt|verlauf)'
  const which = '(?:diese[rnsm]?|die|der|den|das|dem|ihre[rnm]?|deine[rnm]?|euer|eure[rnm]?)'
  // The model's own rules, not those of the work.
  const rules =
    ',? (?:da|weil|denn) [^.;:]{1,60}(?:meinen?|unseren?) [^.;:]{0,20}(?:richtlinien|vorgaben|regeln)'
  return {
    openings: [
      'leider|(?:es )?tut mir (?:sehr |wirklich |aufrichtig )?leid',
      '(?:ich bitte um )?(?:entschuldigung|verzeihung)',
      'entschuldigen sie(?: bitte)?',
      'als (?:ki-[a-zäöü]+|ki|künstliche intelligenz|sprachmodell)',
      'gerne?|natürlich|selbstverständlich',
      'zusammenfassung:',
    ],
    but: 'aber|jedoch',
    said: [
      `(?:ich (?:kann|darf|werde|möchte)|(?:dabei|damit|hierbei|(?:bei|mit|zu) ${which} ${thing}) (?:kann|darf) ich)(?: (?:ihnen|dir|euch|leider|dabei|damit|hierbei))*(?: (?:bei|mit|zu) ${which} ${thing})? (?:leider )?nicht (?:weiter)?(?:helfen|behilflich sein|unterstützen|dienen|weitermachen|fortfahren)(?:${STOP}|${rules})`,
      `(?:ich (?:kann|darf|werde|möchte)|(?:kann|darf|werde|möchte) ich) (?:leider )?${which} ${thing} (?:leider )?nicht (?:zusammenfassen|bearbeiten|erfüllen|ausführen|fortsetzen|fortführen|beantworten)${STOP}`,
      `(?:ich (?:kann|darf|werde)|(?:kann|darf|werde) ich) (?:ihnen |dir |leider )*keine zusammenfassung`,
      `(?:ich bin|bin ich) (?:leider )?nicht (?:in der lage|befugt|berechtigt|imstande)(?:, [^.;:]{0,60}(?:zusammenzufassen|zu helfen|zu erfüllen|zu bearbeiten))?${STOP}`,
      `das (?:kann|darf|werde) ich (?:leider )?nicht (?:tun|machen|zusammenfassen|beantworten)${STOP}`,
      `ich (?:muss|möchte) (?:das |dies |${which} ${thing} )?(?:leider )?ablehnen${STOP}`,
    ],
    missing: [
      `(?:ich (?:sehe|finde|habe)|es (?:gibt|liegt)) (?:hier |mir )?(?:leider )?(?:keine|keinen|kein) (?:unterhaltung|konversation|gespräch|chatverlauf|verlauf|nachrichten|transkript)(?:${END}| (?:zum|vor|die|das|,))`,
      `(?:bitte )?(?:geben|senden|schicken|fügen|teilen|stellen|gib|sende|schick|füge|teile)(?: sie)?(?: mir)?(?: bitte)? (?:die|das|den|ihre|deine|ihren|deinen) (?:unterhaltung|konversation|gespräch|chatverlauf|text|transkript)`,
    ],
  }
}

function french(): RefusalPhrases {
  const task = `(?:vous |t'|te )?(?:(?:aider|assister)(?: (?:avec|sur|pour|à|dans) (?:cela|ça|ce|cette|votre|ta)[^.,;:]{0,40})?${STOP}|(?:répondre à|donner suite à|accéder à|traiter|satisfaire) (?:cette|votre|ta) (?:demande|requête)|(?:continuer|poursuivre)(?: cette (?:conversation|discussion))?${STOP}|faire (?:cela|ça)${STOP}|résumer (?:cette|la|le|ce|cela|ça|votre)|(?:fournir|rédiger|faire|écrire|donner|produire)(?: (?:de|un|ce|le))? résumé)`
  return {
    openings: [
      'malheureusement|je regrette',
      '(?:je suis |nous sommes )?(?:sincèrement |vraiment |très |profondément )?désolée?s?',
      "(?:toutes )?mes excuses|je m'excuse|veuillez m'excuser|pardon",
      "en tant qu'?(?:e )?(?:ia|intelligence artificielle|assistant|modèle)[^,.;]{0,30}",
      'bien sûr|certainement|avec plaisir',
      'résumé ?:',
    ],
    but: 'mais|cependant|toutefois',
    said: [
      `je ne (?:peux|puis|pourrais?|vais|dois) (?:malheureusement )?pas ${task}`,
      `je ne suis (?:malheureusement )?pas (?:en mesure|capable|autorisée?) (?:de |d'|à )${task}`,
      `je (?:dois|préfère) (?:refuser|décliner)${END}`,
    ],
    missing: [
      `(?:je ne (?:vois|trouve)|je n'ai|il n'y a)(?: accès à)? (?:pas de|pas la|aucune?) (?:conversation|discussion|message|historique|transcription)(?:${END}| (?:à|fournie?|ci-dessus|dans))`,
      "(?:veuillez|merci de|pourriez-vous|pouvez-vous|s'il vous plaît,?) (?:me )?(?:fournir|coller|partager|envoyer|donner|communiquer) (?:la|le|l'|votre|une) ?(?:conversation|texte|transcription|discussion)",
    ],
  }
}

function spanish(): RefusalPhrases {
  const asked = '(?:esta|esa|est[ae]|tu|su|la) (?:solicitud|petición|tarea|pregunta)'
  const task = `(?:(?:ayudar|asistir)(?:te|le|les|los)?(?: (?:con|en) (?:eso|esto|ello|${asked}))?${STOP}|(?:cumplir(?: con)?|completar|atender|procesar|responder a|realizar) ${asked}|(?:continuar|proceder|seguir)(?: con (?:esta conversación|esto|eso))?${STOP}|hacer (?:eso|esto)${STOP}|hacerlo${STOP}|resumir (?:esta|esa|la|el|este|eso|esto)|(?:proporcionar|dar|ofrecer|escribir|hacer|generar)(?:te|le)? (?:un |el |ese |ningún )?resumen)`
  return {
    openings: [
      'lo siento(?: mucho)?|lo lamento(?: mucho)?|lamento [^.,;]{1,40}',
      'lamentablemente|desafortunadamente|desgraciadamente',
      'perdón|perdona|perdone|disculpa|disculpe|mis disculpas|pido disculpas',
      'como (?:una? )?(?:ia|inteligencia artificial|modelo|asistente)[^,.;]{0,30}',
      'claro|por supuesto',
      'resumen:',
    ],
    but: 'pero|sin embargo|no obstante',
    said: [
      `(?:yo )?no (?:puedo|podré|podría|debo|voy a|me es posible|soy capaz de|estoy (?:capacitad[oa]|autorizad[oa]) para|estoy en condiciones de) ${task}`,
      `(?:debo|tengo que) (?:rechazar|declinar|negarme)${END}`,
    ],
    missing: [
      `no (?:veo|tengo|encuentro|hay)(?: acceso a)? (?:ninguna?|la|una?) (?:conversación|historial|mensaje|transcripción)(?:${END}| (?:para|que|proporcionada|disponible))`,
      `no hay (?:conversación|mensajes) (?:que|para) resumir`,
      '(?:por favor,? )?(?:proporciona|proporcione|comparte|comparta|pega|pegue|envía|envíe|facilita|facilite)(?:me)? (?:la|el|tu|su|una) (?:conversación|texto|transcripción)',
    ],
  }
}

function portuguese(): RefusalPhrases {
  const asked = '(?:est[ae]|ess[ae]|sua|seu|tua|o|a) (?:solicitação|pedido|tarefa|pergunta)'
  const task = `(?:(?:te |lhe |o )?(?:ajudar|auxiliar|ajudá-l[oa])(?: (?:com|em|n[eo]) ?(?:isso|isto|ess[ae]|${asked})[^.,;:]{0,30})?${STOP}|(?:atender|cumprir|completar|concluir|processar|responder)(?: a| ao| à)? ${asked}|(?:continuar|prosseguir)(?: com (?:isso|esta conversa))?${STOP}|fazer (?:isso|isto)${STOP}|resumir (?:est[ae]|ess[ae]|a|o|isso|isto)|(?:fornecer|dar|escrever|fazer|gerar)(?: (?:um|o|esse|nenhum))? resumo)`
  return {
    openings: [
      '(?:eu )?(?:sinto|lamento)(?: muito)?',
      'desculpe?|desculpa|peço desculpas?|minhas desculpas|perdão',
      'infelizmente|lamentavelmente',
      'como (?:uma? )?(?:ia|inteligência artificial|modelo|assistente)[^,.;]{0,30}',
      'claro|com certeza',
      'resumo:',
    ],
    but: 'mas|porém|no entanto|contudo',
    said: [
      `(?:eu )?não (?:posso|consigo|poderei|poderia|devo|vou|sou capaz de|estou autorizad[oa] a|me é possível) ${task}`,
      `(?:devo|preciso|tenho que) (?:recusar|declinar)${END}`,
    ],
    missing: [
      `(?:eu )?não (?:vejo|há|tenho|encontrei|encontro)(?: acesso a)? (?:nenhuma?|a|uma?) (?:conversa|histórico|mensagem|transcrição)(?:${END}| (?:para|fornecida|disponível))`,
      '(?:por favor,? )?(?:forneça|compartilhe|cole|envie|partilhe)(?:-me)? (?:a|o|sua|uma) (?:conversa|texto|transcrição)',
    ],
  }
}

function italian(): RefusalPhrases {
  const asked = '(?:questa|tale|la tua|la sua|la) (?:richiesta|attività|domanda)'
  const task = `(?:(?:aiutar|assister)(?:e|ti|la|vi|lo)(?: (?:con|in) (?:questo|ciò|${asked}))?${STOP}|(?:soddisfare|completare|elaborare|evadere|rispondere a) ${asked}|(?:continuare|procedere)(?: con (?:questo|questa conversazione))?${STOP}|far(?:e questo|lo)${STOP}|riassumere (?:questa|la|il|questo|l')|(?:fornir|scriver|far|dar|generar)(?:e|ti|le)(?: (?:un|il|questo|alcun))? (?:riassunto|riepilogo))`
  return {
    openings: [
      'mi (?:dispiace|spiace)(?: molto| davvero)?|(?:sono )?spiacente',
      'scusa(?:mi|te)?|mi scusi|scusi|mi scuso|chiedo scusa|le mie scuse',
      'purtroppo|sfortunatamente',
      '(?:in quanto|come) (?:ia|intelligenza artificiale|modello|assistente)[^,.;]{0,30}',
      'certo|certamente',
      'riassunto:|riepilogo:',
    ],
    but: 'ma|tuttavia|però',
    said: [
      `(?:io )?non (?:posso|potrò|potrei|devo|sono in grado di|sono autorizzat[oa] a|mi è possibile|riesco a) ${task}`,
      `devo (?:rifiutare|declinare)${END}`,
    ],
    missing: [
      `non (?:vedo|c'è|ho|trovo)(?: accesso a)? (?:alcuna|nessuna|una|la) (?:conversazione|cronologia|trascrizione)(?:${END}| (?:da|fornita|disponibile))`,
      "(?:per favore,? |ti prego di |la prego di |si prega di )?(?:fornisc[aei]|fornire|condivid[aei]|condividere|incoll[ai]|incollare|invi[ai]|inviare)(?:mi)? (?:la|il|una|l') ?(?:conversazione|testo|trascrizione)",
    ],
  }
}

function russian(): RefusalPhrases {
  const which = '(?:этот|эту|это|данный|данную|ваш|вашу|твой|твою)'
  return {
    openings: [
      'к сожалению',
      '(?:мне )?(?:очень )?жаль',
      'извините(?: меня)?|извини|простите|прости|прошу прощения|приношу (?:свои )?извинения|сожалею',
      'как (?:ии|искусственный интеллект|языковая модель|ассистент)[^,.;]{0,30}',
      'конечно|разумеется',
      '(?:краткое )?(?:резюме|содержание|изложение):',
    ],
    but: 'но|однако',
    said: [
      `(?:я )?(?:к сожалению,? )?не (?:могу|смогу|буду|в состоянии|вправе|имею возможности) (?:вам |тебе |с этим |в этом )*(?:(?:помочь|помогать)(?: (?:вам|с этим|в этом|с (?:этим|вашим) запросом))*${STOP}|(?:выполнить|обработать|исполнить) ${which} (?:запрос|просьбу|задачу)|(?:продолжить|продолжать)(?: ${which} (?:разговор|беседу))?${STOP}|сделать это${STOP}|(?:кратко )?(?:изложить|пересказать|резюмировать|обобщить|суммировать) ${which}|(?:составить|предоставить|подготовить|написать|дать) (?:краткое )?(?:резюме|сводку|содержание|пересказ|изложение))`,
      `(?:я )?(?:вынужден[аы]? отказаться|отказываюсь)${END}`,
    ],
    missing: [
      `(?:я )?не (?:вижу|нахожу) (?:никако(?:го|й) )?(?:разговора|беседы|диалога|переписки)${END}`,
      `(?:нет|отсутствует) (?:никакого )?(?:разговора|беседы|диалога|переписки)(?:${END}|,? котор|,? для)`,
      '(?:пожалуйста,? )?(?:предоставьте|пришлите|отправьте|вставьте|скопируйте)(?: мне)?,?(?: пожалуйста,?)? (?:текст |саму? )?(?:разговор|беседу|диалог|переписку|текст)',
    ],
  }
}

function chinese(): RefusalPhrases {
  const which = '(?:这个|這個|这段|這段|这次|该|該|此|本|您的|你的|上述|以上)'
  const asked = '(?:请求|請求|要求|任务|任務|问题|問題)'
  const talk = '(?:对话|對話|会话|會話|聊天记录|聊天紀錄|内容|內容)'
  return {
    openings: [
      '(?:非常|很|十分|实在|實在|真的)?(?:抱歉|对不起|對不起|不好意思|遗憾|遺憾)',
      '(?:作为|作為)(?:一个|一個|一名)?(?:ai|人工智能|人工智慧|语言模型|語言模型)[^,.;]{0,20}',
      '好的|当然|當然',
      '(?:对话|對話)?(?:摘要|总结|總結):',
    ],
    but: '但是|但|不过|不過|然而',
    said: [
      `我?(?:恐怕|目前|暂时|暫時)?(?:无法|無法|不能|不可以|没办法|沒辦法|不便|拒绝|拒絕)(?:继续|繼續)?(?:为您|為您|为你|為你|对此|對此|就此|在这方面|在這方面)?(?:提供(?:任何|这方面的|這方面的|此类|此類|相关)?(?:的)?(?:帮助|幫助|协助|協助|摘要|总结|總結)${END}|(?:帮助|幫助|协助|協助)(?:您|你)?(?:完成${which}${asked})?${END}|(?:回答|处理|處理|满足|滿足|完成|执行|執行)${which}${asked}|(?:总结|總結|概括|归纳|歸納)(?:${which}|${talk}|${END})|(?:继续|繼續)(?:${which}?${talk})?${STOP}|这样做${STOP}|這樣做${STOP}|(?:遵从|遵從|照做)${END})`,
    ],
    missing: [
      `我?(?:没有|沒有|未)(?:看到|找到|收到|发现|發現)(?:任何|可供总结的|需要总结的)?${talk}${END}`,
      `(?:这里|這裡|目前)?(?:没有|沒有)(?:提供|任何|可供(?:总结|總結)的|需要(?:总结|總結)的)+${talk}`,
      `请(?:您|你)?(?:先)?(?:提供|粘贴|分享|发送|贴上)(?:您|你)?(?:需要|想要|希望|要)?(?:我)?(?:总结|概括)?(?:的)?${talk}`,
      `請(?:您|你)?(?:先)?(?:提供|貼上|分享|傳送)(?:您|你)?(?:需要|想要|希望|要)?(?:我)?(?:總結|摘要)?(?:的)?${talk}`,
    ],
  }
}

function japanese(): RefusalPhrases {
  const which = '(?:その|この|ご|そのご|上記の)'
  const asked = '(?:件|会話|対話|内容|リクエスト|要望|依頼|要求|質問|要請)'
  const cannot = '(?:でき(?:ません|かねます|ない)|(?:致|いた)しかねます|出来ません)'
  return {
    openings: [
      '(?:大変|誠に|まことに)?申し訳(?:ございません|ありません|ない)(?:です|の)*(?:が|けど|けれど)?',
      '(?:どうも)?すみません(?:が)?|ごめんなさい|恐れ入りますが|恐縮ですが',
      '残念(?:ながら|ですが)',
      'aiとして[^,.;]{0,20}',
      'もちろん(?:です)?|承知しました|かしこまりました',
      '(?:会話の)?要約:',
    ],
    but: 'しかし|ですが',
    said: [
      `(?:私は|私には|それは|それを|${which}${asked}(?:については|に関しては|には|に|を|の|は)*|会話(?:を|の))?(?:お手伝い|お応え|お答え|応じる|対応|支援|協力|要約(?:を(?:作成|提供|お渡し))?|続行|継続)(?:を)?(?:する)?(?:こと)?(?:は|が)?${cannot}(?=[.,!]|$)`,
      `${which}${asked}(?:には|に)(?:応じられません|お応えできません)`,
    ],
    missing: [
      `(?:要約(?:する|すべき|対象の))?(?:会話|対話|履歴|テキスト)(?:の内容|履歴)?(?:が|は)(?:見当たりません|見つかりません|ありません|提供されていません|含まれていません)`,
      `(?:要約(?:したい|する|してほしい))?(?:会話|対話|テキスト|文章)(?:の内容)?を(?:ご提供|提供して|共有して|貼り付けて|送信して|お送り|ご共有)[^.]{0,8}(?:ください|下さい)`,
    ],
  }
}

function korean(): RefusalPhrases {
  const asked =
    '(?:(?:이|그|해당|귀하의|요청하신|말씀하신) ?)?(?:요청|작업|대화|내용|질문|부분)(?:을|를|에|은|는|에 대해|에 대한)? ?'
  return {
    openings: [
      '(?:정말 |대단히 )?(?:죄송합니다(?:만)?|죄송하지만|미안합니다(?:만)?|미안하지만)',
      '유감스럽게도|안타깝게도|아쉽게도',
      'ai(?:로서|이므로|모델로서)[^,.;]{0,20}',
      '물론입니다|네|알겠습니다|(?:대화 )?요약:',
    ],
    but: '하지만|그러나',
    said: [
      `(?:저는 |제가 )?(?:${asked})?(?:도와 ?드릴|도움을 (?:드릴|제공할)|응답(?:해 드릴|할)|답변(?:해 드릴|드릴|할)|들어 ?드릴|수행할|처리(?:해 드릴|할)|응할|요약(?:해 드릴|할|을 (?:제공|작성)할)) ?수(?:가)? 없(?:습니다|어요|네요)${STOP}`,
    ],
    missing: [
      '(?:요약할 |제공된 )?(?:대화|텍스트)(?: 내용| 기록)?(?:가|이|은|는)? ?(?:없습니다|보이지 않습니다|제공되지 않았습니다)(?=[.!]|$)',
      '(?:요약할 |요약하고 싶은 |요약이 필요한 )?(?:대화|텍스트)(?: 내용| 기록)?(?:를|을)? ?(?:제공|공유|붙여 ?넣|보내)[^.]{0,8}(?:주세요|주십시오|주시기 바랍니다)',
    ],
  }
}
