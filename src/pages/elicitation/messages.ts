import { defineMessages } from '../render/messages.js';

/** The English texts of the page of `urlElicitation()`. */
export const ELICITATION_MESSAGES = {
  elicitationTitle: 'Confirm a request',
  elicitationFrom: '{client} asks you to confirm:',
  elicitationConfirm: 'Confirm',
  elicitationDone: 'Confirmed. You can close this page and return to {client}.',
  elicitationExpired: 'This request has expired or was already answered. Return to the app and try again.',
  elicitationOtherUser: 'This request is for another user. Only the user who made it can open this page.',
  elicitationSwitch: 'Use another account',
} as const;

/** The texts of the page. The languages of `pages()` translate and change them under `elicitation`. */
export const MESSAGES = defineMessages(ELICITATION_MESSAGES, {}, 'elicitation');

/** The name of a text of this page. */
export type ElicitationMessage = keyof typeof ELICITATION_MESSAGES;
