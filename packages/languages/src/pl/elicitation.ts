import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Potwierdzenie prośby',
  elicitationFrom: '{client} prosi o potwierdzenie:',
  elicitationConfirm: 'Potwierdź',
  elicitationDone: 'Potwierdzono. Możesz zamknąć tę stronę i wrócić do {client}.',
  elicitationExpired: 'Ta prośba wygasła lub została już rozpatrzona. Wróć do aplikacji i spróbuj ponownie.',
  elicitationOtherUser: 'Ta prośba dotyczy innego użytkownika. Tylko on może otworzyć tę stronę.',
  elicitationSwitch: 'Użyj innego konta',
};
