export { accounts } from './feature.js';
export { logMailer } from './log-mailer.js';
export { ACCOUNT_MESSAGES, type AccountMessage } from './messages.js';
export type { PersonalAccessTokenOptions } from '../../lib/features/index.js';
export type {
  AccountsOptions,
  AccountUsers,
  DeletionOptions,
  Mail,
  Mailer,
  MailTemplate,
  PasswordOptions,
} from './options.js';
