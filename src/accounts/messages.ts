import { defineMessages } from '../pages/index.js';
import { DELETION_MESSAGES } from './deletion/messages.js';
import { FACTOR_MESSAGES } from './factors/messages.js';
import { PERSONAL_TOKEN_MESSAGES } from './personal-tokens/messages.js';
import { PASSKEY_MESSAGES } from './passkeys/messages.js';

/** The English texts of the pages and e-mails of `accounts()`. `{site}` is the name of the site. */
export const ACCOUNT_MESSAGES = {
  ...FACTOR_MESSAGES,
  ...PASSKEY_MESSAGES,
  signUpTitle: 'Create an account',
  forgotTitle: 'Reset your password',
  forgotIntro: 'Enter the e-mail address of your account. We will send you a link to choose a new password.',
  email: 'E-mail address',
  name: 'Name',
  sendLink: 'Send me a link',
  emailInvalid: 'Enter a valid e-mail address.',
  nameInvalid: 'Enter a name of at most 100 characters.',
  sentTitle: 'Check your e-mail',
  sentText: 'If this address can be used, a link is on its way to {email}. It may take a few minutes.',
  passwordTitle: 'Choose a password',
  passwordFor: 'Choose a password for {email}. If this is not your address, close this page.',
  otherBrowser: 'You started in another browser. After you have saved the password, sign in with it.',
  newPassword: 'New password',
  passwordRule: 'At least {count} characters. Several words are easy to remember.',
  endAccess: 'Also remove the access of all apps and scripts',
  save: 'Save',
  linkExpired: 'This link has expired or was already used. Request a new one.',
  passwordShort: 'Use a longer password.',
  passwordLong: 'Use a shorter password.',
  passwordPersonal: 'Do not use your name, your address or the name of this site as a password.',
  passwordCommon: 'This password is easy to guess. Choose another one.',
  passwordBreached: 'This password is known from a data leak. Choose another one.',
  passwordSection: 'Password',
  currentPassword: 'Current password',
  passwordWrong: 'The current password is incorrect.',
  passwordChanged: 'Password changed. Other browsers are signed out.',
  emailSection: 'E-mail address',
  emailNow: 'Your address is {email}.',
  newEmail: 'New e-mail address',
  emailSent: 'We sent a link to the new address. Open it to confirm the change.',
  confirmTitle: 'Confirm your e-mail address',
  confirmText: 'Use {email} for your account?',
  confirm: 'Confirm',
  confirmed: 'Your e-mail address was changed to {email}.',
  mailResetSubject: 'Choose a new password for {site}',
  mailResetText:
    'Open this link to choose a new password. It works once, for an hour:\n\n{link}\n\nIf you did not request it, ignore this e-mail. Your password has not changed.',
  mailSignUpSubject: 'Finish your sign-up at {site}',
  mailSignUpText:
    'Open this link to confirm your address and choose a password. It works once, for a day:\n\n{link}\n\nIf you did not sign up, ignore this e-mail. No account was created.',
  mailExistsSubject: 'You already have an account at {site}',
  mailExistsText:
    'Someone tried to sign up with your address, but you already have an account. If you forgot your password, choose a new one here:\n\n{link}\n\nIf it was not you, ignore this e-mail.',
  mailChangeSubject: 'Confirm your new address at {site}',
  mailChangeText:
    'Open this link to use this address for your account. It works once, for a day:\n\n{link}\n\nIf you did not request it, ignore this e-mail.',
  mailTakenSubject: 'Someone tried to use your address at {site}',
  mailTakenText:
    'Someone tried to change the address of another account to yours. Nothing has changed. You can ignore this e-mail.',
  mailMovedSubject: 'Your address at {site} was changed',
  mailMovedText:
    'The e-mail address of your account is now {email}. If this was not you, contact the operator of {site} at once.',
  mailPasswordSubject: 'Your password at {site} was changed',
  mailPasswordText:
    'Your password was changed, and other browsers were signed out. If this was not you, choose a new password:\n\n{link}',
  ...PERSONAL_TOKEN_MESSAGES,
  ...DELETION_MESSAGES,
};

/** The name of a text of `accounts()`. */
export type AccountMessage = keyof typeof ACCOUNT_MESSAGES;

/** The texts of the pages and e-mails. The languages of `pages()` translate and change them under `accounts`. */
export const ACCOUNT_TEXTS = defineMessages(ACCOUNT_MESSAGES, {}, 'accounts');

export type AccountMessages = typeof ACCOUNT_TEXTS;
