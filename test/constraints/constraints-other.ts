// Binding sentences in the nine languages other than English (test data).
import type { Sentence } from './sentence.ts'

export const CONSTRAINTS_OTHER: readonly Sentence[] = [
  { text: 'bitte nie direkt auf main pushen', language: 'de' },
  { text: 'Fasse fixtures-de niemals an.', language: 'de' },
  { text: 'Ändere die Migrationen nicht.', language: 'de' },
  { text: 'Finger weg von den Migrationen, die macht das DB-Team selber.', language: 'de' },
  { text: 'nee, der Port ist 8081, nicht 8080', language: 'de' },
  { text: 'Ich hätte lieber kleine Commits, die kann man besser reviewen.', language: 'de' },
  { text: 'Ab jetzt bitte auf Deutsch antworten.', language: 'de' },
  { text: 'Bevor du was löschst, frag mich kurz.', language: 'de' },
  { text: 'mehr als drei retries sollten es nicht sein', language: 'de' },
  {
    text:
      'Der Build läuft wieder, danke, aber die Testdatenbank teilen wir uns mit der QA, die darf ' +
      'nicht geleert werden.',
    language: 'de',
  },
  { text: 'ne touche pas au dossier legacy stp', language: 'fr' },
  { text: 'On utilise uniquement pnpm sur ce projet.', language: 'fr' },
  { text: "non, c'est l'autre endpoint qu'il faut prendre, /v2/orders", language: 'fr' },
  { text: 'Je préfère des fonctions courtes, quitte à en avoir plus.', language: 'fr' },
  { text: 'Pense à lancer le linter avant chaque commit.', language: 'fr' },
  { text: 'pas plus de 300 lignes par fichier svp', language: 'fr' },
  {
    text: "Les clés d'API sont dans le coffre, elles ne doivent pas se retrouver dans le dépôt.",
    language: 'fr',
  },
  {
    text:
      "J'ai vu que le script de paie plante encore, regarde pourquoi, mais surtout ne le relance " +
      'pas en prod.',
    language: 'fr',
  },
  { text: 'nada de force push, que ya tuvimos un susto', language: 'es' },
  { text: 'Usa solo la librería estándar, por favor.', language: 'es' },
  { text: 'te equivocaste, la rama base es develop y no main', language: 'es' },
  { text: 'Prefiero que los mensajes de commit estén en inglés.', language: 'es' },
  { text: 'A partir de ahora pregúntame antes de instalar cualquier cosa.', language: 'es' },
  { text: 'el bundle no puede pasar de 150 kb', language: 'es' },
  {
    text: 'Los datos de producción son de clientes reales, así que no los copies a local.',
    language: 'es',
  },
  {
    text:
      'Quedó muy bien el formulario, mañana lo enseño al equipo, eso sí, los textos van siempre ' +
      'en el archivo de traducciones.',
    language: 'es',
  },
  { text: 'não mexe na pasta de migrations', language: 'pt' },
  { text: 'Aqui a gente só usa yarn, tá?', language: 'pt' },
  { text: 'na verdade o campo é customer_id, não client_id', language: 'pt' },
  { text: 'Prefiro que você não crie classes, funções simples bastam.', language: 'pt' },
  { text: 'Sempre roda os testes antes de commitar, por favor.', language: 'pt' },
  { text: 'no máximo 5 conexões abertas ao mesmo tempo', language: 'pt' },
  {
    text: 'O banco de homologação é compartilhado, ninguém pode apagar tabela lá.',
    language: 'pt',
  },
  {
    text:
      'Vê por que o deploy falhou ontem à noite, o log tá em anexo, mas não altera o pipeline ' +
      'sem falar comigo.',
    language: 'pt',
  },
  { text: 'non toccare i file generati', language: 'it' },
  { text: 'Usa soltanto npm, niente yarn.', language: 'it' },
  { text: 'no aspetta, la porta giusta è la 3001', language: 'it' },
  { text: 'Preferirei gli spazi ai tab, se non è un problema.', language: 'it' },
  { text: "D'ora in poi scrivi i commenti in inglese.", language: 'it' },
  { text: 'le risposte non devono superare i 200 ms', language: 'it' },
  { text: 'Chiedimi conferma prima di cancellare qualsiasi cosa.', language: 'it' },
  {
    text:
      "Ho dato un'occhiata alla pagina e mi piace, però le query devono passare dal repository, " +
      'mai direttamente.',
    language: 'it',
  },
  { text: '不要直接推到主分支', language: 'zh' },
  { text: '这个项目只能用 pnpm，别用 npm', language: 'zh' },
  { text: '不对，端口是 6380，不是 6379', language: 'zh' },
  { text: '我更喜欢小一点的提交，方便看', language: 'zh' },
  { text: '以后每次改完代码都先跑一遍测试再告诉我', language: 'zh' },
  { text: '单个文件别超过 300 行', language: 'zh' },
  { text: '测试库是大家共用的，谁都不能清空', language: 'zh' },
  { text: '登录页的样式我看了，挺好的，不过接口字段名千万别改，客户端还在用', language: 'zh' },
  { text: 'mainには直接pushしないでください', language: 'ja' },
  { text: '外部ライブラリは追加禁止でお願いします', language: 'ja' },
  { text: 'いや、そっちじゃなくてv2のエンドポイントを使って', language: 'ja' },
  { text: 'できればコミットは細かく分けてほしいです', language: 'ja' },
  { text: '今後は日本語で回答してください', language: 'ja' },
  { text: 'リトライは最大3回までで', language: 'ja' },
  { text: '本番のDBには絶対に触らないこと', language: 'ja' },
  {
    text:
      'さっきの修正で動きました、ありがとうございます、' +
      'ただ削除系の操作は必ず事前に確認してください',
    language: 'ja',
  },
  { text: 'main 브랜치에 바로 푸시하지 마세요', language: 'ko' },
  { text: '여기서는 yarn만 써주세요', language: 'ko' },
  { text: '아니 그거 말고 새 API 써야 돼요', language: 'ko' },
  { text: '주석은 한국어로 다는 게 더 좋아요', language: 'ko' },
  { text: '커밋하기 전에 항상 린트 돌려줘', language: 'ko' },
  { text: '함수 하나에 50줄 넘기지 말아줘', language: 'ko' },
  {
    text: '화면은 잘 나오는데요, 스테이징 DB는 다른 팀이랑 같이 쓰는 거라 데이터 지우면 안 됩니다',
    language: 'ko',
  },
  { text: 'не трогай миграции', language: 'ru' },
  { text: 'Зависимости без моего согласия не добавляй, пожалуйста.', language: 'ru' },
  { text: 'нет, таймаут там в секундах, а не в миллисекундах', language: 'ru' },
  { text: 'Мне больше нравятся табы, давай с ними.', language: 'ru' },
  { text: 'Перед каждым коммитом прогоняй тесты.', language: 'ru' },
  { text: 'не больше двух запросов в секунду, иначе нас забанят', language: 'ru' },
  {
    text:
      'Ошибку я вроде поймал, завтра гляну подробнее, а пароли у нас хранятся отдельно, в ' +
      'репозитории их быть не должно.',
    language: 'ru',
  },
]
