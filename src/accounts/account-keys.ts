import { capability } from '../../lib/internal.js';
import type { AccountUsers, Mailer } from './options.js';

/** The capability keys of the objects of the application. */
export const ACCOUNT_USERS = capability<AccountUsers>('users of accounts', 'accounts');
export const MAILER = capability<Mailer>('mailer of accounts', 'accounts');
