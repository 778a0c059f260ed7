// Excuses in ten languages are none of a summary; honest summaries that begin or go on like one are.
import { describe, expect, it } from 'vitest'
import { isExcuse } from './excuse.ts'

const EXCUSES: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Entschuldigung, bei dieser Anfrage kann ich leider nicht behilflich sein, da sie gegen meine Richtlinien verstößt.',
    'Es tut mir leid, aber ich kann dabei nicht helfen.',
    'Leider kann ich dieses Gespräch nicht zusammenfassen.',
    'Entschuldigung, ich kann Ihnen bei dieser Anfrage nicht weiterhelfen.',
    'Es tut mir leid.',
    'Dabei kann ich leider nicht helfen.',
    'Es tut mir leid, aber das kann ich nicht tun.',
    'Ich kann Ihnen keine Zusammenfassung geben.',
    'Ich sehe keine Unterhaltung, die ich zusammenfassen könnte.',
    'Bitte senden Sie mir die Unterhaltung, die ich zusammenfassen soll.',
    'Als KI-Sprachmodell bin ich nicht in der Lage, diese Anfrage zu erfüllen.',
  ],
  fr: [
    'Je suis désolé, mais je ne peux pas vous aider.',
    'Désolée, je ne peux pas répondre à cette demande.',
    'Malheureusement, je ne suis pas en mesure de résumer cette conversation.',
    'Je ne vois aucune conversation à résumer.',
    'Veuillez fournir la conversation que vous souhaitez résumer.',
    'Je ne peux pas vous aider avec cette demande.',
    'Toutes mes excuses.',
    'Je regrette, mais je ne peux pas résumer cela.',
  ],
  es: [
    'Lo siento, pero no puedo ayudarte con eso.',
    'Lamentablemente, no puedo resumir esta conversación.',
    'Lo siento mucho. No puedo cumplir con esta solicitud.',
    'No veo ninguna conversación para resumir.',
    'Por favor, proporciona la conversación que quieres resumir.',
    'Como modelo de lenguaje, no puedo hacer eso.',
    'Debo negarme.',
  ],
  pt: [
    'Sinto muito, mas não posso ajudar com isso.',
    'Desculpe, não consigo resumir esta conversa.',
    'Infelizmente, não posso atender a esta solicitação.',
    'Não vejo nenhuma conversa para resumir.',
    'Por favor, forneça a conversa que deseja resumir.',
  ],
  it: [
    'Mi dispiace, ma non posso aiutarti con questo.',
    'Purtroppo non sono in grado di riassumere questa conversazione.',
    'Mi spiace, non posso soddisfare questa richiesta.',
    'Non vedo alcuna conversazione da riassumere.',
    'Per favore, fornisci la conversazione da riassumere.',
  ],
  ru: [
    'Извините, но я не могу помочь с этим.',
    'К сожалению, я не могу выполнить этот запрос.',
    'Простите, я не могу пересказать эту беседу.',
    'Я не вижу никакого разговора.',
    'Пожалуйста, пришлите текст разговора.',
    'Мне очень жаль.',
  ],
  zh: [
    '抱歉，我无法提供帮助。',
    '很抱歉，我不能总结这段对话。',
    '对不起，我无法满足您的请求。',
    '我没有看到任何对话。',
    '请提供您需要总结的对话。',
    '非常抱歉，我無法協助您。',
    '作为一个人工智能，我无法回答这个问题。',
  ],
  ja: [
    '申し訳ございませんが、お手伝いできません。',
    '申し訳ありません。そのリクエストには対応できません。',
    'すみませんが、この会話を要約することはできません。',
    '会話が見当たりません。',
    '要約したい会話を提供してください。',
    'ごめんなさい。',
  ],
  ko: [
    '죄송하지만 도와드릴 수 없습니다.',
    '죄송합니다. 이 요청을 처리할 수 없습니다.',
    '안타깝게도 이 대화를 요약할 수 없습니다.',
    '요약할 대화가 없습니다.',
    '요약할 대화를 제공해 주세요.',
  ],
}

