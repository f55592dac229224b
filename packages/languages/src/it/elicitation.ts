import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Conferma una richiesta',
  elicitationFrom: '{client} ti chiede di confermare:',
  elicitationConfirm: 'Conferma',
  elicitationDone: 'Confermato. Puoi chiudere questa pagina e tornare a {client}.',
  elicitationExpired: 'Questa richiesta è scaduta o ha già ricevuto una risposta. Torna all’app e riprova.',
  elicitationOtherUser: 'Questa richiesta è di un altro utente. Solo quell’utente può aprire questa pagina.',
  elicitationSwitch: 'Usa un altro account',
};
