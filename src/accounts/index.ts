export { accounts } from './feature.js';
export { logMailer } from './log-mailer.js';
export { ACCOUNT_MESSAGES, type AccountMessage, type AccountTranslations } from './messages.js';
export type { AccountsOptions, AccountUsers, Mail, Mailer, MailTemplate, PasswordOptions } from './options.js';
