import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Conferma di una richiesta',
  elicitationFrom: '{client} Le chiede di confermare:',
  elicitationConfirm: 'Conferma',
  elicitationDone: 'Confermato. Può chiudere questa pagina e tornare a {client}.',
  elicitationExpired: 'Questa richiesta è scaduta o ha già ricevuto una risposta. Torni all’app e riprovi.',
  elicitationOtherUser: 'Questa richiesta è di un altro utente. Solo quell’utente può aprire questa pagina.',
  elicitationSwitch: 'Usa un altro account',
};
