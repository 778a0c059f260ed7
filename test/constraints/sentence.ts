// The shape of one test sentence: what a user typed, and in which language.
export interface Sentence {
  readonly text: string
  readonly language: 'en' | 'de' | 'fr' | 'es' | 'pt' | 'it' | 'zh' | 'ja' | 'ko' | 'ru'
}
