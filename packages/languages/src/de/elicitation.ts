import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Anfrage bestätigen',
  elicitationFrom: '{client} bittet Sie um Bestätigung:',
  elicitationConfirm: 'Bestätigen',
  elicitationDone: 'Bestätigt. Sie können diese Seite schließen und zu {client} zurückkehren.',
  elicitationExpired:
    'Diese Anfrage ist abgelaufen oder wurde bereits beantwortet. Kehren Sie zur App zurück und versuchen Sie es erneut.',
  elicitationOtherUser: 'Diese Anfrage gehört zu einem anderen Benutzer. Nur dieser kann die Seite öffnen.',
  elicitationSwitch: 'Anderes Konto verwenden',
};
