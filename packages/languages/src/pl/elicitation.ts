import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Potwierdzenie prośby',
  elicitationFrom: '{client} prosi o potwierdzenie:',
  elicitationConfirm: 'Potwierdź',
  elicitationDone: 'Potwierdzono. Można zamknąć tę stronę i wrócić do aplikacji {client}.',
  elicitationExpired: 'Ta prośba wygasła lub została już rozpatrzona. Proszę wrócić do aplikacji i spróbować ponownie.',
  elicitationOtherUser: 'Ta prośba dotyczy innego użytkownika. Tylko on może otworzyć tę stronę.',
  elicitationSwitch: 'Użyj innego konta',
};