const HONEST: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Bitte fügen Sie den Text in copy.md ein, sagte der Agent; der Nutzer hat es getan.',
    'Es gibt keine Nachrichten, die älter als ein Jahr sind; Archiv in src/archiv.ts.',
    'Leider schlagen zwei Tests noch fehl; der Nutzer will Port 8080.',
    'Ich kann den Build nicht ausführen, weil Node fehlt. Nächster Schritt: Node installieren.',
    'Bei dieser Anfrage kann ich nicht weitermachen, weil die Datei fehlt, die der Build laut den Regeln des Projekts schreibt.',
    'Der Nutzer will ein Login. Es tut mir leid, schrieb ich, denn ich konnte die Datei nicht öffnen.',
    'Ich kann die Anfrage nicht bearbeiten, solange die Datenbank gesperrt ist; zuerst entsperren.',
    'Ich sehe keine Nachrichten in der Warteschlange.',
    'Bitte geben Sie den Port an, sagte die Fehlermeldung.',
  ],
  fr: [
    'Malheureusement, deux tests échouent encore ; le port est 8080.',
    "Je ne peux pas ouvrir le port 80 ; l'utilisateur a demandé 8080.",
    "L'utilisateur veut un login. Désolé, ai-je dit, je n'ai pas pu lire le fichier.",
    'Je ne peux pas continuer la migration avant la sauvegarde.',
  ],
  es: [
    'No hay ninguna conversación en la tabla; se importa desde datos.csv.',
    'Lamentablemente, dos pruebas siguen fallando; el puerto es 8080.',
    'No puedo abrir el puerto 80; el usuario pidió 8080.',
    'El usuario quiere un login. Lo siento, dije, no pude leer el archivo.',
    'No puedo continuar la migración antes de la copia de seguridad.',
    'No hay mensajes en la cola; el trabajador está libre.',
  ],
  pt: [
    'Infelizmente, dois testes ainda falham; a porta é 8080.',
    'Não consigo abrir a porta 80; o usuário pediu 8080.',
    'O usuário quer um login. Desculpe, eu disse, não pude ler o arquivo.',
    'Não posso continuar a migração antes da cópia.',
  ],
  it: [
    'Purtroppo due test falliscono ancora; la porta è 8080.',
    "Non posso aprire la porta 80; l'utente ha chiesto 8080.",
    "L'utente vuole un login. Mi dispiace, ho detto, non ho potuto leggere il file.",
    'Non posso continuare la migrazione prima del backup.',
  ],
  ru: [
    'К сожалению, два теста ещё не проходят; порт 8080.',
    'Я не могу открыть порт 80; пользователь просил 8080.',
    'Пользователь хочет вход. Извините, сказал я, не смог прочитать файл.',
    'Не могу продолжить миграцию до резервной копии.',
  ],
  zh: [
    '请提供对话框的样式，用户说；已在 dialog.css 完成。',
    '没有提供对话导出功能；用户要求添加到 export.ts。',
    '很遗憾，两个测试仍然失败；端口是 8080。',
    '无法连接数据库；用户要求改用 8080。',
    '用户想要登录功能。抱歉，我说过无法读取文件。',
    '不能继续迁移，先备份。',
    '请提供端口号，错误信息这样写。',
    '完成',
  ],
  ja: [
    '会話履歴がありませんという画面を追加した。場所はsrc/empty.tsx。',
    '残念ながら、二つのテストがまだ失敗しています。ポートは8080です。',
    'ポート80を開けません。ユーザーは8080を希望しています。',
    'ユーザーはログインを希望。申し訳ありません、ファイルを読めませんでしたと答えた。',
    'このAPIはIPv6に対応できません。代わりにIPv4を使う。',
  ],
  ko: [
    '안타깝게도 테스트 두 개가 아직 실패합니다. 포트는 8080입니다.',
    '데이터베이스에 연결할 수 없습니다. 사용자는 8080을 원합니다.',
    '사용자는 로그인을 원합니다. 죄송합니다, 파일을 읽을 수 없었다고 답했습니다.',
  ],
}

const rows = (table: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(table).flatMap(([language, texts]) => texts.map((text) => [language, text]))
const REFUSED = rows(EXCUSES)
const TAKEN = rows(HONEST)

describe('an excuse', () => {
  it.each(REFUSED)('in %s is none of a summary: %j [ALWAYS-02, NEED-14]', (_, text) => {
    expect(isExcuse(text)).toBe(true)
    expect(isExcuse(`## Summary\n\n**${text}**`)).toBe(true)
  })

  it.each(TAKEN)('is not seen in %s where something is told: %j', (_, text) => {
    expect(isExcuse(text)).toBe(false)
    expect(isExcuse(`## Goal\n- ${text}`)).toBe(false)
  })

  it.each(REFUSED)('in %s is only the middle of a longer text: %j', (_, text) => {
    const long = `Port 8080, src/app.ts. ${text} ${'What was done, step by step. '.repeat(30)}`
    expect(isExcuse(long)).toBe(false)
    expect(isExcuse(`src/app.ts:8080. ${text}`)).toBe(false)
  })
})
